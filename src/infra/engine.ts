/** What V8 is told about this program: it is to stay small beside others on a small machine. */
import { setFlagsFromString } from 'node:v8';

/** There the compiler that is quick knows all of WebAssembly. */
const QUICK_COMPILER = ['x64', 'arm64'].includes(process.arch);

/**
 * Before any library compiles its WebAssembly. The parser of HTTP answers is one huge function: to optimize it takes 60 MB for a
 * moment, after some dozens of answers, and makes no difference that can be measured.
 */
export function compileWasmQuickly(): void {
  if (QUICK_COMPILER) setFlagsFromString('--liftoff-only');
}

/** For WebAssembly that computes, compiled from now on. */
export function compileWasmWell(): void {
  if (!QUICK_COMPILER) return;
  for (const flag of ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering']) setFlagsFromString(flag);
}
