// What an outer join may be asked: the model refuses exactly what the plan would leave to the rows.

import { expect, test } from 'vitest';
import { currentFrontEnd } from '../../src/language/current/current.ts';
import { link } from '../../src/model/link/link.ts';
import type { Model } from '../../src/model/model.ts';
import { compile } from '../../src/plan/compile.ts';
import type { Plan } from '../../src/plan/plan.ts';
import { counted, sampled } from '../support/form.ts';

const attributes = [
  's String',
  'n Int',
  'd Decimal',
  'f Float',
  'b Boolean',
  'u UUID',
  'day Date',
  'at DateTime',
  'tm Time',
  'm Map',
  'x Any',
  'l Int[]',
  'e String @enum("a", "b")',
  'c Int @expr(n + 1)',
  'r R',
];
const names = attributes.map((each) => each.split(' ')[0] ?? '');
const declared = attributes.map((each) => (each.includes('@') ? each : `${each} @optional`)).join(', ');

const model = `module m
record R { k Int }
entity A { id Int @id, ${declared} }
entity B { id Int @id, ${declared} }
entity P { id String @id }
entity K { id Int @id, g UUID @guid }
entity N { id Int @id, g Int @guid }
entity W { id Int @id, s String @optional }
relationship PK contains(P, K)
relationship PN contains(P, N)
relationship PW contains(P, W)
relationship AK between(A, K)
relationship AN between(A, N)
relationship AW between(A, W)
relationship AP between(A, P) { s String @optional }
`;

const operators = ['', '!=', '<', '<=', '>', '>=', 'in ', 'like ', 'between '];
const values = [
  'null',
  '1',
  '"a"',
  '[1, 2]',
  'w0.s',
  'w0.n + 1',
  'w0.list',
  'A.n + 1',
  '[A.n, A.c]',
  'A.r.k',
  '"x" + A.s',
  'len(A.s)',
  'B.n',
  'B.n * 2',
];
const links = ['AK', 'AN', 'AW', 'AP'];
const ends = ['A', 'K', 'N', 'W', 'P', 's', '__Id__', '__path__'];
const others = ['A', 'K', 'N', 'W', 'P'].flatMap((type) => ['id', 'g', 's', '__Id__', '__path__'].map((name) => `${type}.${name}`));

/** The first type, the joined one, and its condition. */
type Asked = readonly [main: string, joined: string, condition: string];

const every: readonly Asked[] = [
  ...names.flatMap((name) =>
    operators.flatMap((operator) =>
      [...values, ...names.map((each) => `A.${each}`)].map((value): Asked => ['A', 'B', `${name}?${operator} ${value}`]),
    ),
  ),
  ...links.flatMap((link) =>
    ends.flatMap((end) =>
      ['', '!=', '>'].flatMap((operator) => others.map((other): Asked => [other.split('.')[0] ?? '', link, `${end}?${operator} ${other}`])),
    ),
  ),
  ...links.flatMap((one) => links.flatMap((two) => ['K', 'N', 'W', 'A'].map((end): Asked => [one, two, `${end}? ${one}.${end}`]))),
  ...names.map((name): Asked => ['A', 'A', `${name}? A.${name}`]),
];
const asked = sampled(every, 3);
const least = counted({ long: 300, short: 100 });

test('an outer join is refused exactly where its condition would be decided on the rows', () => {
  // What has another fault is refused in every join.
  const inner = linked(asked, 'join');
  const sound = asked.filter((_, index) => !inner.faults.has(index));
  const flows = [...planOf(sound, 'join').dataflows.flows.values()];
  const left = flows.map(({ steps: [step] }) => step?.action.kind === 'report' && step.action.tests.some((each) => each.kind === 'filter'));
  for (const join of ['left_join', 'full_join']) {
    const { faults } = linked(sound, join);
    const wrong = sound.filter((_, index) => left[index] !== faults.has(index));
    expect(
      wrong.map((each) => each.join(' ')),
      join,
    ).toEqual([]);
    planOf(
      sound.filter((_, index) => !faults.has(index)),
      join,
    );
  }
  expect([left.filter(Boolean).length > least, left.filter((each) => !each).length > least]).toEqual([true, true]);
});

function linked(all: readonly Asked[], join: string): { readonly faults: ReadonlySet<number>; readonly model: Model | undefined } {
  const first = model.split('\n').length;
  const workflows = all.map(
    ([main, joined, condition], index) => `workflow w${index} { {${main}? {}, @${join} ${joined} {${condition}}, @into {n @count(*)}} }`,
  );
  const found = link([currentFrontEnd.read({ file: 'core.al', text: `${model}${workflows.join('\n')}` }).unit]);
  const errors = found.diagnostics.filter((each) => each.severity === 'error');
  return { faults: new Set(errors.map(({ line }) => line - first)), model: found.model };
}

function planOf(all: readonly Asked[], join: string): Plan {
  const { model: found } = linked(all, join);
  if (found === undefined) throw new Error('the model has faults');
  return compile(found);
}
