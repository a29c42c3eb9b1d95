import type { Messages } from './en.ts';

/** Indonesian for all that has to do with osu!. */
export const idOsu: Messages['osu'] = {
  errors: {
    beatmap: {
      invalid_request: p =>
        p.what === 'q'
          ? `Pencarian paling banyak ${p.max ?? 500} karakter.`
          : p.what === 'cursor'
            ? 'Halaman itu sudah tidak ada. Silakan cari lagi.'
            : 'Saya belum bisa membacanya. Sebutkan beatmap dengan tautan, nomor, atau beberapa kata dari namanya.',
      not_found: p =>
        p.what === 'words'
          ? 'Saya tidak menemukan beatmap dengan kata-kata itu. Kata yang lebih sedikit menemukan lebih banyak.'
          : 'Beatmap itu tidak ada, atau sudah dihapus.',
      upstream_rate_limited: (_, wait) =>
        `Situs beatmap meminta kami untuk melambat. Silakan coba lagi ${wait ?? 'dalam beberapa menit'}.`,
      upstream_unavailable: (_, wait) =>
        `Situs beatmap sedang tidak menjawab. Silakan coba lagi ${wait ?? 'dalam satu menit'}.`,
      upstream_changed: () =>
        'Jawaban situs beatmap belum bisa saya baca. Silakan coba lagi nanti; pengelola saya bisa melihat penyebabnya.',
      timeout: () => 'Situs beatmap terlalu lama menjawab. Silakan coba lagi dalam satu menit.',
      credentials_required: () =>
        'Ini hanya diketahui osu! sendiri, dan pengelola saya belum memberi saya kuncinya. Mencari dan mengunduh beatmap bisa tanpa kunci.',
      forbidden: p =>
        p.what === 'button'
          ? 'Tombol itu milik orang lain. Kamu bisa mengirim perintahnya sendiri.'
          : 'osu! tidak mengizinkan saya melihatnya.',
    },
    player: {
      invalid_request: p =>
        p.what === 'cursor'
          ? 'Halaman itu sudah tidak ada. Silakan kirim perintahnya lagi.'
          : 'Saya belum bisa membacanya. Sebutkan pemain dengan nama, nomor, atau tautan profilnya.',
      not_found: () => 'Pemain itu tidak ada, atau sedang dibatasi.',
      upstream_rate_limited: (_, wait) =>
        `Situs osu! meminta kami untuk melambat. Silakan coba lagi ${wait ?? 'dalam beberapa menit'}.`,
      upstream_unavailable: (_, wait) =>
        `Situs osu! sedang tidak menjawab. Silakan coba lagi ${wait ?? 'dalam satu menit'}.`,
      upstream_changed: () =>
        'Jawaban osu! belum bisa saya baca. Silakan coba lagi nanti; pengelola saya bisa melihat penyebabnya.',
      timeout: () => 'Situs osu! terlalu lama menjawab. Silakan coba lagi dalam satu menit.',
      credentials_required: () =>
        'Pemain hanya diketahui osu! sendiri, dan pengelola saya belum memberi saya kuncinya. Mencari dan mengunduh beatmap bisa tanpa kunci.',
      forbidden: p =>
        p.what === 'button'
          ? 'Tombol itu milik orang lain. Kamu bisa mengirim perintahnya sendiri.'
          : 'Situs osu! tidak mengizinkan saya melihat pemain itu.',
    },
  },

  search: {
    title: query => `Beatmap untuk “${query}”`,
    none: query =>
      `Saya tidak menemukan beatmap untuk “${query}”. Kata yang lebih sedikit menemukan lebih banyak, begitu juga status “apa pun”.`,
  },
  sets: (_, shown) => `${shown} beatmap`,
  page: n => `halaman ${n}`,
  back: 'Kembali',
  more: 'Lainnya',
  open: 'Buka beatmap…',
  openOne: 'Buka',
  mappedBy: name => `dipetakan oleh ${name}`,
  difficulties: n => `${n} tingkat kesulitan`,
  difficultiesTitle: 'Tingkat kesulitan',
  otherDifficulties: 'Tingkat kesulitan lain',
  moreDifficulties: n => `dan ${n} lagi`,
  plays: (_, shown) => `${shown} kali dimainkan`,
  favourites: (_, shown) => `${shown} favorit`,
  combo: shown => `${shown}x`,
  objects: shown => `${shown} objek`,
  explicit: 'eksplisit',
  preview: 'Cuplikan',
  openAtOsu: 'Buka di osu!',
  download: 'Unduh',
  downloadHint: 'Pilih dari mana mengunduhnya:',
  unavailable: 'Unduhan beatmap ini sudah ditarik oleh osu!.',
  unavailableBecause: reason => `Unduhan beatmap ini sudah ditarik oleh osu!: ${reason}`,
  from: site => `Dari ${site}`,
  fromWithVideo: site => `Dari ${site}, dengan video`,
  fromWithoutVideo: site => `Dari ${site}, tanpa video`,
  modes: { osu: 'osu!', taiko: 'osu!taiko', fruits: 'osu!catch', mania: 'osu!mania' },
  statuses: {
    graveyard: 'terbengkalai',
    wip: 'sedang dikerjakan',
    pending: 'menunggu',
    ranked: 'ranked',
    approved: 'disetujui',
    qualified: 'lolos kualifikasi',
    loved: 'loved',
  },
  fields: {
    mapper: 'Pemeta',
    status: 'Status',
    ranked: 'Ranked sejak',
    updated: 'Diperbarui',
    length: 'Durasi',
    bpm: 'BPM',
    favourites: 'Favorit',
    plays: 'Dimainkan',
    source: 'Sumber',
  },
  origin: {
    local: 'Dari ingatan saya; osu! tidak ditanya.',
    remembered: 'Situs osu! dan cerminannya sedang tidak menjawab, jadi ini dari ingatan saya.',
    stale: 'Situs osu! sedang tidak menjawab, jadi ini jawaban sebelumnya.',
    corrected: 'Tidak ada yang cocok persis dengan tulisanmu; mungkin ini yang kamu maksud.',
  },
};

type Commands = Messages['commands'];

const MODE = { name: 'mode', description: 'osu, taiko, catch, atau mania' };
const MODES = { osu: 'osu', taiko: 'taiko', catch: 'catch', mania: 'mania' };

export const idOsuCommands: Pick<Commands, Extract<keyof Commands, `beatmap ${string}` | `osu ${string}`>> = {
  'beatmap search': {
    description: 'Cari beatmap osu! dengan kata dan saringan, misalnya camellia stars>6',
    options: {
      query: { name: 'kueri', description: 'Kata, dan saringan seperti di osu!: stars>6 ar=9 bpm>180 creator=…' },
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
        creator: 'pemeta',
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
    options: { map: { name: 'peta', description: 'Tautan osu!-nya, nomornya, atau kata dari namanya' } },
    choices: {},
  },
  'beatmap download': {
    description: 'Tempat mengunduh sebuah beatmap osu!',
    options: {
      map: { name: 'peta', description: 'Tautan osu!-nya, nomornya, atau kata dari namanya' },
      video: { name: 'video', description: 'Hanya berkas dengan video, atau hanya yang tanpa' },
    },
    choices: {},
  },
};
