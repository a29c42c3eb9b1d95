import type { ErrorCode } from '../../errors.ts';

export type Params = Readonly<Record<string, string | number>>;
export type Sentence = (params: Params, wait?: string) => string;

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

/** One per ErrorCode. `wait` is a ready phrase such as "in 20 seconds", or undefined when it is not known. */
export const errors = {
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
  upstream_rate_limited: (p: Params, wait?: string) =>
    p.what === 'silent'
      ? `${p.site ?? 'The site'} does not answer me at the moment. Your link is fine; I will ask again ${wait ?? 'soon'}.`
      : `The site asks me to slow down. Your link is fine; please try again ${wait ?? 'in a few minutes'}.`,
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
    if (p.what === 'caller') return 'The people who run me have asked me not to answer here.';
    return 'I am not allowed to open that. You can send me a link to another post.';
  },
  internal: (_: Params) => 'Something went wrong on my side. Please try again.',
} satisfies Readonly<Record<ErrorCode, (params: Params, wait?: string) => string>>;

export const wait = {
  seconds: (n: number) => (n === 1 ? 'in 1 second' : `in ${n} seconds`),
  minutes: (n: number) => (n === 1 ? 'in 1 minute' : `in ${n} minutes`),
  hours: (n: number) => (n === 1 ? 'in 1 hour' : `in ${n} hours`),
};

/** Sentences for `invalid_request` that know what is amiss; `params.hint` is the key. */
export const hints = {
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
  notPrivate: (_: Params) => 'I cannot answer you alone here. Send me the link in a private chat.',
  clipForm: (_: Params) => 'Write a clip as its start and end, like clip:0:05-0:20.',
  clipOrder: (_: Params) => 'A clip must end after it begins, like clip:0:05-0:20.',
  clipLong: (p: Params) => `A clip can be at most ${p.minutes} minutes long.`,
  clipBeyond: (p: Params) => `That clip ends after the video does; the video is ${p.length} long.`,
  clipNoVideo: (_: Params) => 'There is no video here to take a clip of.',
  clipWhich: (_: Params) => 'This post has several videos; choose one for the clip with its number, like item:2.',
  noSound: (_: Params) => 'That post has no audio.',
  sourceOff: (p: Params) => `${p.site} links are switched off in this chat. Its admins can change that with /settings.`,
  endedLink: (_: Params) => 'This link has ended, or is not complete. Send /osu link in the chat for a new one.',
  noName: (_: Params) => 'Which player are you? Send /osu link and your osu! name.',
  noPlayer: (_: Params) => 'Name a player, or link your own once with /osu link and your osu! name.',
  notBeatmapLink: (_: Params) =>
    'That link does not lead to an osu! beatmap. It should look like this: https://osu.ppy.sh/beatmapsets/…',
  notScoreLink: (_: Params) =>
    'That link does not lead to an osu! score. It should look like this: https://osu.ppy.sh/scores/…',
  noMap: (_: Params) => 'No map was shown in this chat lately. Name one by its link, its ID or words of its title.',
  noDifficulty: (_: Params) => 'That beatmap has no difficulty that I could show.',
  notNumber: (p: Params) => `“${p.option}” must be a number from ${p.min} to ${p.max}.`,
  noTarget: (_: Params) => 'Give a total to reach, like /osu target 5000, or a rank, like /osu target rank:10000.',
  oneTarget: (_: Params) => 'Give either a total or a rank to reach, not both.',
  withheldPost: (_: Params) => 'That post is not shown here: its author or the bot’s operator does not want it to be.',
  notBlockId: (p: Params) => `The ${p.kind} must be given as site and ID, like telegram:10042 or instagram:25025320.`,
  manyChannels: (p: Params) =>
    `${p.n} channels already have that rule, and I can keep no more. Change one of them first, or choose “same rule for all channels”.`,
  expiredButton: (_: Params) => 'That button no longer works. Please send the command again.',
};
