// The log of a running service: JSON lines, or a readable form of them on a terminal.

import pino from 'pino';

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  isLevelEnabled(level: string): boolean;
  /** The same as `info` with these fields, for less: there is such a line for every request. */
  request?(answered: AnsweredRequest): void;
  /** Lines that were given up because nobody took those before them. */
  dropped?(): number;
}

export interface AnsweredRequest {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  readonly bytes: number;
}

export interface OpenLog extends Log {
  dropped(): number;
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

/** Bytes of lines that wait to be written; those beyond them are given up, as nobody takes them. */
const mostUnwritten = 4 * 1024 * 1024;
/** Characters of one line; of a longer one the texts in it are cut. */
const longestLine = 16 * 1024;
const longestText = 1024;
/** Characters of lines that are written together, and the milliseconds that they wait for each other. */
const mostTogether = 60 * 1024;
/** Bytes of one write: at least those lines. */
const largestWrite = 64 * 1024;
const longestWait = 100;

export async function createLog({ level, pretty, colours = pretty, destination = 1 }: LogOptions): Promise<OpenLog> {
  const options = { level, base: null, formatters: { level: (label: string) => ({ level: label }) } };
  const format = pretty ? await readableLines(colours) : undefined;
  const file = pino.destination({ dest: destination, sync: false, maxLength: mostUnwritten, maxWrite: largestWrite });
  const lines = new LineBuffer((text) => file.write(text));
  let dropped = 0;
  file.on('drop', (text: string) => {
    dropped += text.split('\n').length - 1;
  });
  const write = (line: string): void => {
    const short = line.length <= longestLine ? line : shortened(line);
    if (format === undefined) lines.add(short);
    else file.write(format(short));
  };
  const flush = (): void => {
    lines.flush();
    file.flushSync();
    process.off('exit', flush);
  };
  process.on('exit', flush);
  return opened(pino(options, { write }), write, flush, () => dropped);
}

/** One system call for many lines: what waits is written ten times a second. */
class LineBuffer {
  readonly #write: (text: string) => void;
  #text = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  add(line: string): void {
    this.#text += line;
    if (this.#text.length >= mostTogether) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), longestWait).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#text;
    this.#text = '';
    if (text !== '') this.#write(text);
  }
}

async function readableLines(colours: boolean): Promise<(line: string) => string> {
  // Imported only where somebody is looking: it is slow to load.
  const { default: readable } = await import('pino-pretty');
  const layout = { colorize: colours, singleLine: true, translateTime: 'SYS:HH:MM:ss', messageFormat: lineOf, ignore: shownInLine };
  return readable.prettyFactory(layout);
}

/** The same line with its long texts cut; without all of its other fields where it is too long even so. */
function shortened(line: string): string {
  const fields: Readonly<Record<string, unknown>> = JSON.parse(line);
  const text = JSON.stringify(fields, (_, value: unknown) => (typeof value === 'string' ? cutText(value) : value));
  if (text.length <= longestLine) return `${text}\n`;
  const { level, time, id, msg } = fields;
  return `${JSON.stringify({ level, time, id, msg: cutText(String(msg)), cut: line.length })}\n`;
}

function cutText(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText)}… (${text.length} characters)`;
}

/** Fields that `lineOf` writes out, so that they are not shown a second time as JSON. */
const shownInLine = 'id,method,path,status,ms,bytes,name,version,addresses';

/** A request as `GET /blog/Post 200 5.9 ms 212 B`; anything else as its message, with the request that it belongs to. */
function lineOf(fields: Readonly<Record<string, unknown>>, messageKey: string): string {
  const { id, method, path, status, ms, bytes, name, version, addresses } = fields;
  const message = String(fields[messageKey]);
  if (Array.isArray(addresses)) return [message, name, version, ...addresses].filter((each) => each !== undefined).join(' ');
  if (typeof status === 'number') return `${method} ${path} ${status} ${Number(ms).toFixed(1)} ms ${bytes} B`;
  const request = [method, path, id === undefined ? undefined : `(${id})`].filter((each) => each !== undefined);
  return request.length === 0 ? message : `${message}: ${request.join(' ')}`;
}

/** Written by hand, as there is one for every request; neither an identifier of a request nor its method holds anything that JSON escapes. */
class RequestLines {
  #now = 0;
  /** Many requests are answered within a millisecond. */
  #begin = '';

  line({ id, method, path, status, ms, bytes }: AnsweredRequest): string {
    const now = Date.now();
    if (now !== this.#now) {
      this.#now = now;
      this.#begin = `{"level":"info","time":${now},"id":"`;
    }
    const quoted = plainPath.test(path) ? `"${path}"` : JSON.stringify(path);
    return `${this.#begin}${id}","method":"${method}","path":${quoted},"status":${status},"ms":${ms},"bytes":${bytes},"msg":"request"}\n`;
  }
}

const plainPath = /^[\w/.$%~-]*$/;

function opened(logger: pino.Logger, write: (line: string) => void, flush: () => void, dropped: () => number): OpenLog {
  const requests = new RequestLines();
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    isLevelEnabled: (level) => logger.isLevelEnabled(level),
    request: (answered) => write(requests.line(answered)),
    flush,
    dropped,
  };
}
