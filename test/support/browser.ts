// A real browser, where this machine has one: driven over the pipe of its DevTools protocol.

import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'] as const;

/** The program `PLATFORM_TEST_BROWSER`, else one that is installed; absent where there is none. */
export function installedBrowser(): string | undefined {
  const given = process.env['PLATFORM_TEST_BROWSER'];
  if (given !== undefined) return given;
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

type Json = Readonly<Record<string, unknown>>;

export interface Page {
  goTo(address: string): Promise<void>;
  /** What the expression gives, in the page; promises are waited for. */
  evaluate(expression: string): Promise<unknown>;
  /** The same, asked until it is truthy. */
  until(expression: string): Promise<unknown>;
  /** Into what has the focus, as a keyboard would. */
  type(text: string): Promise<void>;
  /** Addresses that the page was answered from, with the status. */
  readonly answered: readonly string[];
  /** What its console, and the policy of its content, complained about. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

export async function openPage(program: string): Promise<Page> {
  const folder = mkdtempSync(join(tmpdir(), 'platform-browser-'));
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--remote-debugging-pipe'];
  const child = spawn(program, [...flags, `--user-data-dir=${folder}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const connection = new Connection(child);
  const { targetId } = await connection.send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await connection.send('Target.attachToTarget', { targetId, flatten: true });
  const send = (method: string, parameters: Json = {}) => connection.send(method, parameters, String(sessionId));
  const answered: string[] = [];
  const complaints: string[] = [];
  connection.heard = (method, { response, entry, exceptionDetails }) => {
    if (method === 'Network.responseReceived') answered.push(`${Object(response).status} ${Object(response).url}`);
    if (method === 'Log.entryAdded' && Object(entry).level === 'error') complaints.push(String(Object(entry).text));
    if (method === 'Runtime.exceptionThrown') complaints.push(JSON.stringify(exceptionDetails));
  };
  for (const domain of ['Page', 'Network', 'Log', 'Runtime']) await send(`${domain}.enable`);
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return Object(result).value;
  };
  return {
    answered,
    complaints,
    evaluate,
    async goTo(url) {
      await send('Page.navigate', { url });
    },
    async until(expression) {
      for (;;) {
        // While a page is left for another one, there is nothing to ask.
        const found = await evaluate(expression).catch(() => undefined);
        if (found) return found;
        await delay(50);
      }
    },
    async type(text) {
      await send('Input.insertText', { text });
    },
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      await connection.send('Browser.close', {}).catch(() => {});
      await ended;
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** One message after the other, each ended by a NUL; answers have the number of what they answer. */
class Connection {
  readonly #waiting = new Map<number, { resolve(result: Json): void; reject(thrown: Error): void }>();
  readonly #out: Writable;
  #last = 0;
  #rest = '';
  heard: (method: string, parameters: Json) => void = () => {};

  constructor(child: ChildProcess) {
    const [, , , out, into] = child.stdio;
    if (!(out instanceof Writable) || !(into instanceof Readable)) throw new Error('the browser has no pipe');
    this.#out = out;
    into.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    child.once('error', (thrown) => this.#fail(thrown));
    child.once('exit', (code) => this.#fail(new Error(`the browser has ended (${code})`)));
  }

  send(method: string, params: Json, sessionId?: string): Promise<Json> {
    this.#last += 1;
    const id = this.#last;
    this.#out.write(`${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #read(text: string): void {
    const messages = `${this.#rest}${text}`.split('\0');
    this.#rest = messages.pop() ?? '';
    for (const message of messages) {
      const { id, method, params, result, error } = Object(JSON.parse(message));
      if (id === undefined) this.heard(String(method), Object(params));
      else if (error === undefined) this.#waiting.get(id)?.resolve(Object(result));
      else this.#waiting.get(id)?.reject(new Error(JSON.stringify(error)));
      this.#waiting.delete(id);
    }
  }

  #fail(thrown: Error): void {
    for (const { reject } of this.#waiting.values()) reject(thrown);
    this.#waiting.clear();
  }
}
