const BLOCK_OPTIONS = {
  kind: { name: 'kind', description: 'Whom or what: person, chat, link or author' },
  value: { name: 'value', description: 'platform:id of a person or chat, a link, or site:id of an author' },
};
const BLOCK_CHOICES = { kind: { person: 'person', chat: 'chat', link: 'link', author: 'author' } };

/** Of the commands for those who run this Medley. */
export const ownerCommands = {
  'owner status': { description: 'How the sites, the queue and the platforms do', options: {}, choices: {} },
  'owner block': {
    description: 'Give a person or chat no answers; do not show a link or an author',
    options: BLOCK_OPTIONS,
    choices: BLOCK_CHOICES,
  },
  'owner unblock': { description: 'Take back a block', options: BLOCK_OPTIONS, choices: BLOCK_CHOICES },
  'owner blocked': { description: 'All that is blocked', options: {}, choices: {} },
  'owner logs': { description: 'The last failures by cause', options: {}, choices: {} },
};

export const owner = {
  blockKinds: { person: 'person', chat: 'chat', link: 'link', author: 'author' },
  blockChange: {
    added: (kind: string, id: string) => `Blocked: ${kind} ${id}.`,
    known: (kind: string, id: string) => `Already blocked: ${kind} ${id}.`,
    full: (kind: string, _id: string) => `The list is full for this kind: ${kind}. Unblock some first.`,
    removed: (kind: string, id: string) => `No longer blocked: ${kind} ${id}.`,
    absent: (kind: string, id: string) => `Not blocked: ${kind} ${id}.`,
  },
  blockedTitle: 'Blocked',
  nothingBlocked: 'Nothing is blocked.',
  memory: 'Memory',
  started: 'Started',
  queue: 'Queue',
  queueDepth: (waiting: number, running: number) => `${waiting} waiting, ${running} running`,
  oldest: 'the oldest',
  untried: 'not tried yet',
  dead: 'asked last',
  resting: 'resting',
  last: (outcome: string) => `last: ${outcome}`,
  logsTitle: 'Last failures of this process',
  noFailures: 'Nothing has failed since this process started.',
};
