/** Settings of V8 that keep the program's memory small. */
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/** How often `staySmall` compiles an empty script: the effect of one on V8 lasts for some 110 seconds. */
const SCRIPT_MS = 60_000;
const FLAGS = ['--heap-growing-percent=100', '--bytecode-old-age=1', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering'];

/**
 * Sets V8's flags; to be called before libraries are loaded.
 * - Garbage is collected when the heap and the bodies of answers have doubled since the last collection. V8's default
 * lets them grow several times over, which takes a third more memory and saves a tenth of the time; collecting after
 * growth by half makes pages take a third more time.
 * - WebAssembly is not optimized. The parser of HTTP answers is one huge function: optimizing it takes 60 MB for a
 * moment, after some dozens of answers, and makes no measurable difference.
 * - Code of functions is forgotten when they were not called between two collections, and compiled again from their
 * text when they are. V8's default keeps what only the start needed.
 * - An empty script is compiled each minute. V8 gives memory back while little is allocated, but V8 13 (Node 24) takes
 * a C++ heap without any allocation for a busy one. Compiling a script allocates there.
 */
export function staySmall(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
  const compile = () => new Script('');
  compile();
  setInterval(compile, SCRIPT_MS).unref();
}

/** Lets V8 optimize the WebAssembly modules that are compiled after this call; for modules that compute a lot. */
export function optimizeWasm(): void {
  for (const flag of ['--wasm-tier-up', '--wasm-dynamic-tiering']) setFlagsFromString(flag);
}
