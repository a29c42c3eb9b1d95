import type { Messages } from '../messages.ts';

export const linking: Messages['linking'] = {
  offer:
    'Masuklah di osu! untuk menunjukkan pemain mana kamu. Tombolnya berlaku sekali, selama sepuluh menit, dan hanya untukmu.',
  byName: 'Atau sebutkan pemainmu, tanpa tanda: /osu link dan namamu di osu!.',
  button: 'Masuk di osu!',
  inPrivate: 'Orang lain akan melihat tautanmu di sini. Kirim /osu link di chat pribadi, atau sebutkan pemainmu.',
  proven: 'dikaitkan dengan masuk di osu!',

  platforms: new Map(Object.entries({ discord: 'Discord', telegram: 'Telegram', web: 'chat web' })),
  askTitle: 'Kaitkan pemain osu! kamu?',
  ask: platform => `Kamu akan masuk di osu!, supaya pemainmu dikaitkan dengan orang di ${platform} yang memintanya.`,
  askWarning:
    'Lanjutkan hanya jika kamu sendiri yang memintanya di chat. Jika alamat ini dikirim orang lain, tutup halaman ini.',
  go: 'Lanjut ke osu!',
  doneTitle: 'Sudah dikaitkan',
  done: (player, platform) =>
    `Sekarang kamu ${player} di ${platform}. Kamu boleh kembali ke chat dan menutup halaman ini; /osu unlink membatalkannya.`,
  failedTitle: 'Tidak dikaitkan',
  denied:
    'Kamu tidak mengizinkannya di osu!, jadi tidak ada yang dikaitkan. Kamu boleh kembali ke chat dan menutup halaman ini.',
  refused: 'osu! tidak lagi menerima jawaban ini. Kembalilah ke chat dan kirim /osu link lagi.',
};
