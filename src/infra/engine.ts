/** Settings of V8 that keep the program's memory small. */
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/** How often `staySmall` compiles an empty script: the effect of one on V8 lasts for some 110 seconds. */
const SCRIPT_MS = 60_000;
export const ENGINE_FLAGS = [
  '--heap-growing-percent=100',
  '--bytecode-old-age=1',
  '--no-wasm-tier-up',
  '--no-wasm-dynamic-tiering',
];

/**
 * Sets V8's flags; to be called before libraries are loaded.
 * - Garbage is collected when the heap and the bodies of answers have doubled since the last collection. V8's default
 * lets them grow several times over, which takes a third more memory and saves a tenth of the time; collecting after
 * growth by half makes pages take a third more time.
 * - WebAssembly is not optimized. The parser of HTTP answers is one huge function: optimizing it takes 60 MB for a
 * moment, after some dozens of answers, and makes no measurable difference.
 * - The bytecode of functions that were not called between two collections is dropped, and compiled again on the next
 * call. V8's default would keep the code that only the program's start needs.
 * - An empty script is compiled each minute. V8 returns memory to the system when a program allocates little, but V8 13
 * (Node 24) takes the C++ heap for busy if nothing at all is allocated in it. Compiling a script allocates there.
 */
export function staySmall(): void {
  for (const flag of ENGINE_FLAGS) setFlagsFromString(flag);
  const compile = () => new Script('');
  compile();
  setInterval(compile, SCRIPT_MS).unref();
}

/** Lets V8 optimize the WebAssembly modules that are compiled after this call, for modules that compute much. */
export function optimizeWasm(): void {
  for (const flag of ['--wasm-tier-up', '--wasm-dynamic-tiering']) setFlagsFromString(flag);
}
