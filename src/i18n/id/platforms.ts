import type { Messages } from '../messages.ts';

export const discord: Messages['discord'] = {
  getMedia: 'Ambil media',
  delete: 'Hapus',
  back: '← Kembali',
  photo: 'Foto',
  video: 'Video',
  noFiles: 'Discord tidak mengizinkan saya mengirim berkas ini di sini.',
  uploadSlow: 'Pengiriman berkas ini ke Discord terlalu lama.',
};

export const telegram: Messages['telegram'] = {
  delete: 'Hapus',
  paste: 'Tempelkan tautan setelah nama saya',
  photos: n => `${n} foto`,
  videos: n => `${n} video`,
  audios: n => `${n} audio`,
  audio: 'Audio saja',
  noFiles: 'Obrolan ini tidak mengizinkan saya mengirim foto atau video.',
  topicClosed:
    'Saya tidak bisa menjawab: topik itu ditutup. Buka lagi topiknya, atau jadikan saya admin yang boleh mengelola topik.',
  unconfirmed:
    'Telegram tidak memberi tahu apakah jawaban saya sampai. Kalau tidak terlihat, silakan kirim tautannya lagi.',
  startFirst:
    'Buka obrolan dengan saya dan tekan Mulai sekali; setelah itu saya bisa mengirim berkas ke obrolan mana pun.',
  slowDown: wait => `Telegram meminta saya lebih pelan. Silakan coba lagi ${wait}.`,
};
