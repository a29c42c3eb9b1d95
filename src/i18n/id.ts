import type { Messages } from './en.ts';
import { idOsu, idOsuCommands } from './id-osu.ts';

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

/** Indonesian. */
export const id: Messages = {
  languageName: 'Bahasa Indonesia',
  sites: { instagram: 'Instagram', facebook: 'Facebook' },

  errors: {
    invalid_request: () => 'Saya belum bisa membaca pesan itu. Tempelkan tautan kiriman, atau ketik /help.',
    unsupported_link: p => {
      const kind = linkKinds.get(`${p.what}`);
      const supported = 'Saya bisa menampilkan kiriman, reel, video, dan foto dari Instagram dan Facebook';
      return kind ? `${supported}; tautan itu menuju ${kind}.` : `${supported}; tautan itu bukan salah satunya.`;
    },
    not_found: p =>
      p.what === 'item' ? 'Kiriman itu tidak punya butir tersebut.' : 'Kiriman itu tidak ada, atau sudah dihapus.',
    private: () => 'Kiriman itu privat, jadi hanya pengikutnya yang bisa melihatnya.',
    login_required: p => {
      if (p.what === 'story')
        return 'Cerita hanya ditampilkan kepada orang yang sudah masuk, jadi saya tidak bisa menampilkannya. Tautan kiriman dan reel bisa.';
      if (p.what === 'wall')
        return 'Kiriman itu publik, tetapi situsnya sedang meminta saya masuk. Tautanmu tidak bermasalah; silakan coba lagi nanti.';
      return 'Situsnya hanya menampilkan kiriman ini kepada orang yang sudah masuk.';
    },
    age_restricted: () =>
      'Kiriman itu dibatasi usia; situsnya menyembunyikannya dari pengunjung yang tidak punya akun.',
    region_blocked: () => 'Kiriman itu tidak tersedia di negara tempat bot ini berjalan.',
    upstream_rate_limited: (_, wait) =>
      `Situsnya meminta saya untuk melambat. Tautanmu tidak bermasalah; silakan coba lagi ${wait ?? 'dalam beberapa menit'}.`,
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
      return 'Saya tidak diizinkan membukanya. Kamu bisa mengirim tautan kiriman lain.';
    },
    internal: () => 'Ada yang tidak beres di pihak saya. Silakan coba lagi.',
  },

  wait: {
    seconds: n => `dalam ${n} detik`,
    minutes: n => `dalam ${n} menit`,
    hours: n => `dalam ${n} jam`,
  },

  hints: {
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
        ? 'Kiriman itu hanya berisi satu butir.'
        : `Kiriman itu berisi ${p.count} butir; pilih dari 1 sampai ${p.count}.`,
    noSound: () => 'Kiriman itu tidak punya audio.',
    sourceOff: p => `Tautan ${p.site} dimatikan di obrolan ini. Adminnya bisa mengubahnya dengan /settings.`,
    noPlayer: () => 'Sebutkan pemainnya, atau kaitkan pemainmu sekali dengan /osu link dan namamu di osu!.',
    notBeatmapLink: () =>
      'Tautan itu tidak menuju beatmap osu!. Bentuknya seperti ini: https://osu.ppy.sh/beatmapsets/…',
    notScoreLink: () => 'Tautan itu tidak menuju skor osu!. Bentuknya seperti ini: https://osu.ppy.sh/scores/…',
    expiredButton: () => 'Tombol itu sudah tidak berlaku. Silakan kirim perintahnya lagi.',
  },

  notices: {
    moreLinks: (taken, left) =>
      `Saya menangani ${taken} tautan per pesan, jadi ${left} tautan terlewat. Silakan kirim lagi.`,
    noLink:
      'Tempelkan tautan kiriman Instagram atau Facebook di sini, atau ketik /help untuk melihat apa yang bisa saya lakukan.',
  },

  requests: {
    unsure: 'Saya tidak tahu pasti apakah jawaban saya sampai. Jika tidak terlihat, silakan minta lagi.',
    waiting: (links, wait) =>
      `Terlalu banyak sekaligus. ${links} tautan menunggu dan menyusul sendiri, yang pertama ${wait}.`,
    place: ahead =>
      `Permintaanmu ada dalam antrean; ${ahead} permintaan dari obrolan ini lebih dulu. Nanti dijawab sendiri.`,
  },

  post: {
    likes: (_, shown) => `${shown} suka`,
    comments: (_, shown) => `${shown} komentar`,
    plays: (_, shown) => `${shown} kali diputar`,
    views: (_, shown) => `${shown} kali ditonton`,
    shares: (_, shown) => `${shown} kali dibagikan`,
    openOriginal: 'Buka kiriman asli',
    tooLargeHere: 'Video ini terlalu besar untuk obrolan ini.',
    playHere: 'Putar di sini',
    untitled: site => `Kiriman ${site}`,
    itemOf: (n, total) => `${n} dari ${total}`,
    missing: (n, total) => `${n} dari ${total} tidak dapat diambil`,
    itemMissing: (n, total) => `Butir ${n} dari ${total} tidak dapat diambil`,
    audioOnly: 'Audio saja',
    silent: 'Tanpa audio',
    coverOnly: 'Hanya sampul kiriman ini yang bisa diambil, bukan berkasnya.',
    authorOnly: 'Berkas kiriman ini tidak bisa diambil.',
    cover: 'Sampul',
  },

  progress: {
    resolving: 'Sebentar…',
    fetching: 'Mengambil kiriman…',
    preparing: 'Menyiapkan berkas…',
  },

  commands: {
    download: {
      description: 'Tampilkan video atau foto sebuah kiriman di sini',
      options: {
        link: { name: 'tautan', description: 'Tautan kiriman Instagram atau Facebook' },
        item: { name: 'butir', description: 'Hanya butir ke berapa, dihitung dari 1' },
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
        'chat-language': { name: 'bahasa-grup', description: 'Grup ini: bahasa untuk yang belum memilih' },
      },
      choices: { language: { auto: 'Otomatis' }, 'chat-language': { auto: 'Otomatis' } },
    },
    forget: {
      description: 'Hapus semua yang saya simpan tentang kamu',
      options: { what: { name: 'apa', description: 'Tulis “me” untuk memastikan' } },
      choices: { what: { me: 'Saya' } },
    },
    about: { description: 'Siapa saya, dan apa yang saya simpan', options: {}, choices: {} },
    ...idOsuCommands,
  },

  osu: idOsu,

  help: {
    links: 'Tautan',
    linksText:
      'Tempelkan tautan kiriman, reel, video, atau foto publik dari Instagram atau Facebook, dan saya tampilkan di sini, siap diputar. Boleh beberapa tautan dalam satu pesan; tautan di dalam <kurung sudut> saya biarkan.',
    commands: 'Perintah',
    moreText: 'Untuk tahu lebih banyak tentang satu perintah, tulis /help dan namanya.',
    usage: 'Cara pakai',
    optional: 'opsional',
    yesNo: 'ya atau tidak',
    range: (min, max) => `angka dari ${min} sampai ${max}`,
  },

  settings: {
    title: 'Pengaturanmu',
    language: 'Bahasa',
    automatic: 'Otomatis',
    automaticNow: name => `Otomatis (${name})`,
    saved: 'Tersimpan. Mulai sekarang saya menjawabmu seperti ini.',
    player: 'Pemain osu!',
    noPlayer: 'belum ada; kaitkan dengan /osu link',
    unlink: '/osu unlink menghapusnya',
    choose: 'Pilih bahasa:',
    forAdmins: 'Pengaturan untuk seluruh obrolan tampak bagi adminnya di sini.',
    chatTitle: 'Obrolan ini',
    chatLanguage: 'Bahasa di sini',
    switches: {
      links: 'Jawab tautan yang ditempel',
      'osu-links': 'Jawab tautan osu!',
      embeds: 'Sembunyikan pratinjau',
      captions: 'Keterangan kiriman',
    },
    siteSwitch: site => `Grup ini: jawab tautan ${site}`,
    on: 'aktif',
    off: 'mati',
    state: (name, state) => `${name}: ${state}`,
    mayTitle: 'Izin saya di sini',
    may: 'ya',
  },

  diagnosis: {
    sendMessages: {
      name: 'Menulis di sini',
      mend: 'Izinkan saya melihat obrolan ini dan menulis di sini, lewat pengaturan izinnya.',
    },
    attachFiles: {
      name: 'Mengirim foto dan video',
      mend: 'Izinkan saya mengirim foto, video, dan berkas di sini; sebelum itu saya hanya bisa mengirim tautan.',
    },
    readHistory: {
      name: 'Membalas pesan',
      mend: 'Beri saya izin Read Message History; sebelum itu jawaban saya bukan balasan.',
    },
    manageMessages: {
      name: 'Menyembunyikan pratinjau',
      mend: 'Beri saya izin Manage Messages; sebelum itu pratinjau tautan tetap tampil di samping jawaban saya.',
    },
    messageContent: {
      name: 'Melihat tautan yang ditempel',
      mend: 'Pengelola bot bisa menyalakan Message Content Intent. Sebelum itu sebut nama saya, atau pakai /download.',
    },
    privacyMode: {
      name: 'Melihat tautan yang ditempel',
      mend: 'Jadikan saya admin grup ini, atau minta mode privasi dimatikan di BotFather lalu tambahkan saya lagi. Sebelum itu pakai /download.',
    },
    useExternalApps: {
      name: 'Menjawab untuk semua orang',
      mend: 'Izinkan Use External Apps di sini, atau tambahkan saya ke server ini; sebelum itu hanya kamu yang melihat jawaban saya.',
    },
  },

  about: {
    what: 'Tempelkan tautan kiriman publik Instagram atau Facebook, dan kirimannya langsung diputar di sini. Tanyakan juga beatmap dan pemain osu! kepada saya.',
    privacyTitle: 'Privasi',
    privacy: {
      text: 'Yang kamu tulis tidak disimpan dan tidak dicatat.',
      settings:
        'Saya menyimpan pengaturan pilihanmu, pemain osu! yang kamu kaitkan, dan selama 28 hari beatmap yang saya sarankan kepadamu. Pengaturan grup dihapus 30 hari setelah saya dikeluarkan.',
      work: 'Tautan yang masih saya kerjakan disimpan sampai terkirim, paling lama seminggu; begitu juga isi tombol.',
      forget: '/forget me langsung menghapus semua yang saya simpan tentang kamu.',
    },
  },

  forget: {
    done: 'Selesai. Saya tidak lagi menyimpan apa pun tentang kamu.',
    confirm: 'Hapus semua tentang saya',
    explain:
      'Saya menyimpan pengaturan pilihanmu, pemain osu! yang kamu kaitkan, beatmap yang baru-baru ini saya sarankan, dan tautan yang masih saya kerjakan, selain itu tidak ada. Penghapusan tidak bisa dibatalkan; setelah itu saya tetap menjawabmu.',
  },

  discord: {
    getMedia: 'Ambil media',
    delete: 'Hapus',
    noFiles: 'Discord tidak mengizinkan saya mengirim berkas ini di sini.',
    uploadSlow: 'Pengiriman berkas ini ke Discord terlalu lama.',
  },

  telegram: {
    delete: 'Hapus',
    paste: 'Tempelkan tautan setelah nama saya',
    noFiles: 'Obrolan ini tidak mengizinkan saya mengirim foto atau video.',
    unconfirmed:
      'Telegram tidak memastikan apakah jawaban saya sampai. Kalau tidak terlihat, kirim tautannya sekali lagi.',
    startFirst:
      'Buka obrolan dengan saya dan tekan Mulai sekali; setelah itu saya bisa mengirim berkas ke obrolan mana pun.',
    slowDown: wait => `Telegram meminta saya untuk melambat. Silakan coba lagi ${wait}.`,
  },

  webExamples: { reel: 'Reel Instagram', carousel: 'Kiriman dengan beberapa foto', facebook: 'Video Facebook' },

  web: {
    title: 'Medley',
    tagline: 'Tempel tautan, dapat videonya.',
    placeholder: 'Tempelkan tautan, atau ketik / untuk perintah',
    placeholderShort: 'Tempel tautan',
    inputLabel: 'Pesan untuk Medley',
    send: 'Kirim',
    you: 'Kamu',
    bot: 'Medley',
    log: 'Percakapan',
    connecting: 'Menyambungkan…',
    connected: 'Tersambung',
    reconnecting: 'Sambungan terputus. Menyambungkan lagi…',
    offline: 'Kamu sedang luring. Pesanmu dikirim begitu kamu daring lagi.',
    working: 'Sedang dikerjakan…',
    waiting: 'Menunggu dikirim…',
    cancel: 'Batalkan',
    cancelled: 'Dibatalkan.',
    retry: 'Coba lagi',
    failed: 'Pesan itu tidak terkirim.',
    mediaFailed: 'Berkas ini tidak bisa dimuat. Kamu bisa membuka kiriman aslinya.',
    mediaExpired: 'Berkas ini sudah lama dimuat dan alamatnya tidak berlaku lagi.',
    bringAgain: 'Muat lagi',
    download: 'Unduh',
    downloadItem: 'Unduh {n} dari {total}',
    openPhoto: 'Buka foto',
    previous: 'Sebelumnya',
    next: 'Berikutnya',
    close: 'Tutup',
    itemOf: '{n} dari {total}',
    play: 'Putar',
    pause: 'Jeda',
    soundFailed: 'Audio ini tidak bisa dimuat. Tekan untuk mencoba lagi.',
    photo: 'Foto',
    video: 'Video',
    audio: 'Audio',
    gallery: 'Foto dan video kiriman ini',
    spoiler: 'Disembunyikan. Tekan untuk melihat.',
    showMore: 'Tampilkan selengkapnya',
    showLess: 'Ciutkan',
    emptyText: 'Tempelkan tautan kiriman publik Instagram atau Facebook, dan videonya langsung diputar di sini.',
    emptyExamples: 'Misalnya',
    exampleHelp: 'Semua yang bisa saya lakukan',
    suggestions: 'Saran',
    theme: 'Tema',
    themeSystem: 'Sistem',
    themeLight: 'Terang',
    themeDark: 'Gelap',
    language: 'Bahasa',
    menu: 'Menu',
    clear: 'Bersihkan percakapan ini',
    clearConfirm: 'Bersihkan semua yang tampil di sini?',
    cleared: 'Percakapan sudah dibersihkan.',
    newReplies: 'Balasan baru',
    scrollDown: 'Ke yang terbaru',
    skipToInput: 'Langsung ke kotak pesan',
    tooLong: 'Panjang pesan paling banyak {n} karakter.',
    api: 'API',
    privacy: 'Yang kamu kirim tidak disimpan.',
  },

  pictures: {
    unranked: 'belum berperingkat',
    pp: 'pp',
    accuracy: 'akurasi',
    plays: 'permainan',
    playTime: 'waktu main',
    hours: n => `${n} jam`,
    level: 'level',
    noHistory: 'Tidak ada peringkat beberapa hari terakhir.',
    lastDays: n => `peringkat ${n} hari terakhir`,
    today: 'hari ini',
    hardest: at => `tersulit di ${at}`,
    topPlays: (name, n) => `${name}: ${n} permainan terbaik`,
    worth: pp => `${pp} pp`,
    gain: pp => `+${pp} total`,
    profileAlt: (name, rank, pp) =>
      `Profil ${[name, rank, pp].filter(part => part !== '').join(', ')}, dengan peringkat beberapa hari terakhir`,
    curveAlt: (name, n, top, last) => `${n} permainan terbaik ${name}, dari ${top} sampai ${last}`,
    strainsAlt: (map, at) => `Tingkat kesulitan ${map} sepanjang lagu; tersulit di ${at}`,
    skills: new Map(
      Object.entries({
        aim: 'bidikan',
        speed: 'kecepatan',
        flashlight: 'senter',
        color: 'warna',
        rhythm: 'ritme',
        stamina: 'stamina',
        reading: 'membaca',
        movement: 'gerakan',
        strains: 'beban',
      }),
    ),
  },
};
