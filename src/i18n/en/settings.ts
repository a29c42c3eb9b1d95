export const settings = {
  title: 'Your settings',
  language: 'Language',
  automatic: 'Automatic',
  automaticNow: (name: string) => `Automatic (${name})`,
  saved: 'Saved. I will answer you like this from now on.',
  player: 'osu! player',
  noPlayer: 'none; link yours with /osu link',
  unlink: '/osu unlink removes it',
  choose: 'Choose a language:',
  forAdmins: 'Chat-wide settings are visible to admins here.',
  chatTitle: 'This chat',
  chatLanguage: 'Language here',
  shortForms: 'Short forms of osu! commands',
  noShortForms: 'off; /settings prefix:! switches them on',
  /** They are seen where pasted links are. */
  shortFormsBy: (prefix: string) =>
    `${['rs', 'c', 'map', 'lb', 'sim', 'top'].map(name => prefix + name).join(' ')} …, wherever I can see what is written`,
  switches: {
    links: 'Answer pasted links',
    'osu-links': 'Answer osu! links',
    embeds: 'Hide embeds',
    captions: 'Captions',
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
