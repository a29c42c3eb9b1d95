import type { Messages } from '../messages.ts';

const linkKinds: ReadonlyMap<string, string> = new Map(
  Object.entries({
    profile: 'profil',
    page: 'halaman',
    group: 'grup',
    tag: 'tagar',
    audio: 'halaman audio',
    place: 'lokasi',
    event: 'acara',
    watch_party: 'acara nonton bareng',
    live: 'siaran langsung',
    ad: 'iklan',
    album: 'seluruh album',
    story: 'cerita',
    highlight: 'sorotan cerita',
    marketplace: 'barang di Marketplace',
    search: 'hasil pencarian',
  }),
);

export const errors: Messages['errors'] = {
  invalid_request: () => 'Saya tidak mengerti pesan itu. Tempelkan tautan kiriman, atau ketik /help.',
  unsupported_link: p => {
    const kind = linkKinds.get(`${p.what}`);
    const supported = 'Saya bisa menampilkan kiriman, reel, video, dan foto dari Instagram dan Facebook';
    return kind ? `${supported}; tautan itu menuju ${kind}.` : `${supported}; tautan itu bukan salah satunya.`;
  },
  not_found: p =>
    p.what === 'item' ? 'Kiriman itu tidak punya item itu.' : 'Kiriman itu tidak ada, atau sudah dihapus.',
  private: () => 'Kiriman itu privat, jadi hanya pengikutnya yang bisa melihatnya.',
  login_required: p => {
    if (p.what === 'story')
      return 'Cerita hanya ditampilkan kepada orang yang sudah login, jadi saya tidak bisa menampilkannya. Tautan kiriman dan reel bisa.';
    if (p.what === 'wall')
      return 'Kiriman itu publik, tetapi situsnya sedang meminta saya login. Tautanmu tidak bermasalah; silakan coba lagi nanti.';
    return 'Situsnya hanya menampilkan kiriman ini kepada orang yang sudah login.';
  },
  age_restricted: () => 'Kiriman itu dibatasi usia; situsnya menyembunyikannya dari pengunjung yang tidak punya akun.',
  region_blocked: () => 'Kiriman itu tidak tersedia di negara tempat bot ini berjalan.',
  upstream_rate_limited: (p, wait) =>
    p.what === 'silent'
      ? `${p.site ?? 'Situsnya'} sedang tidak menjawab saya. Tautanmu tidak bermasalah; saya akan bertanya lagi ${wait ?? 'sebentar lagi'}.`
      : `Situsnya meminta saya lebih pelan. Tautanmu tidak bermasalah; silakan coba lagi ${wait ?? 'dalam beberapa menit'}.`,
  upstream_unavailable: (p, wait) =>
    p.what === 'offline'
      ? `Saya tidak bisa menjangkau situsnya karena server ini tampaknya tidak punya sambungan internet. Tautanmu tidak bermasalah; silakan coba lagi ${wait ?? 'dalam beberapa menit'}.`
      : `Situsnya sedang tidak menjawab. Tautanmu tidak bermasalah; silakan coba lagi ${wait ?? 'dalam satu menit'}.`,
  upstream_changed: () =>
    'Situsnya berubah, jadi saya belum bisa membaca kiriman ini. Tautanmu tidak bermasalah; pengelola bot bisa melihat penyebabnya.',
  too_large: () => 'Berkas itu terlalu besar untuk saya kirim. Kamu masih bisa membuka kiriman aslinya.',
  timeout: () => 'Situsnya terlalu lama menjawab. Silakan coba lagi dalam satu menit.',
  rate_limited: (p, wait) =>
    p.reason === 'busy'
      ? `Sedang banyak permintaan. Silakan coba lagi ${wait ?? 'sebentar lagi'}.`
      : `Terlalu banyak permintaan. Silakan coba lagi ${wait ?? 'sebentar lagi'}.`,
  credentials_required: () => 'Fitur ini memerlukan kunci yang belum dipasang oleh pengelola bot.',
  forbidden: p => {
    if (p.what === 'button') return 'Tombol itu milik orang lain. Kamu bisa mengirim perintahnya sendiri.';
    if (p.what === 'chat_settings') {
      return 'Hanya admin obrolan ini yang bisa mengubahnya. Bahasamu sendiri tetap bisa kamu atur.';
    }
    if (p.what === 'caller') return 'Pengelola saya meminta saya untuk tidak menjawab di sini.';
    return 'Saya tidak diizinkan membukanya. Kamu bisa mengirim tautan kiriman lain.';
  },
  internal: () => 'Ada yang tidak beres di pihak saya. Silakan coba lagi.',
};

