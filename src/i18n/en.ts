import type { ErrorCode } from '../errors.ts';
import { enOsu, enOsuCommands } from './en-osu.ts';

/**
 * English, and the contract: every other language has exactly these keys with these parameters (`Messages`). Sentences are
 * calm, say what happened and what the reader can do, and never blame them. Values are inserted as plain text.
 */
type Params = Readonly<Record<string, string | number>>;

/** The names that `MediaSource.match` may give for an address that holds no single post. */
const linkKinds: ReadonlyMap<string, string> = new Map(
  Object.entries({
    profile: 'a profile',
    page: 'a page',
    group: 'a group',
    tag: 'a hashtag',
    audio: 'an audio page',
    place: 'a place',
    event: 'an event',
    watch_party: 'a watch party',
    live: 'a live broadcast',
    ad: 'an ad',
    album: 'a whole album',
    story: 'a story',
    highlight: 'a highlight',
    marketplace: 'a marketplace item',
    search: 'a search',
  }),
);

/** By the source's id; a site that is not here goes by its own name. */
const sites: Readonly<Record<string, string>> = { instagram: 'Instagram', facebook: 'Facebook' };

export const en = {
  languageName: 'English',
  sites,

  /** One per ErrorCode. `wait` is a ready phrase such as "in 20 seconds", or undefined when it is not known. */
  errors: {
    invalid_request: (_: Params) => 'I could not read that. Paste a link to a post, or type /help.',
    unsupported_link: (p: Params) => {
      const kind = linkKinds.get(`${p.what}`);
      const supported = 'I can show posts, reels, videos and photos from Instagram and Facebook';
      return kind ? `${supported}; that link leads to ${kind}.` : `${supported}; that link is something else.`;
    },
    not_found: (p: Params) =>
      p.what === 'item' ? 'That post has no such item.' : 'That post does not exist, or it was removed.',
    private: (_: Params) => 'That post is private, so only its followers can see it.',
    login_required: (p: Params) => {
      if (p.what === 'story')
        return 'Stories are shown only to people who are logged in, so I cannot show them. Links to posts and reels work.';
      if (p.what === 'wall')
        return 'That post is public, but the site is asking me to log in at the moment. Your link is fine; please try again later.';
      return 'The site shows this post only to people who are logged in.';
    },
    age_restricted: (_: Params) => 'That post is age-restricted; the site hides it from visitors without an account.',
    region_blocked: (_: Params) => 'That post is not available in the country this bot runs in.',
    upstream_rate_limited: (_: Params, wait?: string) =>
      `The site asks me to slow down. Your link is fine; please try again ${wait ?? 'in a few minutes'}.`,
    upstream_unavailable: (p: Params, wait?: string) =>
      p.what === 'offline'
        ? `I cannot reach the site because this server seems to have no internet connection. Your link is fine; please try again ${wait ?? 'in a few minutes'}.`
        : `The site is not answering right now. Your link is fine; please try again ${wait ?? 'in a minute'}.`,
    upstream_changed: (_: Params) =>
      'The site has changed and I cannot read this post yet. Your link is fine; the bot’s operator can see why.',
    too_large: (_: Params) => 'That file is too large for me to send. You can still open the original post.',
    timeout: (_: Params) => 'The site took too long to answer. Please try again in a minute.',
    rate_limited: (p: Params, wait?: string) =>
      p.reason === 'busy'
        ? `Many people are asking at once. Please try again ${wait ?? 'in a moment'}.`
        : `Too many requests. Please try again ${wait ?? 'in a moment'}.`,
    credentials_required: (_: Params) => 'This needs a key that the bot’s operator has not set up.',
    forbidden: (p: Params) => {
      if (p.what === 'button') return 'That button belongs to someone else. You can send the command yourself.';
      if (p.what === 'chat_settings')
        return 'Only admins of this chat can change that. You can still set your own language.';
      return 'I am not allowed to open that. You can send me a link to another post.';
    },
    internal: (_: Params) => 'Something went wrong on my side. Please try again.',
  } satisfies Readonly<Record<ErrorCode, (params: Params, wait?: string) => string>>,

  wait: {
    seconds: (n: number) => (n === 1 ? 'in 1 second' : `in ${n} seconds`),
    minutes: (n: number) => (n === 1 ? 'in 1 minute' : `in ${n} minutes`),
    hours: (n: number) => (n === 1 ? 'in 1 hour' : `in ${n} hours`),
  },

  /** Sentences for `invalid_request` that know what is amiss; `params.hint` is the key. */
  hints: {
    unknownCommand: (p: Params) => `I do not know /${p.name}. These are the commands: ${p.allowed}.`,
    unknownOption: (p: Params) => `/${p.command} has no option “${p.name}”. It has: ${p.allowed}.`,
    noOptions: (p: Params) => `/${p.command} takes no options.`,
    missingOption: (p: Params) => `/${p.command} also needs: ${p.option}. Usage: ${p.usage}`,
    repeatedOption: (p: Params) => `“${p.option}” was given twice; once is enough.`,
    notInteger: (p: Params) => `“${p.option}” must be a whole number from ${p.min} to ${p.max}.`,
    notBoolean: (p: Params) => `“${p.option}” must be yes or no.`,
    notChoice: (p: Params) => `“${p.option}” must be one of: ${p.allowed}.`,
    notLink: (_: Params) =>
      'That does not look like a link. Paste a link to a post, for example https://www.instagram.com/reel/…',
    notText: (p: Params) => `“${p.option}” must be text.`,
    notRange: (p: Params) => `“${p.option}” must be a number, or a range like 5-6, 5- or -6.`,
    tooLong: (p: Params) => `“${p.option}” can be at most ${p.max} characters long.`,
    itemRange: (p: Params) =>
      p.count === 1 ? 'That post has only one item.' : `That post has ${p.count} items; choose from 1 to ${p.count}.`,
    noSound: (_: Params) => 'That post has no audio.',
    sourceOff: (p: Params) =>
      `${p.site} links are switched off in this chat. Its admins can change that with /settings.`,
    noPlayer: (_: Params) => 'Name a player, or link your own once with /osu link and your osu! name.',
    notBeatmapLink: (_: Params) =>
      'That link does not lead to an osu! beatmap. It should look like this: https://osu.ppy.sh/beatmapsets/…',
    notScoreLink: (_: Params) =>
      'That link does not lead to an osu! score. It should look like this: https://osu.ppy.sh/scores/…',
    expiredButton: (_: Params) => 'That button no longer works. Please send the command again.',
  },

  notices: {
    moreLinks: (taken: number, left: number) =>
      left === 1
        ? `I take ${taken} links per message, so one was left out. Please send it again.`
        : `I take ${taken} links per message, so ${left} were left out. Please send them again.`,
    noLink: 'Paste a link to an Instagram or Facebook post here, or type /help to see what I can do.',
  },

  /** What is said of a request itself. `wait` is a ready phrase such as "in 20 seconds". */
  requests: {
    unsure: 'I could not find out whether my answer arrived. If you do not see it, please ask again.',
    waiting: (links: number, wait: string) =>
      links === 1
        ? `That was a lot at once. One link waits and follows by itself ${wait}.`
        : `That was a lot at once. ${links} links wait and follow by themselves, the first ${wait}.`,
    place: (ahead: number) =>
      `Your request is in line; ${ahead} of this chat come before it. It is answered by itself.`,
  },

  post: {
    /** `shown` is `n`, written short. */
    likes: (n: number, shown: string) => (n === 1 ? '1 like' : `${shown} likes`),
    comments: (n: number, shown: string) => (n === 1 ? '1 comment' : `${shown} comments`),
    plays: (n: number, shown: string) => (n === 1 ? '1 play' : `${shown} plays`),
    views: (n: number, shown: string) => (n === 1 ? '1 view' : `${shown} views`),
    shares: (n: number, shown: string) => (n === 1 ? '1 share' : `${shown} shares`),
    openOriginal: 'Open original',
    /** Of a video that a page of ours plays. */
    tooLargeHere: 'This video is too large for this chat.',
    playHere: 'Play it here',
    /** Heading of a post whose author is not known. */
    untitled: (site: string) => `${site} post`,
    itemOf: (n: number, total: number) => `${n} of ${total}`,
    missing: (n: number, total: number) => `${n} of ${total} could not be fetched`,
    itemMissing: (n: number, total: number) => `Item ${n} of ${total} could not be fetched`,
    audioOnly: 'Audio only',
    silent: 'No audio',
    /** Of a post of which nothing else could be read. */
    coverOnly: 'Only the cover of this post could be fetched, not its files.',
    authorOnly: 'The files of this post could not be fetched.',
    /** Its name where it cannot be shown. */
    cover: 'Cover',
  },

  progress: {
    resolving: 'One moment…',
    fetching: 'Fetching the post…',
    preparing: 'Preparing the file…',
  },

  commands: {
    download: {
      description: 'Show the video or photos of a post here',
      options: {
        link: { name: 'link', description: 'Link to an Instagram or Facebook post' },
        item: { name: 'item', description: 'Only this item of several, counted from 1' },
        audio: { name: 'audio', description: 'Only the audio' },
      },
      choices: {},
    },
    help: {
      description: 'What I can do',
      options: { command: { name: 'command', description: 'The command you want to know more about' } },
      choices: {},
    },
    settings: {
      description: 'See and change your settings, and those of a group',
      options: {
        language: { name: 'language', description: 'The language I answer you in' },
        links: { name: 'links', description: 'This group: answer pasted links to posts' },
        'osu-links': {
          name: 'osu-links',
          description: 'This group: show previews for pasted osu! links',
        },
        embeds: { name: 'embeds', description: 'This group: hide a link’s embed once I have answered it' },
        captions: { name: 'captions', description: 'This group: show the captions of posts' },
        'chat-language': { name: 'chat-language', description: 'This group: the language for members who chose none' },
      },
      choices: { language: { auto: 'Automatic' }, 'chat-language': { auto: 'Automatic' } },
    },
    forget: {
      description: 'Delete everything I keep about you',
      options: { what: { name: 'what', description: 'Write “me” to confirm' } },
      choices: { what: { me: 'Me' } },
    },
    about: { description: 'Who I am, and what I keep', options: {}, choices: {} },
    ...enOsuCommands,
  },

  osu: enOsu,

  help: {
    links: 'Links',
    linksText:
      'Paste a link to a public Instagram or Facebook post, reel, video or photo, and I show it here, ready to play. Several links in one message are fine; put one in <angle brackets> and I leave it alone.',
    commands: 'Commands',
    moreText: 'To learn more about a command, write /help and its name.',
    usage: 'Usage',
    optional: 'optional',
    yesNo: 'yes or no',
    range: (min: number, max: number) => `a number from ${min} to ${max}`,
  },

  settings: {
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
  },

  /** What Medley may do in a chat, and how to allow it when it may not. */
  diagnosis: {
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
  },

  about: {
    what: 'Paste a link to a public Instagram or Facebook post, and it plays right here. Ask me about osu! beatmaps and players, too.',
    privacyTitle: 'Privacy',
    privacy: {
      text: 'What you write is neither stored nor logged.',
      settings:
        'I keep the settings you chose, the osu! player you linked and, for 28 days, which beatmaps I recommended to you. A group’s settings are deleted 30 days after I was removed from it.',
      work: 'A link I am still working on is kept until it is delivered, a week at most; so is what a button needs.',
      forget: '/forget me deletes everything I keep about you, at once.',
    },
  },

  forget: {
    done: 'Done. I no longer keep anything about you.',
    confirm: 'Delete everything about me',
    explain:
      'I keep the settings you chose, the osu! player you linked, which beatmaps I recommended lately and links I am still working on, and nothing else about you. Deleting them cannot be undone; I still answer you afterwards.',
  },

  discord: {
    /** The command in the menu of a message, at most 32 characters. */
    getMedia: 'Get media',
    delete: 'Delete',
    noFiles: 'Discord does not let me send this file here.',
    uploadSlow: 'Sending this file to Discord took too long.',
  },

  telegram: {
    delete: 'Delete',
    /** On a button above the results of an inline query, at most 64 characters. */
    paste: 'Paste a link after my name',
    noFiles: 'This chat does not let me send photos or videos.',
    unconfirmed: 'Telegram did not say whether my answer arrived. If you do not see it, please send the link again.',
    startFirst: 'Open a chat with me and press Start once; then I can send files to any chat.',
    slowDown: (wait: string) => `Telegram asks me to slow down. Please try again ${wait}.`,
  },

  /** Labels of the example links, by their kinds in WEB_EXAMPLES. */
  webExamples: { reel: 'An Instagram reel', carousel: 'A post with several photos', facebook: 'A Facebook video' },

  /** Texts of the web chat page. Plain strings; the page fills `{n}` and `{total}` in itself. */
  web: {
    title: 'Medley',
    tagline: 'Paste a link, get the video.',
    placeholder: 'Paste a link, or type / for commands',
    placeholderShort: 'Paste a link',
    inputLabel: 'Message to Medley',
    send: 'Send',
    you: 'You',
    bot: 'Medley',
    log: 'Conversation',
    connecting: 'Connecting…',
    connected: 'Connected',
    reconnecting: 'The connection was lost. Reconnecting…',
    offline: 'You are offline. Your message will be sent when you are back.',
    working: 'Working…',
    waiting: 'Waiting to send…',
    cancel: 'Cancel',
    cancelled: 'Cancelled.',
    retry: 'Try again',
    failed: 'That did not go through.',
    mediaFailed: 'This file could not be loaded. You can open the original post.',
    mediaExpired: 'This file was loaded a while ago and its address has expired.',
    bringAgain: 'Load it again',
    download: 'Download',
    downloadItem: 'Download {n} of {total}',
    openPhoto: 'Open photo',
    previous: 'Previous',
    next: 'Next',
    close: 'Close',
    itemOf: '{n} of {total}',
    play: 'Play',
    pause: 'Pause',
    soundFailed: 'This audio could not be loaded. Press to try again.',
    photo: 'Photo',
    video: 'Video',
    audio: 'Audio',
    gallery: 'Photos and videos of this post',
    spoiler: 'Hidden. Press to show.',
    showMore: 'Show more',
    showLess: 'Show less',
    emptyText: 'Paste a link to a public Instagram or Facebook post and it plays right here.',
    emptyExamples: 'For example',
    exampleHelp: 'Everything I can do',
    suggestions: 'Suggestions',
    theme: 'Theme',
    themeSystem: 'System',
    themeLight: 'Light',
    themeDark: 'Dark',
    language: 'Language',
    menu: 'Menu',
    clear: 'Clear this conversation',
    clearConfirm: 'Clear everything shown here?',
    cleared: 'The conversation was cleared.',
    newReplies: 'New replies',
    scrollDown: 'Go to the latest',
    skipToInput: 'Skip to the message box',
    tooLong: 'A message can be at most {n} characters long.',
    api: 'API',
    privacy: 'What you send is not stored.',
  },

  /** Words in drawn image cards: short, since they do not wrap. */
  pictures: {
    unranked: 'unranked',
    pp: 'pp',
    accuracy: 'accuracy',
    plays: 'plays',
    playTime: 'play time',
    hours: (n: string) => `${n} h`,
    level: 'level',
    noHistory: 'No rank in recent days.',
    lastDays: (n: number) => `rank, last ${n} days`,
    today: 'today',
    hardest: (at: string) => `hardest at ${at}`,
    topPlays: (name: string, n: number) => `${name}: top ${n} plays`,
    worth: (pp: string) => `${pp} pp`,
    gain: (pp: string) => `+${pp} in total`,
    /** For those who cannot see them. */
    profileAlt: (name: string, rank: string, pp: string) =>
      `Profile of ${[name, rank, pp].filter(part => part !== '').join(', ')}, with the ranks of recent days`,
    curveAlt: (name: string, n: number, top: string, last: string) =>
      `The ${n} best plays of ${name}, from ${top} down to ${last}`,
    strainsAlt: (map: string, at: string) => `How hard ${map} is over its length; hardest at ${at}`,
    /** By the names the difficulty calculation gives them. */
    skills: new Map(
      Object.entries({
        aim: 'aim',
        speed: 'speed',
        flashlight: 'flashlight',
        color: 'colour',
        rhythm: 'rhythm',
        stamina: 'stamina',
        reading: 'reading',
        movement: 'movement',
        strains: 'strain',
      }),
    ),
  },
};

type Widened<T> = T extends string
  ? string
  : T extends (...args: infer A) => infer R
    ? (...args: A) => Widened<R>
    : { readonly [K in keyof T]: Widened<T[K]> };

/** What every language provides: the keys and parameters of `en`, with strings of its own. */
export type Messages = Widened<typeof en>;
export type HintKey = keyof Messages['hints'];
export type HintParams = Params;
