import type { ErrorCode } from '../errors.ts';
import { enOsu, enOsuCommands } from './en-osu.ts';

/**
 * English, and the contract: every other language has exactly these keys with these parameters (`Messages`). Sentences are
 * calm, say what happened and what the reader can do, and never blame him. Values are inserted as plain text.
 */
type Params = Readonly<Record<string, string | number>>;

/** The names that `MediaSource.match` may give for an address that holds no single post. */
const linkKinds: ReadonlyMap<string, string> = new Map(
  Object.entries({
    profile: 'a profile',
    page: 'a page',
    group: 'a group',
    tag: 'a hashtag',
    audio: 'a sound',
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

const siteNames: ReadonlyMap<string, string> = new Map(
  Object.entries({ instagram: 'Instagram', facebook: 'Facebook' }),
);

export const en = {
  languageName: 'English',

  /** One per ErrorCode. `wait` is a ready phrase such as "in 20 seconds", or undefined when nobody knows. */
  errors: {
    invalid_request: (_: Params) => 'I could not read that. Paste the link of a post, or type /help.',
    unsupported_link: (p: Params) => {
      const kind = linkKinds.get(`${p.what}`);
      const supported = 'I can bring posts, reels, videos and photos from Instagram and Facebook';
      return kind ? `${supported}; that link leads to ${kind}.` : `${supported}; that link is something else.`;
    },
    not_found: (p: Params) =>
      p.what === 'item' ? 'That post has no such item.' : 'That post does not exist, or it was removed.',
    private: (_: Params) => 'That post is private, so only its followers can see it.',
    login_required: (p: Params) => {
      if (p.what === 'story')
        return 'Stories are shown only to people who are logged in, so I cannot bring them. Links of posts and reels work.';
      if (p.what === 'wall')
        return 'That post is public, but the site asks me to log in at the moment. Your link is fine; please try again later.';
      return 'The site shows this one only to people who are logged in.';
    },
    age_restricted: (_: Params) => 'That post is age-restricted; the site hides it from visitors without an account.',
    region_blocked: (_: Params) => 'That post is not available in the country this bot runs in.',
    upstream_rate_limited: (_: Params, wait?: string) =>
      `The site asks us to slow down. Your link is fine; please try again ${wait ?? 'in a few minutes'}.`,
    upstream_unavailable: (_: Params, wait?: string) =>
      `The site does not answer right now. Your link is fine; please try again ${wait ?? 'in a minute'}.`,
    upstream_changed: (_: Params) =>
      'The site has changed something and I cannot read this post yet. Your link is fine; the people who run me can see why.',
    too_large: (_: Params) => 'That file is larger than I can carry. You can still open the original post.',
    timeout: (_: Params) => 'The site took too long to answer. Please try again in a minute.',
    rate_limited: (p: Params, wait?: string) =>
      p.reason === 'busy'
        ? `Many people are asking at once. Please try again ${wait ?? 'in a moment'}.`
        : `That was a lot at once. Please try again ${wait ?? 'in a moment'}.`,
    credentials_required: (_: Params) => 'This needs a key that the people who run me have not set up.',
    forbidden: (p: Params) => {
      if (p.what === 'button') return 'That button belongs to someone else. You can send the command yourself.';
      if (p.what === 'chat_settings')
        return 'The admins of this chat can change that. Your own language is yours to set.';
      return 'I am not allowed to open that. You can send me the link of another post.';
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
    unknownCommand: (p: Params) => `I do not know /${p.name}. These I know: ${p.allowed}.`,
    unknownOption: (p: Params) => `/${p.command} has no option “${p.name}”. It understands: ${p.allowed}.`,
    noOptions: (p: Params) => `/${p.command} needs nothing after it.`,
    missingOption: (p: Params) => `/${p.command} also needs: ${p.option}. Write it like this: ${p.usage}`,
    repeatedOption: (p: Params) => `“${p.option}” was given twice; once is enough.`,
    notInteger: (p: Params) => `“${p.option}” is a whole number from ${p.min} to ${p.max}.`,
    notBoolean: (p: Params) => `“${p.option}” is either yes or no.`,
    notChoice: (p: Params) => `“${p.option}” can be: ${p.allowed}.`,
    notLink: (_: Params) =>
      'That does not look like a link. Paste the link of a post, for example https://www.instagram.com/reel/…',
    notText: (p: Params) => `“${p.option}” is a piece of text.`,
    notRange: (p: Params) => `“${p.option}” is a number, or a range like 5-6, 5- or -6.`,
    tooLong: (p: Params) => `“${p.option}” can be at most ${p.max} characters long.`,
    itemRange: (p: Params) =>
      p.count === 1
        ? 'That post holds just one item.'
        : `That post holds ${p.count} items; choose from 1 to ${p.count}.`,
    noSound: (_: Params) => 'There is no sound in that post to take out.',
    sourceOff: (p: Params) =>
      `Links of ${siteNames.get(`${p.source}`) ?? 'that site'} are switched off in this chat. Its admins can change that with /settings.`,
    noPlayer: (_: Params) =>
      'Name a player, or tell me once who you are with /osu link and your name on osu!; then I know whom you mean.',
    notBeatmapLink: (_: Params) =>
      'That link leads to no osu! beatmap. It looks like this: https://osu.ppy.sh/beatmapsets/…',
    notScoreLink: (_: Params) => 'That link leads to no play on osu!. It looks like this: https://osu.ppy.sh/scores/…',
    expiredButton: (_: Params) => 'That button no longer works. Please send the command again.',
  },

  notices: {
    moreLinks: (taken: number, left: number) =>
      left === 1
        ? `I take ${taken} links a message, so one was left out. Please send it again.`
        : `I take ${taken} links a message, so ${left} were left out. Please send them again.`,
    noLink: 'Paste the link of an Instagram or Facebook post here, or type /help to see what I can do.',
  },

  post: {
    /** `shown` is `n`, written short. */
    likes: (n: number, shown: string) => (n === 1 ? '1 like' : `${shown} likes`),
    comments: (n: number, shown: string) => (n === 1 ? '1 comment' : `${shown} comments`),
    plays: (n: number, shown: string) => (n === 1 ? '1 play' : `${shown} plays`),
    views: (n: number, shown: string) => (n === 1 ? '1 view' : `${shown} views`),
    shares: (n: number, shown: string) => (n === 1 ? '1 share' : `${shown} shares`),
    openOriginal: 'Open original',
    /** Of a film that a page of ours plays. */
    tooLargeHere: 'This film is too large for this chat.',
    playHere: 'Play it here',
    /** Heading of a post whose author nobody named. */
    untitled: { instagram: 'Instagram post', facebook: 'Facebook post' },
    itemOf: (n: number, total: number) => `${n} of ${total}`,
    audioOnly: 'Sound only',
    silent: 'No sound',
    /** Of a post of which nothing else could be read. */
    coverOnly: 'Only the cover of this post could be had, not its files.',
    authorOnly: 'The files of this post could not be had.',
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
      description: 'Bring the video or photos of a post here',
      options: {
        link: { name: 'link', description: 'Link of an Instagram or Facebook post' },
        item: { name: 'item', description: 'Only this one of several, counted from 1' },
        audio: { name: 'audio', description: 'Only the sound' },
      },
      choices: {},
    },
    help: {
      description: 'What I can do',
      options: { command: { name: 'command', description: 'The command you want to know more about' } },
      choices: {},
    },
    settings: {
      description: 'See and change how I talk to you, and how I behave in a group',
      options: {
        language: { name: 'language', description: 'The language I answer you in' },
        links: { name: 'links', description: 'This group: bring the posts of pasted links unasked' },
        'osu-links': {
          name: 'osu-links',
          description: 'This group: tell of the osu! maps and players of pasted links',
        },
        embeds: { name: 'embeds', description: 'This group: hide the embed of a link once I answered it' },
        captions: { name: 'captions', description: 'This group: quote what was written under a post' },
        instagram: { name: 'instagram', description: 'This group: links of Instagram' },
        facebook: { name: 'facebook', description: 'This group: links of Facebook' },
        'chat-language': { name: 'chat-language', description: 'This group: the language for those who chose none' },
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
      'Paste the link of a public Instagram or Facebook post, reel, video or photo. I bring it here, ready to play. Several links in one message are fine; put one in <angle brackets> and I leave it alone.',
    commands: 'Commands',
    moreText: 'To know more about one command, write /help and its name.',
    usage: 'How to write it',
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
    noPlayer: 'nobody; /osu link tells me who you are',
    unlink: '/osu unlink removes it',
    choose: 'Choose a language:',
    forAdmins: 'What goes for this whole chat, its admins can see and change here.',
    chatTitle: 'This chat',
    chatLanguage: 'Language here',
    switches: {
      links: 'Answer pasted links',
      'osu-links': 'Answer osu! links',
      embeds: 'Hide embeds',
      captions: 'Captions',
      instagram: 'Instagram',
      facebook: 'Facebook',
    },
    on: 'on',
    off: 'off',
    state: (name: string, state: string) => `${name}: ${state}`,
    mayTitle: 'What I may do here',
    may: 'yes',
  },

  /** What Medley may do in a chat, and how to mend it when it may not. */
  diagnosis: {
    sendMessages: {
      name: 'Write here',
      mend: 'Allow me to see this chat and to write here, in its permissions.',
    },
    attachFiles: {
      name: 'Send photos and videos',
      mend: 'Allow me to send photos, videos and files here; until then I can only send links.',
    },
    readHistory: {
      name: 'Reply to messages',
      mend: 'Give me the permission Read Message History; until then my answers stand alone.',
    },
    manageMessages: {
      name: 'Hide embeds',
      mend: 'Give me the permission Manage Messages; until then the embed of a link stays beside my answer.',
    },
    messageContent: {
      name: 'See pasted links',
      mend: 'The people who run me can switch on the Message Content Intent. Until then mention me, or use /download.',
    },
    privacyMode: {
      name: 'See pasted links',
      mend: 'Make me an admin of this group, or have privacy mode turned off in BotFather and add me again. Until then use /download.',
    },
    useExternalApps: {
      name: 'Answer for everyone',
      mend: 'Allow Use External Apps here, or add me to this server; until then only you see what I bring.',
    },
  },

  about: {
    what: 'Paste the link of a public Instagram or Facebook post, and it plays right here. Ask me about osu! beatmaps and players, too.',
    privacyTitle: 'Privacy',
    privacy: {
      text: 'What you write is neither stored nor logged.',
      settings:
        'I keep the settings you chose, the osu! player you linked and, for 28 days, which beatmaps I recommended to you. Settings of a group go 30 days after I was removed from it.',
      work: 'A link I am still working on is kept until it is delivered, a week at most; so is what a button needs.',
      forget: '/forget me deletes all I keep about you, at once.',
    },
  },

  forget: {
    done: 'Done. I no longer keep anything about you.',
    confirm: 'Delete all I keep about you',
    explain:
      'I keep the settings you chose, the osu! player you linked, which beatmaps I recommended lately and links I am still working on, and nothing else about you. Deleting them cannot be undone; I still answer you afterwards.',
  },

  discord: {
    /** The command in the menu of a message, at most 32 characters. */
    getMedia: 'Get media',
    delete: 'Delete',
    noFiles: 'Discord does not let me send this file here.',
  },

  telegram: {
    delete: 'Delete',
    /** On a button above the results of an inline query, at most 64 characters. */
    paste: 'Paste a link after my name',
    noFiles: 'This chat does not let me send photos or videos.',
    unconfirmed: 'Telegram did not say whether my answer arrived. If you do not see it, please send the link again.',
    startFirst: 'Open a chat with me and press Start once; then I can bring files to any chat.',
  },

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
    mediaExpired: 'This file was brought here a while ago and its address has run out.',
    bringAgain: 'Bring it again',
    download: 'Download',
    downloadItem: 'Download {n} of {total}',
    openPhoto: 'Open photo',
    previous: 'Previous',
    next: 'Next',
    close: 'Close',
    itemOf: '{n} of {total}',
    play: 'Play',
    pause: 'Pause',
    soundFailed: 'This sound could not be loaded. Press to try again.',
    photo: 'Photo',
    video: 'Video',
    audio: 'Sound',
    gallery: 'Photos and videos of this post',
    spoiler: 'Hidden. Press to show.',
    showMore: 'Show more',
    showLess: 'Show less',
    emptyText: 'Paste the link of a public Instagram or Facebook post and it plays right here.',
    emptyExamples: 'For example',
    exampleReel: 'An Instagram reel',
    exampleCarousel: 'A post with several photos',
    exampleFacebook: 'A Facebook video',
    exampleHelp: 'Everything I can do',
    suggestions: 'Suggestions',
    theme: 'Theme',
    themeSystem: 'Like the system',
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

  /** Words in drawn pictures: short, since they do not wrap. */
  pictures: {
    unranked: 'unranked',
    pp: 'pp',
    accuracy: 'accuracy',
    plays: 'plays',
    playTime: 'play time',
    hours: (n: string) => `${n} h`,
    level: 'level',
    noHistory: 'No rank in the last days.',
    lastDays: (n: number) => `rank, last ${n} days`,
    today: 'today',
    hardest: (at: string) => `hardest at ${at}`,
    topPlays: (name: string, n: number) => `${name}: top ${n} plays`,
    worth: (pp: string) => `${pp} pp`,
    gain: (pp: string) => `+${pp} in total`,
    /** For those who cannot see them. */
    profileAlt: (name: string, rank: string, pp: string) =>
      `Profile of ${[name, rank, pp].filter(part => part !== '').join(', ')}, with the ranks of the last days`,
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
