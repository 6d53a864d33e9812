// A model and rows for scenarios of lists.

import { type Project, type Served, serve } from '../support/app.ts';
import { check } from '../support/table.ts';

export const listModel: Project = `
module m
entity Row {
  id Int @id,
  text String @optional,
  n Int @optional,
  f Float @optional,
  d Decimal @optional,
  b Boolean @optional,
  at DateTime @optional,
  day Date @optional,
  kind @enum("x", "y") @optional,
  mail Email @optional,
  data Map @optional
}
entity Parent { id String @id }
entity Child { id Int @id, v Int @optional }
entity Grand { id Int @id }
entity Tag { name String @id, w Int @optional }
relationship Has contains(Parent, Child)
relationship Deep contains(Child, Grand)
relationship Marked between(Parent, Tag)
`;

export const rows = [
  { id: 1, text: 'b', n: 5, f: 0.5, d: '10', b: true, at: '2024-01-01T00:00:00Z', day: '2024-01-01', kind: 'x', mail: 'a@b.org' },
  { id: 2, text: 'a', n: 3, f: -1.5, d: '9.5', b: false, at: '2024-01-01T00:00:00.5Z', day: '2023-12-31', kind: 'y' },
  { id: 3, text: 'B', n: 2 ** 53, d: '-2', at: '2024-01-01T01:00:00+02:00', kind: 'x', data: { a: 1 } },
  { id: 4, n: 5, f: 2, d: '9.50', b: true },
  { id: 5, text: 'é, "x" 100%', f: 1e21 },
  { id: 6, text: '😀' },
  { id: 7, text: '\uffee', n: -5 },
  { id: 8, text: 'a_b\\c*?[' },
];

export async function withRows(): Promise<Served> {
  const served = await serve(listModel);
  for (const row of rows) {
    const text = JSON.stringify(row).replace('9007199254740992', '9007199254740993');
    await check(served, [{ ask: 'POST /m/Row', text, status: 201 }]);
  }
  return served;
}
