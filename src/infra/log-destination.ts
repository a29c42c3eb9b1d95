import { fstatSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';

/** Receives log lines, each with its line break. */
export interface LogDestination {
  /** Never waits and never throws. */
  write(line: string): void;
  /** Resolves when all lines are written or the time is over; lines that are left then may be lost. */
  flush(timeoutMs: number): Promise<void>;
}

export interface LogDestinationOptions {
  /** Bytes that may wait for a slow reader; lines beyond are dropped and counted. Default 1 MiB. */
  readonly maxBytes?: number;
}

/**
 * Writes to a file descriptor, stderr by default. A slow or closed pipe neither blocks the process nor keeps it from
 * ending: lines wait in a bounded buffer, and dropped ones are counted in a line. Files and terminals are written to at
 * once.
 */
export function openLogDestination(fd = 2, { maxBytes = 1024 * 1024 }: LogDestinationOptions = {}): LogDestination {
  return isPipe(fd) ? new PipeDestination(fd, maxBytes) : new FileDestination(fd);
}

function isPipe(fd: number): boolean {
  try {
    const kind = fstatSync(fd);
    return kind.isFIFO() || kind.isSocket();
  } catch {
    // The line cannot be written at all if the descriptor is closed.
    return false;
  }
}

class FileDestination implements LogDestination {
  readonly #fd: number;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(line: string): void {
    try {
      writeSync(this.#fd, line);
    } catch {
      // The disk is full or the terminal closed, and there is no other place to report it.
    }
  }

  async flush(): Promise<void> {}
}

/** Writes to a pipe: Node's own stream waits for the reader, and pino's can keep the process from ending. */
class PipeDestination implements LogDestination {
  readonly #pipe: Socket;
  readonly #maxBytes: number;
  #dropped = 0;

  constructor(fd: number, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#pipe = new Socket({ fd, readable: false, writable: true });
    // The reader has gone: further lines are lost, as with any pipe.
    this.#pipe.on('error', () => undefined);
    this.#pipe.on('drain', () => this.#sayDropped());
    this.#pipe.unref();
  }

  write(line: string): void {
    if (this.#pipe.destroyed) return;
    if (this.#pipe.writableLength + line.length > this.#maxBytes) this.#dropped += 1;
    else this.#pipe.write(line);
  }

  async flush(timeoutMs: number): Promise<void> {
    this.#sayDropped();
    const pipe = this.#pipe;
    if (pipe.destroyed || pipe.writableLength === 0) return;
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, timeoutMs);
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      // The callback runs when all lines before it have been written, or cannot be written any more.
      pipe.write('', done);
    });
  }

  #sayDropped(): void {
    if (this.#dropped === 0 || this.#pipe.destroyed) return;
    const line = {
      level: 'warn',
      time: new Date().toISOString(),
      dropped: this.#dropped,
      msg: 'log lines were dropped',
    };
    this.#dropped = 0;
    this.#pipe.write(`${JSON.stringify(line)}\n`);
  }
}
