// What a resolver has no handler for is no method of its entity: neither in the description of the API nor by HTTP, nor at any other door.

import { expect, test } from 'vitest';
import { schemaOf } from '../../src/http/graphql/schema.ts';
import { toolsOf } from '../../src/http/mcp/tools.ts';
import { compile } from '../../src/plan/compile.ts';
import { modelOf, type Served, serve } from '../support/app.ts';

const source = `
module m
import "r.js" @as r
entity Full { id String @id }
entity Readable { id String @id }
entity Writable { id String @id }
entity Kept { id String @id }
resolver full [m/Full] { query r.query, create r.write, update r.write, delete r.write }
resolver readable [m/Readable] { query r.query, delete r.write }
resolver writable [m/Writable] { create r.write, update r.write, delete r.write }
`;
const project = { 'core.al': source, 'r.js': `export const query = () => [{ id: 'a' }]; export const write = (each) => each;` };

/** Of the list, and of one instance. Without `query` nobody can be asked whether an instance is there. */
const expected: readonly (readonly [type: string, list: readonly string[], one: readonly string[]])[] = [
  ['Full', ['get', 'post'], ['delete', 'get', 'put']],
  ['Kept', ['get', 'post'], ['delete', 'get', 'put']],
  ['Readable', ['get'], ['delete', 'get']],
  ['Writable', ['post'], []],
];
const methods = ['delete', 'get', 'post', 'put'];

async function describedAt(served: Served, path: string): Promise<readonly string[]> {
  const { paths } = Object((await served.get('/openapi.json')).body);
  return Object.keys(paths[path] ?? {})
    .filter((each) => methods.includes(each))
    .sort();
}

for (const [surface, prefix] of [
  ['current', ''],
  ['earlier', '/api'],
] as const)
  test(`methods that a resolver lacks are left out of the description, and 405 with what is allowed, on the ${surface} surface`, async () => {
    const served = await serve(project, { surfaces: [surface] });
    for (const [type, list, one] of expected) {
      expect(await describedAt(served, `${prefix}/m/${type}`), type).toEqual(list);
      expect(await describedAt(served, `${prefix}/m/${type}/{id}`), type).toEqual(one);
      for (const [path, known] of [
        [`${prefix}/m/${type}`, list],
        [`${prefix}/m/${type}/a`, one],
      ] as const)
        for (const method of methods.filter((each) => !known.includes(each))) {
          const text = method === 'post' || method === 'put' ? '{}' : undefined;
          const headers = { 'content-type': 'application/json' };
          const answer = await served.ask({ method: method.toUpperCase(), target: path, ...(text === undefined ? {} : { text, headers }) });
          const allowed = (answer.headers['allow'] ?? '')
            .toLowerCase()
            .split(', ')
            .filter((each) => methods.includes(each));
          expect([answer.status, allowed.sort()], `${method} ${path}`).toEqual([405, known]);
        }
    }
  });

const operations: readonly (readonly [type: string, tools: readonly string[], mutations: readonly string[], may: readonly string[]])[] = [
  ['Full', ['create', 'read', 'list', 'update', 'delete'], ['create', 'update', 'delete'], ['create', 'read', 'update', 'delete']],
  ['Readable', ['read', 'list', 'delete'], ['delete'], ['read', 'delete']],
  ['Writable', ['create'], ['create'], ['create']],
];

test('neither assistants nor GraphQL nor the console are offered what a resolver lacks', async () => {
  const plan = compile(modelOf(project));
  const tools = [...toolsOf(plan, plan.names).keys()];
  const mutations = Object.keys(schemaOf(plan, 'current').schema.getMutationType()?.getFields() ?? {});
  const { entities } = Object((await (await serve(project)).get('/platform/model')).body);
  for (const [type, offered, written, may] of operations) {
    expect(tools.filter((each) => each.startsWith(`m_${type}_`))).toEqual(offered.map((each) => `m_${type}_${each}`));
    expect(mutations.filter((each) => each.endsWith(type))).toEqual(written.map((each) => `${each}${type}`));
    const described = Object(entities.find((each: { readonly name: string }) => each.name === `m/${type}`)).operations;
    expect(Object.keys(described).filter((each) => described[each] !== 'none')).toEqual(may);
  }
});
