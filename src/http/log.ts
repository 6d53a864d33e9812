// The log of a running service: JSON lines, or a readable form of them on a terminal.

import pino from 'pino';

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  isLevelEnabled(level: string): boolean;
}

export interface OpenLog extends Log {
  /** Writes what is still in memory; to be called last. */
  flush(): void;
}

export interface LogOptions {
  readonly level: string;
  /** Readable, for a terminal. */
  readonly pretty: boolean;
  readonly colours?: boolean;
  /** A file descriptor or a file; standard output when absent. */
  readonly destination?: number | string;
}

export async function createLog({ level, pretty, colours = pretty, destination = 1 }: LogOptions): Promise<OpenLog> {
  const options = { level, base: null, formatters: { level: (label: string) => ({ level: label }) } };
  if (pretty) {
    // Imported only where somebody is looking: it is slow to load.
    const { default: prettyStream } = await import('pino-pretty');
    const stream = prettyStream({ colorize: colours, singleLine: true, translateTime: 'SYS:HH:MM:ss', destination, sync: true });
    return opened(pino(options, stream), () => undefined);
  }
  // One system call for many lines; what waits is written twice a second and at the end of the process.
  const file = pino.destination({ dest: destination, sync: false, minLength: 4096, periodicFlush: 500 });
  return opened(pino(options, file), () => file.flushSync());
}

function opened(logger: pino.Logger, flush: () => void): OpenLog {
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    isLevelEnabled: (level) => logger.isLevelEnabled(level),
    flush,
  };
}
