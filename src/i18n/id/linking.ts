import type { Messages } from '../messages.ts';

export const linking: Messages['linking'] = {
  offer:
    'Masuk ke osu! untuk menunjukkan siapa pemainmu. Tombolnya berlaku sekali, selama sepuluh menit, dan hanya untukmu.',
  byName: 'Atau sebutkan pemainmu, tanpa tanda: /osu link dan namamu di osu!.',
  button: 'Masuk ke osu!',
  inPrivate: 'Orang lain akan melihat tautanmu di sini. Kirim /osu link di obrolan pribadi, atau sebutkan pemainmu.',
  proven: 'dikaitkan dengan masuk ke osu!',

  platforms: new Map(Object.entries({ discord: 'Discord', telegram: 'Telegram', web: 'obrolan web' })),
  askTitle: 'Kaitkan pemain osu! kamu?',
  ask: platform => `Kamu akan masuk ke osu!, supaya pemainmu dikaitkan dengan orang di ${platform} yang memintanya.`,
  askWarning:
    'Lanjutkan hanya jika kamu sendiri yang memintanya di obrolan. Jika alamat ini dikirim orang lain, tutup halaman ini.',
  go: 'Lanjut ke osu!',
  doneTitle: 'Sudah dikaitkan',
  done: (player, platform) =>
    `Sekarang kamu ${player} di ${platform}. Kamu boleh kembali ke obrolan dan menutup halaman ini; /osu unlink membatalkannya.`,
  failedTitle: 'Tidak dikaitkan',
  denied:
    'Kamu tidak mengizinkannya di osu!, jadi tidak ada yang dikaitkan. Kamu boleh kembali ke obrolan dan menutup halaman ini.',
  refused: 'osu! tidak lagi menerima jawaban ini. Kembali ke obrolan dan kirim /osu link lagi.',
};
