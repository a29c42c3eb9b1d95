import cards from './cards.json' with { type: 'json' };
import commands from './commands.json' with { type: 'json' };
import errors from './errors.json' with { type: 'json' };
import help from './help.json' with { type: 'json' };
import joining from './joining.json' with { type: 'json' };
import language from './language.json' with { type: 'json' };
import linking from './linking.json' with { type: 'json' };
import osu from './osu.json' with { type: 'json' };
import osuErrors from './osu-errors.json' with { type: 'json' };
import owner from './owner.json' with { type: 'json' };
import platforms from './platforms.json' with { type: 'json' };
import plays from './plays.json' with { type: 'json' };
import post from './post.json' with { type: 'json' };
import settings from './settings.json' with { type: 'json' };
import web from './web.json' with { type: 'json' };

/** The English texts by file; each language's folder has the same files with the same groups of texts. */
export const files = {
  cards,
  commands,
  errors,
  help,
  joining,
  language,
  linking,
  osu,
  'osu-errors': osuErrors,
  owner,
  platforms,
  plays,
  post,
  settings,
  web,
};
