/** `npm run bench` runs every bench in turn, `npm run bench -- NAME` one of them; `-- catalogue 1500000` over so many sets,
 * `-- compress 60 3` with videos of 60 s in 3 rounds. What counts is printed first, in one table, then each bench's own. */
import { cpus, loadavg } from 'node:os';
import { run as runAutocomplete } from './autocomplete-bench.ts';
import { benchCatalogue } from './catalogue-bench.ts';
import { stopChildren } from './child.ts';
import { run as runCompress } from './compress/compress-bench.ts';
import { watchCrowd } from './crowd.ts';
import { run as runDifficulty } from './difficulty-bench.ts';
import { runDelivery, run as runDiscord } from './discord-bench.ts';
import { benchEstimates } from './estimate-bench.ts';
import { type Finding, renderFindings, takeReport } from './findings.ts';
import { run as runIgdownload } from './igdownload/igdownload-bench.ts';
import { runPage } from './page-bench.ts';
import { runQueue } from './queue-bench.ts';
import { benchRecommend } from './recommend/recommend-bench.ts';
import { runScale } from './scale-bench.ts';

const BENCHES: ReadonlyMap<string, () => Promise<void>> = new Map([
  ['igdownload', runIgdownload],
  ['discord', runDiscord],
  ['difficulty', runDifficulty],
  ['autocomplete', () => runAutocomplete()],
  ['delivery', runDelivery],
  ['catalogue', () => benchCatalogue(Number(process.argv[3] ?? 200_000))],
  ['estimates', async () => benchEstimates()],
  ['recommend', () => benchRecommend(100, 20_000)],
  ['compress', () => runCompress(Number(process.argv[3] ?? 20), Number(process.argv[4] ?? 3))],
  ['queue', runQueue],
  ['page', runPage],
  ['scale', runScale],
]);
/** It repeats the rounds in which the machine was crowded, each by itself. */
const REPEATS_ITSELF = 'igdownload';

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stopChildren().finally(() => process.exit(1));
  });
}

/** Once more where others kept the machine busy; the last run counts. */
async function measure(name: string, run: () => Promise<void>) {
  const first = await watchCrowd(run);
  if (first.crowd?.isCrowded !== true || name === REPEATS_ITSELF) return { ...takeReport(), crowd: first.crowd };
  takeReport();
  process.stderr.write(`${name}: ${first.crowd.words}, once more\n`);
  const { crowd } = await watchCrowd(run);
  return { ...takeReport(), crowd };
}

const name = process.argv[2];
if (name !== undefined && !BENCHES.has(name)) {
  console.error(`no bench ${name}; there are ${[...BENCHES.keys()].join(', ')}`);
  process.exit(1);
}
const all: Finding[] = [];
const tables: string[] = [];
for (const [each, run] of BENCHES) {
  if (name !== undefined && name !== each) continue;
  process.stderr.write(`${each} ...\n`);
  const { findings, details, crowd } = await measure(each, run);
  all.push(...findings.map(finding => ({ ...(crowd && { crowd }), ...finding })));
  tables.push(`\n# ${each}\n`, ...details);
}
const load = loadavg().map(value => value.toFixed(1));
console.log(
  `Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model.trim()}; load at the end ${load.join(', ')}\n`,
);
console.log(renderFindings(all));
console.log(tables.join('\n'));
