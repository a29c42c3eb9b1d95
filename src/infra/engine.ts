/** Settings of V8 for a program that stays small beside others on a small machine. */
import { setFlagsFromString } from 'node:v8';

/** There the compiler that is quick knows all of WebAssembly. */
const QUICK_COMPILER = ['x64', 'arm64'].includes(process.arch);

/**
 * Before libraries are loaded.
 *
 * - The heap is collected when it has doubled since the last time, the bodies of answers counted with it. By default it may first grow
 *   several times over, which takes up to a third more memory and saves a tenth of the time; when it may only grow by half, pages take a
 *   third more time.
 * - WebAssembly is not optimized. The parser of HTTP answers is one huge function: that takes 60 MB for a moment, after some dozens
 *   of answers, and makes no difference that can be measured either.
 */
export function staySmall(): void {
  setFlagsFromString('--heap-growing-percent=100');
  if (QUICK_COMPILER) setFlagsFromString('--liftoff-only');
}

/** For WebAssembly that computes, compiled from now on. */
export function optimizeWasm(): void {
  if (!QUICK_COMPILER) return;
  for (const flag of ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering']) setFlagsFromString(flag);
}
