import type { Messages } from '../messages.ts';

export const settings: Messages['settings'] = {
  title: 'Pengaturanmu',
  language: 'Bahasa',
  automatic: 'Otomatis',
  automaticNow: name => `Otomatis (${name})`,
  saved: 'Tersimpan. Mulai sekarang saya menjawabmu seperti ini.',
  player: 'Pemain osu!',
  noPlayer: 'belum ada; kaitkan dengan /osu link',
  unlink: '/osu unlink menghapusnya',
  forAdmins: 'Pengaturan untuk seluruh obrolan tampak bagi adminnya di sini.',
  chatTitle: 'Obrolan ini',
  shortForms: 'Bentuk pendek',
  shortFormsBy: prefix =>
    `${['rs', 'c', 'map', 'lb', 'sim', 'top'].map(name => prefix + name).join(' ')} …, di mana pun saya bisa melihat pesan`,
  chatLanguage: 'Bahasa di sini',
  sections: { links: 'Tautan', answers: 'Jawaban', notices: 'Kegagalan' },
  explained: {
    links: 'Tautan dan bentuk pendek mana yang saya jawab. Perintah dan sebutan nama saya berlaku di mana saja.',
    answers: 'Tampilan jawaban saya di obrolan ini.',
    notices: 'Yang saya katakan bila tautan yang ditempel tidak bisa dijawab. Perintah selalu dijawab.',
  },
  back: 'Kembali',
  rows: {
    links: 'Jawab tautan yang ditempel',
    'osu-links': 'Jawab tautan osu!',
    quotes: 'Jawab kutipan dan terusan',
    channel: 'Kanal ini',
    view: 'Kiriman',
    files: 'Berkas per kiriman',
    captions: 'Keterangan kiriman',
    silent: 'Tanpa notifikasi',
    embeds: 'Sembunyikan pratinjau',
    'delete-links': 'Hapus tautan yang dijawab',
    'quiet-errors': 'Diam saja',
    notices: 'Pemberitahuan hilang',
  },
  views: { card: 'kata dan berkas', media: 'berkas saja', text: 'kata saja' },
  channelRules: {
    on: 'seperti di mana-mana',
    off: 'tautan yang ditempel dibiarkan',
    only: 'tautan hanya di sini',
    everywhere: 'aturan sama untuk semua kanal',
  },
  ruledChannels: n => `${n} kanal punya aturan`,
  files: n => (n === 0 ? 'semua' : n === 1 ? 'yang pertama' : `${n} yang pertama`),
  seconds: n => {
    if (n === 0) return 'tidak pernah';
    if (n % 3_600 === 0) return `setelah ${n / 3_600} jam`;
    if (n % 60 === 0) return `setelah ${n / 60} menit`;
    return `setelah ${n} detik`;
  },
  siteSwitch: site => `Grup ini: jawab tautan ${site}`,
  on: 'aktif',
  off: 'mati',
  state: (name, state) => `${name}: ${state}`,
  mayTitle: 'Izin saya di sini',
  may: 'ya',
};

export const diagnosis: Messages['diagnosis'] = {
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
  deleteMessages: {
    name: 'Menghapus tautan yang dijawab',
    mend: 'Izinkan saya menghapus pesan, lewat hak saya sebagai admin; sebelum itu tautan tetap tampil di samping jawaban saya.',
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
};
