// The matrix of access control once more, asked through tools and resources of assistants: what they are shown and may change is what their caller may, by the oracle.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { flows } from './matrix/flows.ts';
import { type McpCell, mcpFault, mcpReads, mcpWrites } from './matrix/mcp.ts';
import { callers, makeRows } from './matrix/rows.ts';
import { expectUnchanged, sampled } from './matrix/unchanged.ts';
import { type MatrixWorld, openMatrix } from './matrix/world.ts';

const signedIn = callers.filter(({ email }) => email !== undefined);

let [cells, differences] = [0, 0];
let world: MatrixWorld;

beforeAll(async () => {
  world = await openMatrix('current', { facts: makeRows(), callers, flows: flows.current, mcp: true });
});
afterAll(async () => {
  await world?.close();
  process.stdout.write(`matrix of access, tools of assistants: ${cells} cells, ${differences} differences\n`);
});

test.each(signedIn)('$name is shown by tools and resources what the rules show', async (caller) => {
  await hold(mcpReads({ caller, world }), caller);
});

test.each(signedIn)('$name changes by tools what the rules allow', async (caller) => {
  await hold(mcpWrites({ caller, world }), caller);
});

test('whoever is not signed in is answered nothing', async () => {
  const [anonymous] = callers.filter(({ email }) => email === undefined);
  if (anonymous === undefined) throw new Error('everybody is signed in');
  for (const method of ['tools/list', 'tools/call', 'resources/read']) {
    const { status } = await world.ask(anonymous, { method: 'POST', target: '/mcp', body: { jsonrpc: '2.0', id: 1, method } });
    expect([method, status]).toEqual([method, 401]);
    cells += 1;
  }
});

test('what was denied has changed nothing, and nothing was deleted', async () => {
  await expectUnchanged(world);
});

async function hold(all: readonly McpCell[], caller: (typeof callers)[number]): Promise<void> {
  const some = sampled(all, callers.indexOf(caller));
  const faults: string[] = [];
  for (const cell of some) {
    const fault = await mcpFault(cell, { caller, world });
    if (fault !== undefined) faults.push(fault);
  }
  cells += some.reduce((sum, { decides }) => sum + decides, 0);
  differences += faults.length;
  expect(faults.slice(0, 10).join('\n'), `${faults.length} differences`).toBe('');
}
