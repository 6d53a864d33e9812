// Two attributes of any two types compare alike, wherever they are compared: as an oracle has it.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { counted, isLarge } from '../support/form.ts';
import { commonType, expected, idsIn, names, type Operator, operators, type Sent, stored, type Type, types } from './comparison-oracle.ts';

const parts = ['pattern', 'where', 'turned', 'alias', 'join', 'if', 'loop', 'rows'] as const;

/** In one workflow per pair of types and operator: every place where the two can be compared. */
function workflowOf(one: Type, other: Type, name: Operator): string {
  const sign = operators[name];
  const asked = sign === '==' ? '?' : `?${sign}`;
  const turned = { '==': '==', '!=': '!=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' }[sign];
  const event = `v${one}${other}${name}`;
  return `event ${event} { v ${other} @optional, row Int }
workflow ${event} {
  {E {a${one}${asked} ${event}.v}} @as p
  {E? {}, @where(E.a${one} ${sign} ${event}.v)} @as w
  {E? {}, @where(${event}.v ${turned} E.a${one})} @as t
  {F {id? ${event}.row}} @as [f]
  {E {a${one}${asked} f.b${other}}} @as a
  {F {id? ${event}.row}, @join E {a${one}${asked} F.b${other}}, @into {id E.id}} @as j
  {E? {}} @as all
  for e in all { if (e.a${one} ${sign} ${event}.v) { {Hit {id e.id}} } }
  {Hit? {}} @as h
  delete {Hit? {}}
  for e in all { for x in f.l${other} { if (e.a${one} ${sign} x) { {Hit {id e.id}} } } }
  {Hit? {}} @as l
  delete {Hit? {}}
  {F {id? ${event}.row}, @into {v F.b${other}}} @as found
  {E? {}, @into {id E.id, a E.a${one}}} @as rows
  for r in rows { for g in found { if (r.a ${sign} g.v) { {Hit {id r.id}} } } }
  {Hit? {}} @as r
  delete {Hit? {}}
  {"pattern": p, "where": w, "turned": t, "alias": a, "join": j, "if": h, "loop": l, "rows": r}
}`;
}

const model = `module m
entity E { id Int @id, ${types.map((type) => `a${type} ${type} @optional`).join(', ')} }
entity F { id Int @id, ${types.flatMap((type) => [`b${type} ${type} @optional`, `l${type} ${type}[] @optional`]).join(', ')} }
entity Hit { id Int @id }`;

const asking: readonly Operator[] = isLarge ? names : ['eq', 'ne', 'lte'];

const asked = fc.constantFrom(...types).chain((other) =>
  fc.record({
    one: fc.oneof(fc.constant(other), fc.constant<Type>('String'), fc.constantFrom(...types)),
    other: fc.constant(other),
    name: fc.constantFrom(...asking),
    value: fc.constantFrom<Sent | null>(...stored[other], null),
  }),
);

test('two attributes compare alike in a pattern, @where, a join, `if` and a loop over a list', async () => {
  const served = await serve(
    `${model}\n${types.flatMap((one) => types.flatMap((other) => asking.map((name) => workflowOf(one, other, name)))).join('\n')}`,
  );
  const rows: (readonly [type: Type, id: number, value: Sent | null])[] = [];
  for (const type of types)
    for (const value of [...stored[type], null]) {
      const id = rows.length + 1;
      rows.push([type, id, value]);
      const own = value === null ? {} : { [`a${type}`]: value };
      const made = await served.post('/m/E', { id, ...own });
      expect(made.status, made.text).toBe(201);
      const other = value === null ? {} : { [`b${type}`]: value, [`l${type}`]: [value] };
      const held = await served.post('/m/F', { id, ...other });
      expect(held.status, held.text).toBe(201);
    }
  await fc.assert(
    fc.asyncProperty(asked, async ({ one, other, name, value }) => {
      const type = commonType(one, other);
      const holds = (own: Sent | null): boolean =>
        type === undefined && own !== null && value !== null ? name === 'ne' : expected(type ?? one, own, name, value);
      const wanted = rows.flatMap(([of, id, own]) => (holds(of === one ? own : null) ? [id] : []));
      const row = rows.find(([of, , held]) => of === other && held === value)?.[1] ?? 0;
      const answer = await served.post(`/m/v${one}${other}${name}`, { row, ...(value === null ? {} : { v: value }) });
      expect(answer.status, answer.text).toBe(200);
      const found = answer.text.split(new RegExp(`"(?:${parts.join('|')})":`)).slice(1);
      // A list holds nothing absent here, and no row is joined to another by what both lack.
      const isNone = (part: string): boolean => value === null && (part === 'loop' || (part === 'join' && name === 'eq'));
      const all = parts.map((part) => (isNone(part) ? [] : wanted));
      expect(found.map(idsIn), `${one} ${name} ${other} ${JSON.stringify(value)}`).toEqual(all);
    }),
    { numRuns: counted({ long: 600, short: 10, postgres: 5 }) },
  );
}, 900_000);
