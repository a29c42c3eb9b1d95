import { setTimeout as pause } from 'node:timers/promises';
import { BUDI, type Chats, discordFiles, openChats, SARI, telegramFiles } from '../end-to-end/chats.ts';
import type { Program } from '../end-to-end/program.ts';
import { connect } from '../platforms/web/page-client.ts';
import { ask } from './bystander.ts';
import type { Drill } from './drill.ts';
import { type OwnDisk, openOwnDisk } from './own-disk.ts';

/** SQLite's, and the folders in which files are made. */
const WRITTEN = ['medley.db', 'medley.db-wal', 'spool', '.'];
const AT_ONCE = 12;
const ANSWER_MS = 8_000;
/** Until what a process held that could not write is taken up by the next. */
const SETTLE_MS = 60_000;
const READY_MS = 8_000;
const END_MS = 15_000;
/** Long enough for a second answer to show itself. */
const QUIET_MS = 2_000;

/** The status of `/readyz` and its reasons, when it has the wanted status or the time is over. */
async function readiness(origin: string, wanted: number): Promise<string> {
  const until = Date.now() + READY_MS;
  for (;;) {
    const { status, body } = await ask(`${origin}/readyz`);
    if (status === wanted || Date.now() > until) return `${status} ${/"reasons":(.*)}$/.exec(body)?.[1] ?? body}`;
    await pause(500);
  }
}

/** True when it happens in time. */
async function happens(is: () => boolean, withinMs = ANSWER_MS): Promise<boolean> {
  const until = Date.now() + withinMs;
  while (!is() && Date.now() < until) await pause(50);
  return is();
}

/** What people ask, everywhere, and what became of it. */
class People {
  readonly #chats: Chats;
  #asked = 0;
  #askedOnTelegram = 0;

  constructor(chats: Chats) {
    this.#chats = chats;
  }

