/**
 * English, and the contract: every other language has exactly these keys with these parameters (`typeof en`). Sentences are
 * calm, say what happened and what the reader can do, and never blame him. Values are inserted as plain text.
 */
type Params = Readonly<Record<string, string | number>>;

export const en = {
  languageName: 'English',

  /** One per ErrorCode. `wait` is a ready phrase such as "in 20 seconds", or undefined when nobody knows. */
  errors: {
    invalid_request: (p: Params) => (p['hint'] ? `${p['hint']}` : 'I could not read that request.'),
    unsupported_link: (_: Params) =>
      'I can bring posts, reels, videos and photos from Instagram and Facebook. That link is something else.',
    not_found: (_: Params) => 'That post does not exist, or it was removed.',
    private: (_: Params) => 'That post is private, so only its followers can see it.',
    login_required: (_: Params) => 'The site shows this one only to people who are logged in.',
    age_restricted: (_: Params) => 'That post is age-restricted; the site hides it from visitors without an account.',
    region_blocked: (_: Params) => 'That post is not available in the country this bot runs in.',
    upstream_rate_limited: (_: Params, wait?: string) =>
      `The site asks us to slow down. Your link is fine; please try again ${wait ?? 'in a few minutes'}.`,
    upstream_unavailable: (_: Params, wait?: string) =>
      `The site does not answer right now. Your link is fine; please try again ${wait ?? 'in a minute'}.`,
    upstream_changed: (_: Params) =>
      'The site has changed something and I cannot read this post yet. Your link is fine; the people who run me can see why.',
    too_large: (_: Params) => 'That file is larger than I can carry.',
    timeout: (_: Params) => 'The site took too long to answer. Please try again.',
    rate_limited: (_: Params, wait?: string) => `That was a lot at once. Please try again ${wait ?? 'in a moment'}.`,
    credentials_required: (_: Params) => 'This needs a key that the people who run me have not set up.',
    forbidden: (_: Params) => 'That button belongs to someone else.',
    internal: (_: Params) => 'Something went wrong on my side. Please try again.',
  },

  wait: {
    seconds: (n: number) => (n === 1 ? 'in 1 second' : `in ${n} seconds`),
    minutes: (n: number) => (n === 1 ? 'in 1 minute' : `in ${n} minutes`),
  },
};

export type Messages = typeof en;
