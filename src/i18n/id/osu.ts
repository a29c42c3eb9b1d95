import type { HintParams, Messages } from '../messages.ts';

function modsSentence({ reason, mods }: HintParams): string {
  if (reason === 'clash') return `Mod ${mods} tidak bisa dipakai bersamaan.`;
  if (reason === 'ruleset') return `Mod ${mods} tidak ada di mode ini.`;
  return `Saya tidak mengenal mod “${mods ?? ''}”. Tuliskan seperti ini: +HDDT`;
}

function refusedSentence({ key }: HintParams): string {
  return `Saya tidak bisa mencari dengan “${key ?? ''}”. Dengan tanda minus, hanya artist, title, creator, source, difficulty, dan tag yang bisa dikecualikan.`;
}

function offline(wait = 'dalam beberapa menit'): string {
  return `Saya tidak bisa menjangkau osu! karena server ini tampaknya tidak punya sambungan internet. Silakan coba lagi ${wait}.`;
}

export const osu: Messages['osu'] = {
  errors: {
    beatmap: {
      invalid_request: p =>
        p.what === 'q' && p.key !== undefined
          ? refusedSentence(p)
          : p.what === 'q'
            ? `Pencarian paling banyak ${p.max ?? 500} karakter.`
            : p.what === 'cursor'
              ? 'Halaman itu sudah tidak ada. Silakan cari lagi.'
              : p.what === 'mods'
                ? modsSentence(p)
                : p.what === 'counts'
                  ? 'Hasil itu tidak cocok dengan map ini. Di osu!catch dan untuk map konversi, berikan akurasi dan jumlah miss saja.'
                  : 'Saya tidak mengerti. Sebutkan beatmap dengan tautan, nomor, atau beberapa kata dari namanya.',
      not_found: p =>
        p.what === 'words'
          ? 'Saya tidak menemukan beatmap dengan kata-kata itu. Coba dengan kata yang lebih sedikit.'
          : 'Beatmap itu tidak ada, atau sudah dihapus.',
      upstream_rate_limited: (_, wait) =>
        `Situs beatmap meminta saya lebih pelan. Silakan coba lagi ${wait ?? 'dalam beberapa menit'}.`,
      upstream_unavailable: (p, wait) =>
        p.what === 'offline'
          ? offline(wait)
          : `Situs beatmap sedang tidak menjawab. Silakan coba lagi ${wait ?? 'dalam satu menit'}.`,
      upstream_changed: () =>
        'Jawaban situs beatmap belum bisa saya baca. Silakan coba lagi nanti; pengelola bot bisa melihat penyebabnya.',
      timeout: () => 'Situs beatmap terlalu lama menjawab. Silakan coba lagi dalam satu menit.',
      credentials_required: () =>
        'Ini hanya diketahui osu! sendiri, dan pengelola bot belum memberi saya kuncinya. Mencari dan mengunduh beatmap bisa tanpa kunci.',
      forbidden: p =>
        p.what === 'button'
          ? 'Tombol itu milik orang lain. Kamu bisa mengirim perintahnya sendiri.'
          : 'osu! tidak mengizinkan saya melihatnya.',
    },
    player: {
      invalid_request: p =>
        p.what === 'cursor'
          ? 'Halaman itu sudah tidak ada. Silakan kirim perintahnya lagi.'
          : p.what === 'mods'
            ? modsSentence(p)
            : p.what === 'q'
              ? refusedSentence(p)
              : p.what === 'like'
                ? 'Berikan tautan atau nomor beatmap contohnya.'
                : 'Saya tidak mengerti. Sebutkan pemain dengan nama, nomor, atau tautan profilnya.',
      not_found: p =>
        p.what === 'beatmap'
          ? 'Beatmap itu tidak ada, atau sudah dihapus.'
          : p.what === 'score'
            ? 'Skor itu tidak ada, atau tidak lagi disimpan osu!.'
            : 'Pemain itu tidak ada, atau sedang dibatasi.',
      upstream_rate_limited: (_, wait) =>
        `Situs osu! meminta saya lebih pelan. Silakan coba lagi ${wait ?? 'dalam beberapa menit'}.`,
      upstream_unavailable: (p, wait) =>
        p.what === 'offline'
          ? offline(wait)
          : `Situs osu! sedang tidak menjawab. Silakan coba lagi ${wait ?? 'dalam satu menit'}.`,
      upstream_changed: () =>
        'Jawaban osu! belum bisa saya baca. Silakan coba lagi nanti; pengelola bot bisa melihat penyebabnya.',
      timeout: () => 'Situs osu! terlalu lama menjawab. Silakan coba lagi dalam satu menit.',
      credentials_required: p =>
        p.what === 'score'
          ? 'Skor hanya diketahui osu! sendiri, dan pengelola bot belum memberi saya kuncinya. Mencari dan mengunduh beatmap bisa tanpa kunci.'
          : 'Pemain hanya diketahui osu! sendiri, dan pengelola bot belum memberi saya kuncinya. Mencari dan mengunduh beatmap bisa tanpa kunci.',
      forbidden: p =>
        p.what === 'button'
          ? 'Tombol itu milik orang lain. Kamu bisa mengirim perintahnya sendiri.'
          : p.what === 'tracking'
            ? 'Hanya admin obrolan ini yang bisa mengubah siapa yang saya pantau untuknya.'
            : 'Situs osu! tidak mengizinkan saya melihat pemain itu.',
    },
  },

  search: {
    title: query => `Beatmap untuk “${query}”`,
    none: query =>
      `Saya tidak menemukan beatmap untuk “${query}”. Coba dengan kata yang lebih sedikit, atau status “apa pun”.`,
  },
  sets: (_, shown) => `${shown} beatmap`,
  setsAtLeast: (_, shown) => `setidaknya ${shown} beatmap`,
  page: n => `halaman ${n}`,
  back: 'Kembali',
  more: 'Lainnya',
  open: 'Buka beatmap…',
  openDifficulty: 'Buka tingkat kesulitan…',
  /** Followed by the mappers of a difficulty. */
  by: 'oleh',
  openOne: 'Buka',
  mappedBy: name => `dibuat oleh ${name}`,
  difficultiesTitle: 'Tingkat kesulitan',
  otherDifficulties: 'Tingkat kesulitan lain',
  moreDifficulties: n => `dan ${n} lagi`,
  plays: (_, shown) => `${shown} kali dimainkan`,
  favourites: (_, shown) => `${shown} favorit`,
  combo: shown => `${shown}x`,
  objects: shown => `${shown} objek`,
  explicit: 'eksplisit',
  spotlight: 'spotlight',
  preview: 'Cuplikan',
  openAtOsu: 'Buka di osu!',
  download: 'Unduh',
  downloadLight: 'Tanpa video',
  downloadHint: 'Unduh dari:',
  unavailable: 'Unduhan beatmap ini sudah ditarik oleh osu!.',
  unavailableBecause: reason => `Unduhan beatmap ini sudah ditarik oleh osu!: ${reason}`,
  withVideo: 'dengan video',
  withoutVideo: 'tanpa video',
  modes: { osu: 'osu!', taiko: 'osu!taiko', fruits: 'osu!catch', mania: 'osu!mania' },
  statuses: {
    graveyard: 'terbengkalai',
    wip: 'sedang dikerjakan',
    pending: 'menunggu',
    ranked: 'ranked',
    approved: 'disetujui',
    qualified: 'lolos kualifikasi',
    loved: 'loved',
  },
  fields: {
    mapper: 'Mapper',
    status: 'Status',
    ranked: 'Ranked sejak',
    updated: 'Diperbarui',
    length: 'Durasi',
    bpm: 'BPM',
    favourites: 'Favorit',
    plays: 'Dimainkan',
    source: 'Sumber',
  },
  yours: name => `${name} (kamu)`,
  played: (_, shown) => `dimainkan ${shown} kali`,
  linked: name => `${name} sudah dikaitkan. Sekarang /osu profile tidak perlu nama.`,
  linkedIn: (name, mode) => `${name} sudah dikaitkan di ${mode}. Sekarang /osu profile tidak perlu nama.`,
  unlinked: name => `Kaitan dengan ${name} sudah dilepas.`,
  notLinked: 'Belum ada pemain yang kamu kaitkan.',
  noMaps: 'Tidak ada beatmap di daftar ini.',
  withMods: mods => `Dengan +${mods}.`,
  estimate: {
    pp: shown => `${shown} pp`,
    about: shown => `sekitar ${shown}`,
    by: date => `bintang dan pp adalah perkiraan menurut aturan ${date}`,
    ppBy: date => `pp adalah perkiraan menurut aturan ${date}, pada skala sekarang`,
    byOtherFile: date => `perkiraan dari versi lain map ini, menurut aturan ${date}`,
    byFigures: 'bintang dengan mod adalah perkiraan dari data map',
  },
  mapTypes: {
    ranked: 'beatmap ranked',
    loved: 'beatmap loved',
    pending: 'beatmap yang menunggu',
    graveyard: 'beatmap terbengkalai',
    guest: 'tingkat kesulitan tamu',
    nominated: 'beatmap yang dinominasikan',
    favourite: 'beatmap favorit',
    most_played: 'beatmap yang paling sering dimainkan',
  },
  profile: {
    supporter: 'supporter',
    joined: 'bergabung',
    online: 'sedang online',
    seen: 'terakhir terlihat',
    rank: 'Peringkat',
    unranked: 'belum berperingkat',
    pp: 'pp',
    accuracy: 'Akurasi',
    level: 'Level',
    plays: 'Dimainkan',
    time: 'Waktu bermain',
    hours: (_, shown) => `${shown} jam`,
    combo: 'Kombo terpanjang',
    score: 'Skor ranked',
    grades: 'Nilai',
    peak: 'Peringkat terbaik',
    medals: 'Medali',
    followers: 'Pengikut',
    keys: 'Per jumlah tombol',
    mapping: 'Mapping:',
    best: 'Permainan terbaik',
    recent: 'Permainan terbaru',
    maps: 'Beatmap',
  },
  scores: {
    titles: {
      best: 'permainan terbaik',
      recent: 'permainan terbaru',
      firsts: 'peringkat pertama',
      pinned: 'permainan yang disematkan',
    },
    none: {
      best: 'Belum ada permainan yang dihitung di sini.',
      recent: 'Tidak ada permainan dalam 24 jam terakhir.',
      firsts: 'Tidak ada peringkat pertama di sini.',
      pinned: 'Tidak ada permainan yang disematkan di sini.',
    },
    noMore: 'Itu semuanya; daftarnya berakhir di sini.',
    unknownPlayer: 'Seorang pemain',
    map: 'Beatmap',
    player: 'Pemain',
    unknownMap: id => `Beatmap ${id}`,
    weighted: pp => `dihitung ${pp} pp`,
    failed: 'gagal',
    ifRanked: pp => `sekitar ${pp} pp bila ranked`,
    untilFail: pp => `sekitar ${pp} pp sampai di situ`,
    failedAt: percent => `gagal di ${percent}`,
    score: shown => `skor ${shown}`,
    /** Names of the results that have no number for a name. */
    results: { miss: 'miss', fruits: 'buah', drops: 'tetes', droplets: 'tetes kecil terlewat' },
    ifFullCombo: pp => `sekitar ${pp} pp bila kombo penuh`,
    fullCombo: 'kombo penuh',
    misses: n => `${n} miss`,
  },
  recommend: {
    title: 'Map berikutnya untuk dimainkan',
    titleFor: name => `Map berikutnya untuk ${name}`,
    none: 'Tidak ada yang cocok. Coba dengan filter yang lebih longgar.',
    target: pp => `Map untuk permainan sekitar ${pp} pp.`,
    beside: pp => `Tidak banyak map untuk permainan sekitar ${pp} pp; ini yang paling dekat.`,
    few: 'Hanya ini yang ditemukan; dengan filter yang lebih longgar mungkin ada lagi.',
    gain: pp => `total +${pp} pp`,
    at: percent => `dengan akurasi ${percent}`,
    like: 'mirip',
    mods: percent => `${percent} permainan terbaik memakai mod ini`,
    farm: 'sering dimainkan demi pp-nya',
    start: 'awal yang ringan',
    byFigures: 'pp dan tambahan adalah perkiraan dari data map.',
    byRules: date => `pp dan tambahan adalah perkiraan menurut aturan ${date}.`,
    byBoth: date => `pp dan tambahan adalah perkiraan, sebagian menurut aturan ${date}, sebagian dari data map.`,
    another: 'Yang serupa lagi',
    easier: 'Lebih mudah',
    harder: 'Lebih sulit',
    withDoubleTime: 'Dengan DT',
  },
  origin: {
    local: 'Dari salinan saya sendiri; osu! tidak ditanya.',
    remembered: 'osu! dan situs cadangannya sedang tidak menjawab, jadi ini dari salinan saya sendiri.',
    stale: 'Situs osu! sedang tidak menjawab, jadi ini jawaban sebelumnya.',
    corrected: 'Tidak ada yang cocok persis dengan tulisanmu; mungkin ini yang kamu maksud.',
  },
};
