export const settings = {
  title: 'Your settings',
  language: 'Language',
  automatic: 'Automatic',
  automaticNow: (name: string) => `Automatic (${name})`,
  saved: 'Saved. I will answer you like this from now on.',
  player: 'osu! player',
  noPlayer: 'none; link yours with /osu link',
  unlink: '/osu unlink removes it',
  forAdmins: 'Chat-wide settings are visible to admins here.',
  chatTitle: 'This chat',
  chatLanguage: 'Language here',
  sections: { links: 'Links', answers: 'Answers', notices: 'Failures' },
  explained: {
    links: 'Which pasted links and short forms I answer. Commands and mentions work everywhere.',
    answers: 'What my answers look like in this chat.',
    notices: 'What I say when a pasted link cannot be answered. Commands are always answered.',
  },
  back: 'Back',
  shortForms: 'Short forms',
  /** They are seen where pasted links are. */
  shortFormsBy: (prefix: string) =>
    `${['rs', 'c', 'map', 'lb', 'sim', 'top'].map(name => prefix + name).join(' ')} …, wherever I can see what is written`,
  /** Names of settings. */
  rows: {
    links: 'Answer pasted links',
    'osu-links': 'Answer osu! links',
    quotes: 'Answer quotes and forwards',
    channel: 'This channel',
    view: 'Posts',
    files: 'Files of one post',
    captions: 'Captions',
    silent: 'Without notification',
    embeds: 'Hide embeds',
    'delete-links': 'Delete answered links',
    'quiet-errors': 'Say nothing',
    notices: 'Notices leave',
  },
  views: { card: 'words and files', media: 'files only', text: 'words only' },
  channelRules: {
    on: 'as everywhere',
    off: 'pasted links are left alone',
    only: 'links only here',
    everywhere: 'same rule for all channels',
  },
  ruledChannels: (n: number) => (n === 1 ? '1 channel with a rule' : `${n} channels with a rule`),
  /** Of one post, at most; 0 for all. */
  files: (n: number) => (n === 0 ? 'all' : n === 1 ? 'the first' : `the first ${n}`),
  /** After which a notice goes; 0 when it stays. */
  seconds: (n: number) => {
    if (n === 0) return 'never';
    if (n % 3_600 === 0) return n === 3_600 ? 'after 1 hour' : `after ${n / 3_600} hours`;
    if (n % 60 === 0) return n === 60 ? 'after 1 minute' : `after ${n / 60} minutes`;
    return `after ${n} seconds`;
  },
  /** The option of /settings that switches a site's links on and off. */
  siteSwitch: (site: string) => `This group: answer ${site} links`,
  on: 'on',
  off: 'off',
  state: (name: string, state: string) => `${name}: ${state}`,
  mayTitle: 'My permissions here',
  may: 'yes',
};

/** What Medley may do in a chat, and how to allow it when it may not. */
export const diagnosis = {
  sendMessages: {
    name: 'Write here',
    mend: 'Allow me to view this chat and to write here, in its permissions.',
  },
  attachFiles: {
    name: 'Send photos and videos',
    mend: 'Allow me to send photos, videos and files here; until then I can only send links.',
  },
  readHistory: {
    name: 'Reply to messages',
    mend: 'Give me the permission Read Message History; until then my answers are not replies.',
  },
  manageMessages: {
    name: 'Hide embeds',
    mend: 'Give me the permission Manage Messages; until then a link’s embed stays next to my answer.',
  },
  deleteMessages: {
    name: 'Delete answered links',
    mend: 'Allow me to delete messages, in my rights as an admin; until then links stay next to my answers.',
  },
  messageContent: {
    name: 'See pasted links',
    mend: 'The bot’s operator can switch on the Message Content Intent. Until then, mention me or use /download.',
  },
  privacyMode: {
    name: 'See pasted links',
    mend: 'Make me an admin of this group, or have privacy mode turned off in BotFather and add me again. Until then, use /download.',
  },
  useExternalApps: {
    name: 'Answer for everyone',
    mend: 'Allow Use External Apps here, or add me to this server; until then only you see my answers.',
  },
};
