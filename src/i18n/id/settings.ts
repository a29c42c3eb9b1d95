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
  choose: 'Pilih bahasa:',
  forAdmins: 'Pengaturan untuk seluruh obrolan tampak bagi adminnya di sini.',
  chatTitle: 'Obrolan ini',
  shortForms: 'Bentuk pendek perintah osu!',
  noShortForms: 'mati; /settings prefix:! menyalakannya',
  shortFormsBy: prefix =>
    `${['rs', 'c', 'map', 'lb', 'sim', 'top'].map(name => prefix + name).join(' ')} …, di mana pun saya bisa melihat pesan`,
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
