// Documents that are odd, and schemas that cannot be checked: what is refused, and that nobody waits for it.

import { expect, test } from 'vitest';
import { type ServedProject, serveProject } from '../support/project.ts';
import { faultsOf } from '../support/table.ts';
import { type Pets, servePets } from './pets.ts';

const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const twice = (name: string) => [1, 2].map(() => ({ $ref: `#/components/schemas/${name}` }));

async function served(pets: Pets, paths: object, schemas: object = {}): Promise<ServedProject> {
  const text = JSON.stringify({ openapi: '3.0.3', info: {}, paths, components: { schemas } });
  const config = { openapi: [{ name: 'pets', spec: 'pets.json', baseUrl: `${pets.url}/v1` }] };
  return serveProject({ 'src/m.al': 'module m\nentity E { id Int @id }', 'pets.json': text, 'config.al': JSON.stringify(config) });
}

test('a schema whose forms name it twice is too complex to be checked: 422 for a request, 502 for an answer', async () => {
  const pets = await servePets();
  const schemas = { Asked: { oneOf: twice('Asked') }, Given: { allOf: twice('Given') } };
  const asked = { type: 'array', items: { $ref: '#/components/schemas/Asked' } };
  const { ask } = await served(
    pets,
    {
      '/pets': { post: { operationId: 'add', requestBody: { required: true, ...json(asked) }, responses: {} } },
      '/pets/{id}': { get: { operationId: 'get', parameters: [id], responses: { 200: json({ $ref: '#/components/schemas/Given' }) } } },
    },
    schemas,
  );
  const request = await ask('POST /pets/add', { body: [{ a: 1 }] });
  expect([request.status, faultsOf(request), request.text]).toEqual([422, ['body value'], expect.stringContaining('too complex')]);
  expect(pets.asked).toEqual([]);
  expect(await ask('POST /pets/get', { id: 'a' })).toMatchObject({ status: 502, body: { code: 'resolver-answer-invalid' } });
});

test('so is a value of many levels where each form of a schema names it again', async () => {
  const pets = await servePets();
  const form = (name: string) => ({ required: [name], properties: { next: { $ref: '#/components/schemas/Nested' } } });
  const body = { required: true, ...json({ type: 'array', items: { $ref: '#/components/schemas/Nested' } }) };
  const paths = { '/pets': { post: { operationId: 'add', requestBody: body, responses: {} } } };
  const { ask } = await served(pets, paths, { Nested: { anyOf: [form('a'), form('b')] } });
  const nested = (levels: number): object => (levels === 0 ? {} : { next: nested(levels - 1) });
  expect(faultsOf(await ask('POST /pets/add', { body: [nested(3)] }))).toEqual(['body[0] value']);
  const answer = await ask('POST /pets/add', { body: [nested(25)] });
  expect([answer.status, faultsOf(answer), answer.text]).toEqual([422, ['body value'], expect.stringContaining('too complex')]);
});

test('a long list whose items have several forms is checked to its end', async () => {
  const pets = await servePets();
  const properties = { a: { type: 'integer' }, b: { type: 'integer' } };
  const items = {
    allOf: [
      { type: 'object', required: ['a'] },
      { type: 'object', properties },
    ],
  };
  const body = { required: true, ...json({ type: 'array', items }) };
  const { ask } = await served(pets, { '/pets': { post: { operationId: 'add', requestBody: body, responses: {} } } });
  const rows = Array.from({ length: 10_000 }, (_, index) => ({ a: index, b: index === 9999 ? 'x' : 1 }));
  expect(faultsOf(await ask('POST /pets/add', { body: rows }))).toEqual(['body[9999].b type']);
});

test('a part of a path that is null is 422, and nobody is asked', async () => {
  const pets = await servePets();
  const nullable = { ...id, schema: { type: 'string', nullable: true } };
  const { ask } = await served(pets, { '/pets/{id}': { delete: { operationId: 'remove', parameters: [nullable], responses: {} } } });
  for (const body of [{}, { id: null }]) {
    const answer = await ask('POST /pets/remove', body);
    expect([answer.status, faultsOf(answer)]).toEqual([422, ['id required']]);
  }
  expect(pets.asked).toEqual([]);
});

test('a list of itself, a reference that cannot be read and the body of a GET stop no document', async () => {
  const pets = await servePets();
  const body = json({ type: 'object', properties: { a: { type: 'string' } } });
  const parameters = [
    { name: 'list', in: 'query', schema: { $ref: '#/components/schemas/List' } },
    { name: 'share', in: 'query', schema: { $ref: '#/components/schemas/100%' } },
  ];
  const { ask, told } = await served(
    pets,
    {
      '/pets': { get: { operationId: 'list', parameters, requestBody: body, responses: {} } },
      '/pets/{id}': { get: { operationId: 'get', parameters: [id], requestBody: { required: true, ...body }, responses: {} } },
    },
    { List: { type: 'array', items: { $ref: '#/components/schemas/List' } } },
  );
  expect(await ask('POST /pets/list', { list: [[], []], share: 'x' })).toMatchObject({ status: 200 });
  expect(pets.asked.at(-1)).toContain('share=x');
  expect(faultsOf(await ask('POST /pets/list', { a: 'x' }))).toEqual(['a unknown']);
  expect(faultsOf(await ask('POST /pets/list', { list: [['x']] }))).toEqual(['list[0][0] type']);
  expect(told.join()).toContain('GET /pets/{id} takes a body, which GET cannot have');
});
