import type { ownerCommands as english } from '../en/owner.ts';
import type { Messages } from '../messages.ts';

const BLOCK_OPTIONS = {
  kind: { name: 'jenis', description: 'Siapa atau apa: orang, obrolan, tautan, atau pembuat' },
  value: { name: 'nilai', description: 'platform:id orang atau obrolan, tautan, atau situs:id pembuat' },
};
const BLOCK_CHOICES = { kind: { person: 'orang', chat: 'obrolan', link: 'tautan', author: 'pembuat' } };

/** Of the commands for those who run this Medley. */
export const ownerCommands: Pick<Messages['commands'], keyof typeof english> = {
  'owner status': { description: 'Keadaan situs, antrean, dan platform', options: {}, choices: {} },
  'owner block': {
    description: 'Jangan jawab seseorang atau obrolan; jangan tampilkan tautan atau pembuat',
    options: BLOCK_OPTIONS,
    choices: BLOCK_CHOICES,
  },
  'owner unblock': { description: 'Cabut pemblokiran', options: BLOCK_OPTIONS, choices: BLOCK_CHOICES },
  'owner blocked': { description: 'Semua yang diblokir', options: {}, choices: {} },
  'owner logs': { description: 'Kegagalan terakhir menurut sebabnya', options: {}, choices: {} },
};

export const owner: Messages['owner'] = {
  blockKinds: { person: 'orang', chat: 'obrolan', link: 'tautan', author: 'pembuat' },
  blockChange: {
    added: (kind, id) => `Diblokir: ${kind} ${id}.`,
    known: (kind, id) => `Sudah diblokir: ${kind} ${id}.`,
    full: kind => `Daftar untuk jenis ini penuh: ${kind}. Cabut beberapa dulu.`,
    removed: (kind, id) => `Tidak lagi diblokir: ${kind} ${id}.`,
    absent: (kind, id) => `Tidak diblokir: ${kind} ${id}.`,
  },
  blockedTitle: 'Diblokir',
  nothingBlocked: 'Tidak ada yang diblokir.',
  memory: 'Memori',
  started: 'Dimulai',
  queue: 'Antrean',
  queueDepth: (waiting, running) => `${waiting} menunggu, ${running} berjalan`,
  oldest: 'yang tertua',
  untried: 'belum dicoba',
  dead: 'ditanya terakhir',
  resting: 'beristirahat',
  last: outcome => `terakhir: ${outcome}`,
  logsTitle: 'Kegagalan terakhir proses ini',
  noFailures: 'Belum ada yang gagal sejak proses ini dimulai.',
};
