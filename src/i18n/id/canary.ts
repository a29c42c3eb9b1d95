import type { Messages } from '../messages.ts';

export const canary: Messages['canary'] = {
  broken: (site, strategy, since, cause) =>
    `${site}: ${strategy} tadinya berfungsi dan sekarang tidak lagi, sejak ${since}. Jawaban terakhir: ${cause}. Kiriman tetap datang lewat cara lain, bila ada.`,
  back: (site, strategy, since) => `${site}: ${strategy} berfungsi lagi. Tadinya rusak sejak ${since}.`,
  accountPaused: (site, account, until) =>
    `${site} meminta akun ${account} membuktikan bahwa penggunanya manusia. Akun ini dibiarkan sampai ${until}. Masuklah dengannya di peramban, ikuti permintaan situs, lalu ekspor lagi cookie-nya.`,
};
