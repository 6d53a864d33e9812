// The matrix of access control once more, asked through the tools of agents: what a model is shown and may change is what its caller may, by the oracle.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { flows } from './matrix/flows.ts';
import { callers, makeRows, types } from './matrix/rows.ts';
import { agents, type CallingModel, callingModel, type ToolCell, toolFaults, toolReads, toolWrites } from './matrix/tools.ts';
import { expectUnchanged, sampled } from './matrix/unchanged.ts';
import { type MatrixWorld, openMatrix } from './matrix/world.ts';

const signedIn = callers.filter(({ email }) => email !== undefined);

let cells = 0;
let model: CallingModel;
let world: MatrixWorld;

beforeAll(async () => {
  model = await callingModel();
  world = await openMatrix('current', { facts: makeRows(), callers, flows: `${flows.current}\n${agents}`, llm: model.llm });
});
afterAll(async () => {
  await world?.close();
  await model?.close();
  process.stdout.write(`matrix of access, tools of agents: ${cells} cells\n`);
});

test.each(signedIn)('$name is shown by an agent what the rules show', async (caller) => {
  const around = { caller, world };
  await hold(toolReads(around), callers.indexOf(caller), (some) => toolFaults(some, around, model));
});

test.each(signedIn)('$name changes by an agent what the rules allow', async (caller) => {
  const around = { caller, world };
  await hold(toolWrites(around), callers.indexOf(caller), (some) => toolFaults(some, around, model));
});

test('whoever is not signed in asks no agent', async () => {
  const [anonymous] = callers.filter(({ email }) => email === undefined);
  for (const type of types) {
    const request = { method: 'POST', target: world.surface.at(`works${type}`), body: { message: '[]' } };
    expect(anonymous && (await world.ask(anonymous, request)).status).toBe(401);
    cells += 1;
  }
});

test('what was denied to an agent has changed nothing, and nothing was deleted', async () => {
  await expectUnchanged(world);
});

async function hold(
  all: readonly ToolCell[],
  begin: number,
  ask: (some: readonly ToolCell[]) => Promise<readonly string[]>,
): Promise<void> {
  const some = sampled(all, begin);
  const faults = await ask(some);
  cells += some.reduce((sum, { decides }) => sum + decides, 0);
  expect(faults.slice(0, 10).join('\n'), `${faults.length} differences`).toBe('');
}
