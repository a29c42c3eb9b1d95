import type { playCommands as english } from '../en/play-commands.ts';
import type { Messages } from '../messages.ts';

const MODE = { name: 'mode', description: 'osu, taiko, catch, atau mania' };
const PLAYER = { name: 'pemain', description: 'Nama, nomor, atau tautan profil; kamu, bila sudah dikaitkan' };
const MODES = { osu: 'osu', taiko: 'taiko', catch: 'catch', mania: 'mania' };
const MAP = {
  name: 'peta',
  description: 'Tautan, nomor, atau kata judulnya; bila kosong, yang terakhir tampil di sini',
};

/** Names and descriptions of the commands about plays. */
export const playCommands: Pick<Messages['commands'], keyof typeof english> = {
  'osu recent': {
    description: 'Permainan terakhir seorang pemain osu!',
    options: {
      player: PLAYER,
      mode: MODE,
      nth: { name: 'ke', description: 'Bukan yang terakhir, tetapi yang ke berapa dari akhir' },
    },
    choices: { mode: MODES },
  },
  'osu compare': {
    description: 'Permainan seorang pemain di map yang terakhir tampil di sini, atau di map lain',
    options: { player: PLAYER, map: MAP },
    choices: {},
  },
  'beatmap leaderboard': {
    description: 'Permainan terbaik di sebuah map, sedunia atau di obrolan ini',
    options: {
      map: MAP,
      mods: { name: 'mod', description: 'Hanya dengan mod ini persis, seperti +HDDT, atau NM untuk tanpa mod' },
      of: { name: 'dari', description: 'Sedunia, atau anggota obrolan ini yang dikaitkan' },
    },
    choices: { of: { world: 'dunia', here: 'sini' } },
  },
  'beatmap simulate': {
    description: 'Berapa nilai sebuah permainan: akurasi, miss, mod, kecepatan',
    options: {
      map: MAP,
      mods: { name: 'mod', description: 'Mod yang dipakai, seperti +HDDT' },
      accuracy: { name: 'akurasi', description: 'Dalam persen, seperti 98.5' },
      combo: { name: 'kombo', description: 'Kombo terpanjang permainan itu' },
      misses: { name: 'meleset', description: 'Berapa banyak miss' },
      n300: { name: 'n300', description: 'Berapa banyak 300' },
      n100: { name: 'n100', description: 'Berapa banyak 100' },
      n50: { name: 'n50', description: 'Berapa banyak 50' },
      rate: { name: 'kecepatan', description: 'Kecepatan, seperti 1.2' },
    },
    choices: {},
  },
  'osu nochoke': {
    description: 'Permainan terbaik seorang pemain, seandainya tanpa gagal kombo',
    options: { player: PLAYER, mode: MODE },
    choices: { mode: MODES },
  },
  'osu whatif': {
    description: 'Total seorang pemain dengan satu permainan lagi',
    options: {
      pp: { name: 'pp', description: 'Nilai permainan itu' },
      times: { name: 'kali', description: 'Berapa banyak permainan seperti itu' },
      player: PLAYER,
      mode: MODE,
    },
    choices: { mode: MODES },
  },
  'osu target': {
    description: 'Permainan yang dibutuhkan untuk sebuah total atau peringkat',
    options: {
      pp: { name: 'pp', description: 'Total yang ingin dicapai' },
      rank: { name: 'peringkat', description: 'Peringkat yang ingin dicapai, sampai 10000' },
      player: PLAYER,
      mode: MODE,
    },
    choices: { mode: MODES },
  },
  'osu ranking': {
    description: 'Pemain yang dikaitkan di obrolan ini, menurut pp',
    options: { mode: MODE },
    choices: { mode: MODES },
  },
  'osu track': {
    description: 'Kirim permainan terbaik yang baru dari seorang pemain ke sini (admin)',
    options: {
      player: { name: 'pemain', description: 'Nama, nomor, atau tautan profil; bila kosong, siapa yang dipantau' },
      mode: MODE,
    },
    choices: { mode: MODES },
  },
};
