// A comparison means the same in a query pattern, in @where, in `if` and in a filter of REST: for every type, operator and value, as an oracle has it.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { serve } from '../support/app.ts';
import { counted } from '../support/form.ts';
import { expected, idsIn, keyOf, names, operators, others, type Sent, stored, type Type, types } from './comparison-oracle.ts';

const attributes = types.map((type) => `a${type} ${type} @optional`).join(', ');
const workflows = types.flatMap((type) =>
  names.map((name) => {
    const [at, sign] = [`a${type}`, operators[name]];
    const [event, own] = [`v${type}${name}`, `E.${at}`];
    const asked = sign === '==' ? '?' : `?${sign}`;
    return `event ${event} { v Any @optional }
workflow ${event} {
  {E {${at}${asked} ${event}.v}} @as p
  {E? {}, @where(${own} ${sign} ${event}.v)} @as w
  {E? {}} @as all
  for e in all { if (e.${at} ${sign} ${event}.v) { {Hit {id e.id}} } }
  {Hit? {}} @as h
  delete {Hit? {}}
  {"pattern": p, "where": w, "if": h}
}`;
  }),
);

const rounds = counted({ long: 10_000, short: 50, postgres: 20 });

/** Half of the values are of the type. */
const asked = fc
  .constantFrom(...types)
  .chain((type) =>
    fc.tuple(
      fc.constant(type),
      fc.constantFrom(...names),
      fc.oneof(fc.constantFrom<Sent | null>(...stored[type]), fc.constantFrom<Sent | null>(...others, null)),
    ),
  );

test('every pair of a type and a value compares alike in a pattern, @where, `if` and a filter', async () => {
  const served = await serve(`module m\nentity E { id Int @id, ${attributes} }\nentity Hit { id Int @id }\n${workflows.join('\n')}`);
  const rows: (readonly [type: Type, id: number, value: Sent | null])[] = [];
  for (const type of types)
    for (const value of [...stored[type], null]) {
      rows.push([type, rows.length + 1, value]);
      const made = await served.post('/m/E', { id: rows.length, ...(value === null ? {} : { [`a${type}`]: value }) });
      expect(made.status, made.text).toBe(201);
    }
  await fc.assert(
    fc.asyncProperty(asked, async ([type, name, v]) => {
      const wanted = rows.flatMap(([of, id, value]) => (expected(type, of === type ? value : null, name, v) ? [id] : []));
      const answer = await served.post(`/m/v${type}${name}`, { v });
      expect(answer.status, answer.text).toBe(200);
      const parts = answer.text.split(/"(?:pattern|where|if)":/).slice(1);
      expect(parts.map(idsIn), `${type} ${name} ${JSON.stringify(v)}`).toEqual([wanted, wanted, wanted]);
      // All that stands in a query string is a text, also a truth value.
      if (v === null || typeof v !== (type === 'Boolean' ? 'boolean' : 'string')) return;
      const filtered = await served.get(`/m/E?a${type}[${name}]=${encodeURIComponent(String(v))}`);
      // A filter that is badly typed is refused.
      if (filtered.status === 200) expect(idsIn(filtered.text), `${type}[${name}]=${v}`).toEqual(wanted);
      else expect([filtered.status, keyOf(type, v) === undefined || type === 'Int' || type === 'Boolean']).toEqual([422, true]);
    }),
    { numRuns: rounds },
  );
}, 600_000);
