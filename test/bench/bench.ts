/** `npm run bench` runs every bench in turn, `npm run bench -- NAME` one of them; `-- catalogue 1500000` over so many sets,
 * `-- compress 60 3` with videos of 60 s in 3 rounds. */
import { run as runAutocomplete } from './autocomplete-bench.ts';
import { benchCatalogue } from './catalogue-bench.ts';
import { stopChildren } from './child.ts';
import { run as runCompress } from './compress/compress-bench.ts';
import { run as runDifficulty } from './difficulty-bench.ts';
import { runDelivery, run as runDiscord } from './discord-bench.ts';
import { benchEstimates } from './estimate-bench.ts';
import { run as runIgdownload } from './igdownload/igdownload-bench.ts';
import { runPage } from './page-bench.ts';
import { runQueue } from './queue-bench.ts';
import { benchRecommend } from './recommend/recommend-bench.ts';

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
]);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stopChildren().finally(() => process.exit(1));
  });
}

const name = process.argv[2];
if (name !== undefined && !BENCHES.has(name)) {
  console.error(`no bench ${name}; there are ${[...BENCHES.keys()].join(', ')}`);
  process.exit(1);
}
for (const [each, run] of BENCHES) {
  if (name !== undefined && name !== each) continue;
  console.log(`\n# ${each}\n`);
  await run();
}
