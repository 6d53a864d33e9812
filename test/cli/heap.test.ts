// How the heap of the service grows, in a process of its own: its flags hold for the whole of it.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './harness.ts';

const program = `
import { getHeapSpaceStatistics } from 'node:v8';
import { tuneHeap } from ${JSON.stringify(join(root, 'src/cli/run/heap.ts'))};
const young = () => getHeapSpaceStatistics().find((each) => each.space_name === 'new_space').space_size / 1024 / 1024;
tuneHeap();
const sizes = [young()];
// What would let it grow: much that is still used whenever it is collected.
let held = [];
for (let count = 0; count < 3_000_000; count += 1) {
  held.push({ count, text: 'text ' + count });
  if (held.length > 200_000) held = [];
}
sizes.push(young());
process.stdout.write(JSON.stringify(sizes));
process.exit();
`;

test('the young generation has its full size of 32 MiB from the start, and takes no more on any runtime', () => {
  const said = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(JSON.parse(said)).toEqual([32, 32]);
});
