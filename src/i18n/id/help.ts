import type { Messages } from '../messages.ts';

export const help: Messages['help'] = {
  linksText:
    'Tempelkan tautan kiriman, reel, video, atau foto publik dari Instagram atau Facebook, dan saya tampilkan di sini, siap diputar. Kalau saya tidak bisa melihat tautannya, tulis /download lalu tautannya.',
  linksMore: 'Boleh beberapa tautan dalam satu pesan. Tautan di dalam <kurung sudut> saya biarkan.',
  chooseSection: 'Mau tahu tentang apa lagi?',
  chooseCommand: 'Pilih perintah',
  sections: { links: 'Tautan', beatmap: 'Beatmap', osu: 'Pemain', more: 'Pengaturan dan lainnya' },
  back: 'Kembali',
  usage: 'Cara pakai',
  optional: 'opsional',
  yesNo: 'ya atau tidak',
  range: (min, max) => `angka dari ${min} sampai ${max}`,
};

export const start: Messages['start'] = {
  links: 'Kirim tautan kiriman publik Instagram atau Facebook, dan videonya langsung diputar di sini.',
  osu: 'Tanyakan juga beatmap dan pemain osu!: /beatmap search mencari beatmap, /osu profile mencari pemain.',
  more: 'Di grup juga bisa. Selengkapnya ada di /help.',
  addToGroup: 'Tambah ke grup',
  tryIt: 'Coba',
  language: 'Bahasa',
  seesHere:
    'Terima kasih sudah menambahkan saya! Tempelkan tautan kiriman publik Instagram atau Facebook, dan saya tampilkan di sini. Admin bisa mengaturnya lewat /settings.',
  blindHere:
    'Terima kasih sudah menambahkan saya! Saya belum bisa melihat tautan yang ditempel di sini. Jadikan saya admin grup ini (tidak perlu izin khusus), atau tulis /download lalu tautannya.',
};

export const about: Messages['about'] = {
  what: 'Tempelkan tautan kiriman publik Instagram atau Facebook, dan kirimannya langsung diputar di sini. Tanyakan juga beatmap dan pemain osu! kepada saya.',
  privacyTitle: 'Privasi',
  privacy: {
    text: 'Yang kamu tulis tidak disimpan dan tidak dicatat.',
    settings:
      'Saya menyimpan pengaturan pilihanmu, pemain osu! yang kamu kaitkan, dan selama 28 hari beatmap yang saya sarankan kepadamu. Pengaturan grup dihapus 30 hari setelah saya dikeluarkan. Tentang sebuah obrolan, saya mengingat beatmap osu! yang terakhir tampil selama 30 hari; tentang grup juga pemain yang dipantau adminnya, dan anggota dengan pemain terkait yang memakai perintah osu! di sana, selama 90 hari.',
    work: 'Tautan yang masih saya kerjakan disimpan sampai terkirim, paling lama seminggu; begitu juga isi tombol.',
    forget:
      'Dengan /privacy, tautan yang kamu tempel saya abaikan. /forget langsung menghapus semua hal lain yang saya simpan tentang kamu.',
  },
};

export const forget: Messages['forget'] = {
  done: 'Selesai. Saya tidak lagi menyimpan apa pun tentang kamu, selain pilihanmu di /privacy.',
  confirm: 'Hapus semua tentang saya',
  explain:
    'Saya menyimpan pengaturan pilihanmu, pemain osu! yang kamu kaitkan, beatmap yang baru-baru ini saya sarankan, beatmap yang terakhir kamu lihat, grup tempat kamu memakai perintah osu! dengan pemain terkait, dan tautan yang masih saya kerjakan; tidak lebih dari itu. Penghapusan tidak bisa dibatalkan. Setelah itu saya tetap menjawabmu, dan pilihan agar tautanmu diabaikan tetap berlaku; /privacy mengubahnya.',
};

export const privacy: Messages['privacy'] = {
  answered: 'Tautan yang kamu tempel saya jawab.',
  ignored:
    'Tautan yang kamu tempel saya abaikan. Yang kamu minta lewat perintah, atau dengan menyebut saya di grup, tetap saya jawab.',
  explain:
    'Agar tautanmu diabaikan, saya menyimpan bentuk acak dari ID-mu yang tidak bisa dibaca kembali, dan hanya itu; /forget tidak menghapusnya.',
  ignore: 'Abaikan tautan saya',
  answer: 'Jawab lagi tautan saya',
};
