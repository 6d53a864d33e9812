// Names in nested scopes, against an interpreter with a stack of scopes: the variable of a loop ends with it, and what it hid is back.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { open } from '../support/app.ts';
import { isLarge } from '../support/form.ts';
import { type Body, interpret, program, type Seen } from './scopes/program.ts';
import { currentModel, earlierModel } from './scopes/render.ts';

/** So many programs are workflows of one application. */
const together = 25;
const numRuns = isLarge ? 80 : 2;

/** What an answer shows: an item as its number. */
function seenIn(value: unknown): Seen {
  if (Array.isArray(value)) return value.map(seenIn);
  if (typeof value === 'number' || typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return null;
  const [only] = Object.values(value);
  const id = 'id' in value ? value.id : 'Id' in value ? value.Id : undefined;
  return id === undefined ? seenIn(only) : `item ${String(id)}`;
}

async function agree(programs: readonly Body[], surface: 'current' | 'earlier'): Promise<void> {
  const isCurrent = surface === 'current';
  const text = isCurrent ? currentModel(programs) : earlierModel(programs);
  const served = await open(isCurrent ? text : { 'm.platform': text }, { surfaces: [surface] });
  try {
    for (const [index, each] of programs.entries()) {
      const answer = isCurrent ? await served.post(`/m/p${index}`, {}) : await served.post(`/api/M/P${index}`, { [`M/P${index}`]: {} });
      expect(answer.status, answer.text).toBe(200);
      expect(seenIn(answer.body), text).toEqual(interpret(each));
    }
  } finally {
    await served.close();
  }
}

for (const surface of ['current', 'earlier'] as const) {
  test(`names mean what their scopes say, in the ${surface} syntax`, { timeout: 600_000 }, async () => {
    const programs = fc.array(program, { minLength: together, maxLength: together });
    await fc.assert(
      fc.asyncProperty(programs, (each) => agree(each, surface)),
      { numRuns, endOnFailure: isLarge },
    );
  });
}
