/** Settings of V8 that keep the program small beside others on a small machine. */
import { setFlagsFromString } from 'node:v8';

/** On these processors V8's quick compiler (Liftoff) knows all of WebAssembly. */
const QUICK_COMPILER = ['x64', 'arm64'].includes(process.arch);

/**
 * Sets V8's flags; to be called before libraries are loaded.
 *
 * - The heap is collected when it has doubled since the last time, the bodies of answers counted with it. By default it may first grow several times
 * over, which takes up to a third more memory and saves a tenth of the time; when it may only grow by half, pages take a third more time.
 * - WebAssembly is not optimized. The parser of HTTP answers is one huge function: optimizing it takes 60 MB for a moment, after some dozens of
 * answers, and makes no measurable difference.
 */
export function staySmall(): void {
  setFlagsFromString('--heap-growing-percent=100');
  if (QUICK_COMPILER) setFlagsFromString('--liftoff-only');
}

/** Lets V8 optimize the WebAssembly modules that are compiled from now on; for those that compute a lot. */
export function optimizeWasm(): void {
  if (!QUICK_COMPILER) return;
  for (const flag of ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering']) setFlagsFromString(flag);
}
