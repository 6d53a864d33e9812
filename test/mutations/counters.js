// In each process of a recorded run (`node --import`): notes which regions of the source are entered, in the file of the test file that runs.

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.env['PLATFORM_MUTATIONS_RECORD'] ?? '';
const seen = new Uint8Array(1 << 18);
// A process that a test starts is told whose it is; in those of the test runner it changes from file to file.
let unit = process.env['PLATFORM_MUTATIONS_UNIT'];
let waiting = [];

globalThis.__entered = (id) => {
  if (seen[id] === 1) return;
  seen[id] = 1;
  if (unit === undefined) waiting.push(id);
  else note(unit, [id]);
};

/** What is entered while a test file is loaded may be what it calls itself, or what its modules do once in a process. */
globalThis.__beforeUnit = () => {
  unit = undefined;
  waiting = [];
  seen.fill(0);
  delete process.env['PLATFORM_MUTATIONS_UNIT'];
};

globalThis.__beginUnit = (name) => {
  unit = encodeURIComponent(name);
  process.env['PLATFORM_MUTATIONS_UNIT'] = unit;
  note(unit, waiting);
  note('loaded', waiting);
};

function note(name, ids) {
  appendFileSync(join(folder, name), ids.map((id) => `${id}\n`).join(''));
}
