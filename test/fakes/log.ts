import type { Logger } from '../../src/infra/log.ts';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly details: object;
  readonly message: string;
}

export interface RecordingLog extends Logger {
  readonly lines: readonly LogLine[];
  /** Lines of a level, `warn` and `error` when none is named. */
  at(...levels: readonly LogLine['level'][]): readonly LogLine[];
}

export function createRecordingLog(): RecordingLog {
  const lines: LogLine[] = [];
  const write = (level: LogLine['level']) => (details: object, message: string) => {
    lines.push({ level, details, message });
  };
  const log: RecordingLog = {
    lines,
    at: (...levels) => lines.filter(line => (levels.length === 0 ? ['warn', 'error'] : levels).includes(line.level)),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => log,
  };
  return log;
}
