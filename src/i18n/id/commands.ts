import type { Messages } from '../messages.ts';
import { ownerCommands } from './owner.ts';
import { playCommands } from './play-commands.ts';

const MODE = { name: 'mode', description: 'osu, taiko, catch, atau mania' };
const PLAYER = { name: 'pemain', description: 'Nama, nomor, atau tautan profil; kamu, bila sudah dikaitkan' };
const MODES = { osu: 'osu', taiko: 'taiko', catch: 'catch', mania: 'mania' };

/** Names and descriptions of commands, their options and choices. */
export const commands: Messages['commands'] = {
  download: {
    description: 'Tampilkan video atau foto sebuah kiriman di sini',
    options: {
      link: { name: 'tautan', description: 'Tautan kiriman Instagram atau Facebook' },
      item: { name: 'butir', description: 'Hanya item ke berapa, dihitung dari 1' },
      audio: { name: 'suara', description: 'Audionya saja' },
    },
    choices: {},
  },
  help: {
    description: 'Apa yang bisa saya lakukan',
    options: { command: { name: 'perintah', description: 'Perintah yang ingin kamu ketahui' } },
    choices: {},
  },
  settings: {
    description: 'Lihat dan ubah pengaturanmu, dan pengaturan grup',
    options: {
      language: { name: 'bahasa', description: 'Bahasa yang saya pakai untuk menjawabmu' },
      links: { name: 'tautan', description: 'Grup ini: jawab tautan kiriman yang ditempel' },
      'osu-links': {
        name: 'tautan-osu',
        description: 'Grup ini: tampilkan pratinjau tautan osu! yang ditempel',
      },
      embeds: { name: 'sematan', description: 'Grup ini: sembunyikan pratinjau tautan yang sudah saya jawab' },
      captions: { name: 'keterangan', description: 'Grup ini: tampilkan keterangan kiriman' },
      prefix: { name: 'awalan', description: 'Grup ini: awal bentuk pendek seperti !rs, !c, dan !map' },
      'chat-language': { name: 'bahasa-grup', description: 'Grup ini: bahasa untuk yang belum memilih' },
    },
    choices: {
      language: { auto: 'Otomatis' },
      prefix: { off: 'mati' },
      'chat-language': { auto: 'Otomatis' },
    },
  },
  privacy: {
    description: 'Minta saya mengabaikan tautan yang kamu tempel, atau menjawabnya lagi',
    options: { links: { name: 'tautan', description: 'Yang saya lakukan dengan tautan yang kamu tempel' } },
    choices: { links: { ignore: 'abaikan', answer: 'jawab' } },
  },
  forget: {
    description: 'Hapus semua yang saya simpan tentang kamu',
    options: { what: { name: 'apa', description: 'Tulis “me” untuk memastikan' } },
    choices: { what: { me: 'Saya' } },
  },
  about: { description: 'Siapa saya, dan apa yang saya simpan', options: {}, choices: {} },
  'beatmap search': {
    description: 'Cari beatmap osu! dengan kata dan filter, misalnya camellia stars>6',
    options: {
      query: { name: 'kueri', description: 'Kata, dan filter seperti di osu!: stars>6 ar=9 bpm>180 creator=…' },
      mode: MODE,
      status: { name: 'status', description: 'Bila kosong: yang ranked dan loved' },
      sort: { name: 'urutan', description: 'Yang mana lebih dulu' },
    },
    choices: {
      mode: MODES,
      status: {
        any: 'apa pun',
        leaderboard: 'punya papan peringkat',
        ranked: 'ranked',
        qualified: 'lolos kualifikasi',
        loved: 'loved',
        pending: 'menunggu',
        wip: 'sedang dikerjakan',
        graveyard: 'terbengkalai',
      },
      sort: {
        artist: 'artis',
        creator: 'mapper',
        difficulty: 'kesulitan',
        favourites: 'favorit',
        nominations: 'nominasi',
        plays: 'dimainkan',
        ranked: 'ranked terbaru',
        rating: 'penilaian',
        relevance: 'paling cocok',
        title: 'judul',
        updated: 'terakhir diperbarui',
      },
    },
  },
  'beatmap info': {
    description: 'Semua tentang sebuah beatmap osu! dan tingkat kesulitannya',
    options: {
      map: { name: 'peta', description: 'Tautan osu!-nya, nomornya, atau kata dari namanya' },
      mods: { name: 'mod', description: 'Mod yang dipakai memainkannya, seperti +HDDT' },
    },
    choices: {},
  },
  'beatmap recommend': {
    description: 'Map berikutnya untuk dimainkan, dan alasannya, menurut permainan terbaik',
    options: {
      player: PLAYER,
      mods: { name: 'mod', description: '+HDDT dengan mod ini, -HR tanpa, NM tanpa mod' },
      stars: { name: 'bintang', description: 'Dengan modnya, misalnya 5-6' },
      pp: { name: 'pp', description: 'Yang diharapkan, misalnya 200-250' },
      ar: { name: 'ar', description: 'Approach rate dengan modnya, misalnya 9-9.6' },
      bpm: { name: 'bpm', description: 'Dengan modnya, misalnya 170-200' },
      length: { name: 'durasi', description: 'Misalnya 1:00-2:30' },
      like: { name: 'mirip', description: 'Tautan atau nomor beatmap, untuk mencari yang mirip' },
      farm: { name: 'farm', description: 'Hanya map yang dimainkan demi pp, atau justru yang lain' },
      mode: MODE,
    },
    choices: { mode: MODES },
  },
  'beatmap download': {
    description: 'Tempat mengunduh sebuah beatmap osu!',
    options: {
      map: { name: 'peta', description: 'Tautan osu!-nya, nomornya, atau kata dari namanya' },
      video: { name: 'video', description: 'Hanya berkas dengan video, atau hanya yang tanpa' },
    },
    choices: {},
  },
  'osu profile': {
    description: 'Seorang pemain osu!: peringkat, pp, akurasi, dan lainnya',
    options: { player: PLAYER, mode: MODE },
    choices: { mode: MODES },
  },
  'osu scores': {
    description: 'Permainan terbaik atau terbaru seorang pemain osu!',
    options: {
      player: PLAYER,
      type: { name: 'jenis', description: 'Permainan yang mana; bila kosong: yang terbaik' },
      mode: MODE,
      mods: { name: 'mod', description: '+HDDT dengan ini, HDDT! hanya ini, -HR tanpa ini, NM tanpa mod' },
      grade: { name: 'nilai', description: 'Hanya permainan dengan nilai itu' },
      sort: { name: 'urutan', description: 'Yang mana lebih dulu' },
      search: { name: 'cari', description: 'Kata dari map-nya, atau syarat: camellia stars>6' },
      index: { name: 'nomor', description: 'Hanya permainan ke berapa di daftar, dihitung dari 1' },
      reverse: { name: 'terbalik', description: 'Daftarnya dari belakang' },
      chokes: { name: 'putus', description: 'Hanya permainan yang kombonya putus' },
    },
    choices: {
      type: { best: 'terbaik', recent: 'terbaru', firsts: 'peringkat pertama', pinned: 'disematkan' },
      mode: MODES,
      sort: { pp: 'pp', accuracy: 'akurasi', date: 'tanggal', combo: 'kombo', stars: 'bintang' },
    },
  },
  'osu score': {
    description: 'Satu skor osu!, lewat tautannya',
    options: { play: { name: 'permainan', description: 'Tautannya, seperti https://osu.ppy.sh/scores/…' } },
    choices: {},
  },
  'osu maps': {
    description: 'Beatmap yang dibuat, disukai, atau paling sering dimainkan seorang pemain osu!',
    options: {
      player: PLAYER,
      type: { name: 'jenis', description: 'Daftar yang mana; bila kosong: yang ranked' },
    },
    choices: {
      type: {
        ranked: 'ranked',
        loved: 'loved',
        pending: 'menunggu',
        graveyard: 'terbengkalai',
        guest: 'tingkat kesulitan tamu',
        nominated: 'dinominasikan',
        favourite: 'favorit',
        most_played: 'paling sering dimainkan',
      },
    },
  },
  'osu link': {
    description: 'Kaitkan pemain osu! milikmu',
    options: {
      player: { name: 'pemain', description: 'Nama, nomor, atau tautan profilmu di osu!' },
      mode: { name: 'mode', description: 'Mode yang ingin kamu lihat: osu, taiko, catch, atau mania' },
    },
    choices: { mode: MODES },
  },
  'osu unlink': { description: 'Lepaskan kaitan dengan pemain osu! milikmu', options: {}, choices: {} },
  ...playCommands,
  ...ownerCommands,
};
