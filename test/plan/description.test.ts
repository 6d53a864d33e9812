// What the doors say of a type is what the service does: rows for what some of them once said otherwise.

import { expect, test } from 'vitest';
import { toolsOf } from '../../src/http/mcp/tools.ts';
import { openapiOf } from '../../src/http/openapi/openapi.ts';
import { compile } from '../../src/plan/compile.ts';
import { describeRow } from '../../src/plan/description/description.ts';
import { modelOf, serve } from '../support/app.ts';

const model = `module m
record Stamp { by String, at DateTime @default(now()), no UUID @default(uuid()), twice Int @optional }
entity Log {
  code String @id @format("[A-Z]{2}"),
  stamp Stamp,
  size Int @default(1),
  double Int @expr(size * 2),
  made DateTime @default(now()) @readonly,
  word String @writeonly @optional
}
`;

const names = (described: readonly { readonly name: string }[]) => described.map(({ name }) => name);

test('of each attribute it is known whether it is read, set, changed and must be sent', () => {
  const plan = compile(modelOf(model));
  const log = plan.entities.get('m/Log');
  if (log === undefined) throw new Error('no plan');
  const { attributes, readable, settable, changeable, fields, operations } = describeRow(log);
  expect(names(attributes.filter(({ required }) => required))).toEqual(['code', 'stamp']);
  expect(names(readable)).toEqual(['code', 'stamp', 'size', 'double', 'made']);
  expect(names(settable)).toEqual(['code', 'stamp', 'size', 'made', 'word']);
  expect(names(changeable)).toEqual(['stamp', 'size', 'word']);
  expect(fields).toEqual(['code', 'stamp', 'size', 'double', 'made']);
  expect(operations).toEqual({ create: true, read: true, update: true, delete: true });
  expect(describeRow(log)).toBe(describeRow(log));
});

test('what is filled in inside of a record need not be sent, and no door asks for it', async () => {
  const { post } = await serve(model);
  expect(await post('/m/Log', { code: 'AB', stamp: { by: 'Ada' } })).toMatchObject({ status: 201 });
  const plan = compile(modelOf(model));
  const { schemas } = openapiOf(plan, { name: 'test', version: '1.0.0' }).components;
  expect(schemas['m.Stamp-value']).toMatchObject({
    required: ['by'],
    properties: { at: { description: 'The current time when absent.' } },
  });
  expect(toolsOf(plan, plan.names).get('m_Log_create')?.inputSchema).toMatchObject({ $defs: { Stamp: { required: ['by'] } } });
});

test('nothing counts up inside of a value, and no door says so', () => {
  const plan = compile(
    modelOf(`module m
entity Desk { id Int @id, no Int @autoincrement }
event Take { desk Desk }
workflow Take { Take.desk }
`),
  );
  const { schemas } = openapiOf(plan, { name: 'test', version: '1.0.0' }).components;
  expect(schemas['m.Desk-value']).toMatchObject({ required: ['id', 'no'], properties: { no: { type: 'integer' } } });
  expect(JSON.stringify(schemas['m.Desk-value'])).not.toContain('Counts up');
  expect(JSON.stringify(schemas['m.Desk-create'])).toContain('Counts up');
});

test('an identifier has the same values wherever it is asked for', () => {
  const plan = compile(modelOf(model));
  const pattern = '^(?:[A-Z]{2})$';
  const { paths } = openapiOf(plan, { name: 'test', version: '1.0.0' });
  expect(JSON.stringify(paths['/m/Log/{code}'])).toContain(JSON.stringify(pattern));
  for (const name of ['m_Log_read', 'm_Log_update', 'm_Log_delete'])
    expect(toolsOf(plan, plan.names).get(name)?.inputSchema).toMatchObject({ properties: { code: { pattern } } });
});
