import type { Messages } from '../messages.ts';

export const cards: Messages['cards'] = {
  unranked: 'belum berperingkat',
  pp: 'pp',
  accuracy: 'akurasi',
  plays: 'permainan',
  playTime: 'waktu main',
  hours: n => `${n} jam`,
  level: 'level',
  noHistory: 'Tidak ada peringkat beberapa hari terakhir.',
  lastDays: n => `peringkat, ${n} hari`,
  bestPlays: n => `pp, ${n} terbaik`,
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
};