  /** A new post each time. */
  #link(): string {
    this.#asked += 1;
    return `https://www.instagram.com/reel/Ro${String(this.#asked).padStart(9, '0')}/`;
  }

  /** One link everywhere. */
  async askAll(origin: string): Promise<Readonly<Record<string, Answer>>> {
    const { discord, guildId } = this.#chats;
    const before = { discord: this.#own(), telegram: this.#brought(SARI.id) };
    const files = { discord: discordFiles(this.#chats).length, telegram: telegramFiles(this.#chats, SARI.id).length };
    discord.message({ guildId, content: this.#link() });
    this.#askOnTelegram();
    const onWeb = askOnWeb(origin, this.#link());
    const api = ask(`${origin}/api/post?url=${encodeURIComponent(this.#link())}`);
    const onDiscord = await happens(() => discordFiles(this.#chats).length > files.discord);
    const onTelegram = await happens(() => telegramFiles(this.#chats, SARI.id).length > files.telegram);
    return {
      Discord: answerOf(onDiscord, this.#own() > before.discord),
      Telegram: answerOf(onTelegram, this.#brought(SARI.id) > before.telegram),
      'web chat': await onWeb,
      API: answerOf((await api).status === 200),
    };
  }

  askManyAtOnce(): void {
    for (let i = 0; i < AT_ONCE; i += 1) this.#askOnTelegram();
  }

  /** Something that must be written down: what is said to it. */
  async change(wish: 'ignore' | 'answer'): Promise<string> {
    const { telegram } = this.#chats;
    const before = this.#brought(BUDI.id);
    telegram.message({ from: BUDI, text: `/privacy ${wish}` });
    await happens(() => this.#brought(BUDI.id) > before);
    const last = [...telegram.messages.values()].filter(({ byBot, chatId }) => byBot && chatId === BUDI.id).at(-1);
    return this.#brought(BUDI.id) > before ? (last?.text ?? '') : 'nothing';
  }

  /** Whether links of the one who asked for it are left alone. */
  async isLeftAlone(): Promise<boolean> {
    const before = this.#brought(BUDI.id);
    this.#chats.telegram.message({ from: BUDI, text: this.#link() });
    await pause(QUIET_MS);
    return this.#brought(BUDI.id) === before;
  }

  /** Links on Telegram that did not yet bring the post; below 0 when some brought it twice. */
  get owed(): number {
    return this.#askedOnTelegram - telegramFiles(this.#chats, SARI.id).length;
  }

  #askOnTelegram(): void {
    this.#askedOnTelegram += 1;
    this.#chats.telegram.message({ from: SARI, text: this.#link() });
  }

  #own(): number {
    return [...this.#chats.discord.messages.values()].filter(({ own }) => own).length;
  }

  #brought(chat: number): number {
    return [...this.#chats.telegram.messages.values()].filter(({ byBot, chatId }) => byBot && chatId === chat).length;
  }
}

type Answer = 'the post' | 'a word' | 'nothing';

function answerOf(isWhole: boolean, isSaid = false): Answer {
  if (isWhole) return 'the post';
  return isSaid ? 'a word' : 'nothing';
}

async function askOnWeb(origin: string, text: string): Promise<Answer> {
  const page = await connect(origin);
  try {
    page.send({ type: 'message', id: 'a', text });
    await page.hear('done');
    const { reply } = await page.hear('reply');
    return answerOf(JSON.stringify(reply).includes('/media/'), true);
  } catch {
    return 'nothing';
  } finally {
    page.socket.close();
  }
}

async function run(say: (line: string) => void, disk: OwnDisk, chats: Chats): Promise<boolean> {
  const people = new People(chats);
  const results: boolean[] = [];
  let medley: Program = await chats.start();
  let origin = (await medley.ready).replace(/\/$/, '');
  /** `wordsAlone`: where a link may be answered without its file. */
  const see = async (what: string, wanted: number, reason = '', wordsAlone: readonly string[] = []) => {
    const said = await readiness(origin, wanted);
    const answers = await people.askAll(origin);
    say(`${what}: /readyz ${said}`);
    say(
      `  a link: ${Object.entries(answers)
        .map(each => each.join(' '))
        .join(', ')}`,
    );
    const isAnswered = Object.entries(answers).every(
      ([where, answer]) => answer === 'the post' || (answer === 'a word' && wordsAlone.includes(where)),
    );
    results.push(said.startsWith(String(wanted)) && said.includes(reason) && isAnswered);
  };

  const settled = async (what: string) => {
    await happens(() => people.owed === 0, SETTLE_MS);
    await pause(QUIET_MS);
    say(
      `${what}: ${AT_ONCE} links on Telegram, ${Math.max(0, people.owed)} lost, ${Math.max(0, -people.owed)} answered twice`,
    );
    results.push(people.owed === 0);
  };

  await see('at first', 200);
  people.askManyAtOnce();
  await disk.refuseWrites(WRITTEN, true);
  await see('nothing can be written', 503, 'cannot be written');
  const refusal = await people.change('ignore');
  say(`  a setting: ${JSON.stringify(refusal)}`);
  results.push(refusal !== 'nothing');
  await disk.refuseWrites(WRITTEN, false);
  await see('it can again', 200);
  say(`  a setting: ${JSON.stringify(await people.change('ignore'))}`);
  await settled('asked as it began');
  people.askManyAtOnce();
  await happens(() => chats.telegram.pendingUpdates === 0);
  // What the system had not yet written is lost with such a disk, as it is with a loss of power.
  await disk.sync();
  await disk.turnReadOnly();
  say(`the disk turns read-only while ${people.owed} links wait for their post`);
  // A file that has to be uploaded lies on the disk for a while: without one, the card comes with the post's link.
  await see('the disk turned read-only', 503, 'read-only', ['Discord']);
  medley.child.kill('SIGTERM');
  const code = await Promise.race([medley.ended, pause(END_MS, 'late')]);
  say(`SIGTERM: exit code ${String(code)}`);
  if (code !== 0) say(`  ${medley.stderr().trim().split('\n').at(-1)}`);
  results.push(code === 0);
  await disk.mend();
  medley = await chats.start();
  origin = (await medley.ready).replace(/\/$/, '');
  const isKept = await people.isLeftAlone();
  say(`mended and started anew: the setting is ${isKept ? 'kept' : 'lost'}`);
  results.push(isKept);
  await settled('asked as it turned read-only');
  await see('and then', 200);
  return results.every(Boolean);
}

export const readOnlyDrill: Drill = {
  name: 'read-only',
  about:
    'nothing can be written to the disk while people ask, then it can; then it turns read-only (needs the right to mount)',
  async run(say) {
    const disk = await openOwnDisk();
    if (disk === undefined) {
      say('skipped: no disk of its own can be mounted here');
      return true;
    }
    let chats: Chats | undefined;
    try {
      chats = await openChats({
        sandbox: { generate: true },
        environment: { DATA_DIR: disk.folder, LOG_LEVEL: 'info' },
      });
      return await run(say, disk, chats);
    } finally {
      await chats?.close();
      await disk.remove();
    }
  },
};
