import type { Messages } from '../messages.ts';

export const notices: Messages['notices'] = {
  noLink:
    'Tempelkan tautan kiriman Instagram atau Facebook di sini, atau ketik /help untuk melihat apa yang bisa saya lakukan.',
};

export const post: Messages['post'] = {
  likes: (_, shown) => `${shown} suka`,
  comments: (_, shown) => `${shown} komentar`,
  plays: (_, shown) => `${shown} kali diputar`,
  views: (_, shown) => `${shown} kali ditonton`,
  shares: (_, shown) => `${shown} kali dibagikan`,
  openOriginal: 'Buka kiriman asli',
  tooLargeHere: 'Video ini terlalu besar untuk obrolan ini.',
  playHere: 'Putar di sini',
  reduced: size => `Diperkecil agar muat di sini: ${size}.`,
  playWhole: 'Putar video utuhnya',
  untitled: site => `Kiriman ${site}`,
  itemOf: (n, total) => `${n} dari ${total}`,
  missing: (n, total) => `${n} dari ${total} tidak bisa diambil`,
  itemMissing: (n, total) => `Item ${n} dari ${total} tidak bisa diambil`,
  clip: (from, to) => `Bagian video, ${from} sampai ${to}`,
  clipRough:
    'Di sini video ini hanya bisa dipotong di titik tertentu, jadi bagiannya mungkin mulai sedikit lebih awal.',
  /** Of a post with more files than a chat wants. */
  capped: (n, total) => `${n} dari ${total} ditampilkan; /download dengan nomor item menampilkan yang lain`,
  audioOnly: 'Audio saja',
  silent: 'Tanpa audio',
  coverOnly: 'Hanya sampul kiriman ini yang bisa diambil, bukan berkasnya.',
  authorOnly: 'Berkas kiriman ini tidak bisa diambil.',
  cover: 'Sampul',
  avatar: name => `Foto profil ${name}`,
};

export const progress: Messages['progress'] = {
  resolving: 'Sebentar…',
  fetching: 'Mengambil kiriman…',
  preparing: 'Menyiapkan berkas…',
};

export const requests: Messages['requests'] = {
  unsure: 'Saya tidak tahu pasti apakah jawaban saya sampai. Jika tidak terlihat, silakan minta lagi.',
  waiting: (links, wait) =>
    `Terlalu banyak sekaligus. ${links} tautan menunggu dan menyusul sendiri, yang pertama ${wait}.`,
  place: ahead =>
    `Permintaanmu ada dalam antrean; ${ahead} permintaan dari obrolan ini lebih dulu. Nanti dijawab sendiri.`,
};
