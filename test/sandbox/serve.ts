/**
 * The sandbox on its own, for benches and for trying things by hand: prints its overrides as one line and serves until it is
 * stopped. `--generate` answers any Instagram code, `--port=N` picks the port.
 */
import { createSandbox } from './sandbox.ts';

const port = process.argv.find(argument => argument.startsWith('--port='))?.slice('--port='.length);
const sandbox = await createSandbox({ port: Number(port ?? 0), generate: process.argv.includes('--generate') });
process.stdout.write(`${sandbox.overrides}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void sandbox.close());
