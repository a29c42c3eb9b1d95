/**
 * `npm run drill`, or `npm run drill -- NAME ...`: attacks and faults against the program as it is built, on loopback alone and bounded in
 * time; the long ones run only when they are named. Each prints what somebody saw who had nothing to do with it. Exit code 1 when
 * one of them was not withstood.
 */
import type { Drill } from './drill.ts';
import { DRILLS } from './drills.ts';

const MAX_MS = 180_000;

async function hold(drill: Drill): Promise<boolean> {
  const { maxMs = MAX_MS } = drill;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not over after ${maxMs / 1_000} s`)), maxMs);
  });
  try {
    return await Promise.race([drill.run(line => process.stdout.write(`    ${line}\n`)), late]);
  } catch (error) {
    process.stdout.write(`    ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return false;
  } finally {
    clearTimeout(timer);
  }
}

const names = process.argv.slice(2);
const unknown = names.filter(name => DRILLS.every(drill => drill.name !== name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no drill ${unknown.join(', ')}. There are: ${DRILLS.map(({ name }) => name).join(', ')}\n`,
  );
  process.exit(1);
}
const results: string[] = [];
for (const drill of DRILLS.filter(({ name, isLong }) => (names.length === 0 ? !isLong : names.includes(name)))) {
  process.stdout.write(`\n${drill.name}: ${drill.about}\n`);
  const startedAt = performance.now();
  const isWithstood = await hold(drill);
  const took = ((performance.now() - startedAt) / 1_000).toFixed(1);
  results.push(`${isWithstood ? 'ok    ' : 'FAILED'}  ${drill.name} (${took} s)`);
}
process.stdout.write(`\n${results.join('\n')}\n`);
process.exit(results.some(line => line.startsWith('FAILED')) ? 1 : 0);
