import { fstatSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';

/** Receives log lines, each with its line break. */
export interface LogDestination {
  /** Never waits and never throws. */
  write(line: string): void;
  /** Resolves when all lines are written or the time is over; lines that are left then may be lost. */
  flush(timeoutMs: number): Promise<void>;
}

/**
 * Writes to a file descriptor, stderr by default. A slow or closed pipe neither blocks the process nor keeps it from
 * ending: lines wait in a bounded buffer, and dropped ones are counted in a line. Files and terminals are written to at
 * once.
 * @param maxBytes bytes that may wait for a slow reader; lines beyond are dropped and counted
 */
export function openLogDestination(fd = 2, { maxBytes = 1024 * 1024 } = {}): LogDestination {
  return isPipe(fd) ? openPipe(fd, maxBytes) : openFile(fd);
}

function isPipe(fd: number): boolean {
  try {
    const kind = fstatSync(fd);
    return kind.isFIFO() || kind.isSocket();
  } catch {
    // The descriptor is closed. It does not matter which answer is returned, as no line can be written to it.
    return false;
  }
}

function openFile(fd: number): LogDestination {
  return {
    write(line) {
      try {
        writeSync(fd, line);
      } catch {
        // The disk is full or the terminal closed, and there is no other place to report it.
      }
    },
    async flush() {},
  };
}

/**
 * Writes to a pipe by a socket, because Node's stderr would wait for the reader, and pino's own destination could keep
 * the process alive.
 */
function openPipe(fd: number, maxBytes: number): LogDestination {
  const pipe = new Socket({ fd, readable: false, writable: true });
  let dropped = 0;

  function sayDropped(): void {
    if (dropped === 0 || pipe.destroyed) return;
    const line = { level: 'warn', time: new Date().toISOString(), dropped, msg: 'log lines were dropped' };
    dropped = 0;
    pipe.write(`${JSON.stringify(line)}\n`);
  }

  // The reader has gone: further lines are lost, as with any pipe, and the process goes on.
  pipe.on('error', () => undefined);
  pipe.on('drain', sayDropped);
  pipe.unref();
  return {
    write(line) {
      if (pipe.destroyed) return;
      if (pipe.writableLength + line.length > maxBytes) dropped += 1;
      else pipe.write(line);
    },
    async flush(timeoutMs) {
      sayDropped();
      if (pipe.destroyed || pipe.writableLength === 0) return;
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, timeoutMs);
        // The callback runs when all lines before it have been written, or cannot be written any more.
        pipe.write('', () => {
          clearTimeout(timer);
          resolve();
        });
      });
    },
  };
}
