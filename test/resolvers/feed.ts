// Another system that tells of its own accord: lines of a file, of which a handler waits for the next one.

import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The cursor is the number of the last line that was committed. */
export const handlers = `
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
export const processId = () => process.pid;
export async function watch(emit, { cursor, config, signal, log }) {
  const file = config.file ?? new URL('../feed', import.meta.url).pathname;
  for (let at = cursor ?? 0; !signal.aborted; ) {
    const lines = readFileSync(file, 'utf8').split('\\n').filter((each) => each !== '');
    if (at >= lines.length) { await sleep(20); continue; }
    const line = lines[at];
    if (line === '"break off"' && !existsSync(file + '.mended')) throw new Error('the connection was cut');
    try {
      if (line !== '"break off"') await emit(JSON.parse(line), at + 1);
    } catch (thrown) {
      log.warn('refused: ' + thrown.message);
    }
    at += 1;
  }
}
`;

export interface Feed {
  readonly file: string;
  add(...messages: readonly unknown[]): void;
}

export function feedIn(folder: string): Feed {
  const file = join(folder, 'feed');
  writeFileSync(file, '');
  return { file, add: (...messages) => appendFileSync(file, messages.map((each) => `${JSON.stringify(each)}\n`).join('')) };
}