export const wait: Messages['wait'] = {
  seconds: n => `dalam ${n} detik`,
  minutes: n => `dalam ${n} menit`,
  hours: n => `dalam ${n} jam`,
};

export const hints: Messages['hints'] = {
  unknownCommand: p => `Saya tidak mengenal /${p.name}. Perintah yang ada: ${p.allowed}.`,
  unknownOption: p => `/${p.command} tidak punya pilihan “${p.name}”. Yang tersedia: ${p.allowed}.`,
  noOptions: p => `/${p.command} tidak punya pilihan.`,
  missingOption: p => `/${p.command} masih memerlukan: ${p.option}. Cara pakai: ${p.usage}`,
  repeatedOption: p => `“${p.option}” ditulis dua kali; sekali saja cukup.`,
  notInteger: p => `“${p.option}” harus bilangan bulat dari ${p.min} sampai ${p.max}.`,
  notBoolean: p => `“${p.option}” harus ya atau tidak.`,
  notChoice: p => `“${p.option}” harus salah satu dari: ${p.allowed}.`,
  notLink: () =>
    'Itu tidak terlihat seperti tautan. Tempelkan tautan kiriman, misalnya https://www.instagram.com/reel/…',
  notText: p => `“${p.option}” harus berupa teks.`,
  notRange: p => `“${p.option}” harus berupa angka, atau rentang seperti 5-6, 5- atau -6.`,
  tooLong: p => `Panjang “${p.option}” paling banyak ${p.max} karakter.`,
  itemRange: p =>
    p.count === 1
      ? 'Kiriman itu hanya berisi satu item.'
      : `Kiriman itu berisi ${p.count} item; pilih dari 1 sampai ${p.count}.`,
  notPrivate: () => 'Di sini saya tidak bisa menjawabmu sendiri. Kirim tautannya di obrolan pribadi dengan saya.',
  clipForm: () => 'Tulis klip dengan awal dan akhirnya, misalnya clip:0:05-0:20.',
  clipOrder: () => 'Akhir klip harus sesudah awalnya, misalnya clip:0:05-0:20.',
  clipLong: p => `Klip paling lama ${p.minutes} menit.`,
  clipBeyond: p => `Klip itu berakhir setelah videonya selesai; panjang videonya ${p.length}.`,
  clipNoVideo: () => 'Tidak ada video di sini yang bisa dijadikan klip.',
  clipWhich: () => 'Kiriman ini punya beberapa video; pilih satu untuk klip dengan nomornya, misalnya item:2.',
  noSound: () => 'Kiriman itu tidak punya audio.',
  sourceOff: p => `Tautan ${p.site} dimatikan di obrolan ini. Adminnya bisa mengubahnya dengan /settings.`,
  endedLink: () => 'Tautan ini sudah berakhir atau tidak lengkap. Kirim /osu link di obrolan untuk mendapat yang baru.',
  noName: () => 'Pemain mana kamu? Kirim /osu link dan namamu di osu!.',
  noPlayer: () => 'Sebutkan pemainnya, atau kaitkan pemainmu sekali dengan /osu link dan namamu di osu!.',
  notBeatmapLink: () => 'Tautan itu tidak menuju beatmap osu!. Bentuknya seperti ini: https://osu.ppy.sh/beatmapsets/…',
  notScoreLink: () => 'Tautan itu tidak menuju skor osu!. Bentuknya seperti ini: https://osu.ppy.sh/scores/…',
  noMap: () => 'Belum ada map yang tampil di obrolan ini. Sebutkan dengan tautan, nomor, atau kata judulnya.',
  noDifficulty: () => 'Beatmap itu tidak punya tingkat kesulitan yang bisa saya tampilkan.',
  notNumber: p => `“${p.option}” harus angka dari ${p.min} sampai ${p.max}.`,
  noTarget: () =>
    'Sebutkan total yang ingin dicapai, seperti /osu target 5000, atau peringkatnya, seperti /osu target rank:10000.',
  oneTarget: () => 'Berikan total atau peringkat yang ingin dicapai, jangan keduanya.',
  withheldPost: () => 'Kiriman itu tidak ditampilkan di sini: pembuatnya atau pengelola bot ini tidak menghendakinya.',
  notBlockId: p => `Untuk ${p.kind}, tulis situs dan ID-nya, seperti telegram:10042 atau instagram:25025320.`,
  manyChannels: p =>
    `${p.n} kanal sudah punya aturan itu, dan saya tidak bisa menyimpan lebih banyak. Ubah salah satunya dulu, atau pilih “aturan sama untuk semua kanal”.`,
  expiredButton: () => 'Tombol itu sudah tidak berlaku. Silakan kirim perintahnya lagi.',
};
