export const help = {
  linksText:
    'Paste a link to a public Instagram or Facebook post, reel, video or photo, and I show it here, ready to play. Where I cannot see links, write /download and the link.',
  linksMore: 'Several links in one message are fine. Put one in <angle brackets> and I leave it alone.',
  chooseSection: 'What else would you like to know?',
  chooseCommand: 'Choose a command',
  sections: { links: 'Links', beatmap: 'Beatmaps', osu: 'Players', more: 'Settings and more' },
  back: 'Back',
  usage: 'Usage',
  optional: 'optional',
  yesNo: 'yes or no',
  range: (min: number, max: number) => `a number from ${min} to ${max}`,
};

export const start = {
  links: 'Send me a link to a public Instagram or Facebook post, and it plays right here.',
  osu: 'Ask me about osu! beatmaps and players, too: /beatmap search finds maps, /osu profile a player.',
  more: 'I do the same in groups. /help tells you more.',
  addToGroup: 'Add to group',
  tryIt: 'Try it',
  language: 'Language',
  seesHere:
    'Thanks for adding me! Paste a link to a public Instagram or Facebook post, and I show it here. Admins can change how with /settings.',
  blindHere:
    'Thanks for adding me! I cannot see pasted links here yet. Make me an admin of this group (no special rights needed), or use /download with the link.',
};

export const about = {
  what: 'Paste a link to a public Instagram or Facebook post, and it plays right here. Ask me about osu! beatmaps and players, too.',
  privacyTitle: 'Privacy',
  privacy: {
    text: 'What you write is neither stored nor logged.',
    settings:
      'I keep the settings you chose, the osu! player you linked and, for 28 days, which beatmaps I recommended to you. A group’s settings are deleted 30 days after I was removed from it. Of a chat I remember the osu! beatmap it saw last, for 30 days; of a group also the players its admins track, and which members with a linked player used an osu! command there, for 90 days.',
    work: 'A link I am still working on is kept until it is delivered, a week at most; so is what a button needs.',
    forget: '/privacy has me ignore the links you paste. /forget deletes everything else I keep about you, at once.',
  },
};

export const forget = {
  done: 'Done. I keep nothing about you any more, except what you chose with /privacy.',
  confirm: 'Delete everything about me',
  explain:
    'About you I keep the settings you chose, the osu! player you linked, the beatmaps I recommended lately, the one you saw last, the groups in which you used osu! commands with a linked player, and links I am still working on; nothing else. Deleting cannot be undone. I still answer you afterwards, and whether I ignore your links stays as it is; /privacy changes that.',
};

export const privacy = {
  answered: 'I answer the links you paste.',
  ignored:
    'I ignore the links you paste. What you ask me by a command, or by mentioning me in a group, I still answer.',
  explain:
    'To ignore your links, I keep a scrambled form of your ID that cannot be read back, and nothing more; /forget leaves it in place.',
  ignore: 'Ignore my links',
  answer: 'Answer my links again',
};
