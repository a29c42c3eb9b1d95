/** Settings of V8 that keep the program's memory small. */
import { setFlagsFromString } from 'node:v8';

/** On these processors V8's quick compiler (Liftoff) supports all of WebAssembly. */
const QUICK_COMPILER = ['x64', 'arm64'].includes(process.arch);

/**
 * Sets V8's flags; to be called before libraries are loaded.
 * - Garbage is collected when the heap and the bodies of answers have doubled since the last collection. V8's default
 * lets them grow several times over: a third more memory for a tenth less time; with growth by half, pages take a third
 * more time.
 * - WebAssembly is not optimized. The parser of HTTP answers is one huge function: optimizing it takes 60 MB for a
 * moment, after some dozens of answers, and makes no measurable difference.
 */
export function staySmall(): void {
  setFlagsFromString('--heap-growing-percent=100');
  if (QUICK_COMPILER) setFlagsFromString('--liftoff-only');
}

/** Lets V8 optimize the WebAssembly modules that are compiled after this call; for modules that compute a lot. */
export function optimizeWasm(): void {
  if (!QUICK_COMPILER) return;
  for (const flag of ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering']) setFlagsFromString(flag);
}
