// The OpenAPI document: valid, complete, and true of the running service. The page that shows it asks nobody else for anything.

import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type OpenApiDocument, openapiOf } from '../../src/http/openapi.ts';
import { compile } from '../../src/plan/compile.ts';
import { command, root, workspace } from '../cli/harness.ts';
import { at, call, type Json, resolved } from './openapi-client.ts';
import { appOf, blog, everything, modelOf } from './openapi-model.ts';
import { answerSchema, bodyFor, concrete, refused, startWalk, succeed, type Walk } from './openapi-walk.ts';

const models: readonly [name: string, files: Readonly<Record<string, string>>, references: Readonly<Record<string, string>>][] = [
  ['the blog', blog(), {}],
  ['a model with everything', everything, { vendor: 'people.Person', like: 'shop.Colour' }],
];

const about = { name: 'test', version: '1.2.3' };

for (const [name, files, references] of models) {
  describe(`the document of ${name}`, () => {
    const document = openapiOf(compile(modelOf(files)), about);

    test('passes the recommended rules of the linter', async () => {
      // Which licence an application has is not in its model.
      const config = await createConfig({ extends: ['recommended'], rules: { 'info-license': 'off' } });
      const problems = await lintFromString({ source: JSON.stringify(document), config });
      expect(problems.map(({ severity, ruleId, message, location }) => [severity, ruleId, message, location[0]?.pointer])).toEqual([]);
    });

    test('names each operation once', () => {
      const names = operations(document).map(([template, method]) => at(document, 'paths', template, method)['operationId']);
      expect(new Set(names).size).toBe(names.length);
    });

    test('is served at /openapi.json', async () => {
      const app = await appOf(files);
      const answer = await call(app, 'GET', '/openapi.json');
      expect(answer.body).toEqual(JSON.parse(JSON.stringify(document)));
      const again = await call(app, 'GET', '/openapi.json', { headers: { 'if-none-match': answer.headers['etag'] ?? '' } });
      expect([again.status, again.text]).toEqual([304, '']);
    });

    test('is true: every operation takes what it says and answers as it says', async () => {
      const walk = startWalk(await appOf(files), document, references);
      for (const [template, method] of operations(document)) await perform(walk, template, method);
    });

    test('is true of faulty requests too', async () => {
      const walk = startWalk(await appOf(files), document, references);
      for (const [template, method] of operations(document)) await misuse(walk, template, method);
    });
  });
}

function operations(document: OpenApiDocument): readonly (readonly [template: string, method: string])[] {
  const methods = ['get', 'post', 'put', 'patch', 'delete'];
  return Object.entries(document.paths).flatMap(([template, item]) =>
    methods.filter((method) => method in item).map((method) => [template, method] as const),
  );
}

/** Does what the operation is for, in each of the ways that it describes. */
async function perform(walk: Walk, template: string, method: string): Promise<void> {
  const verb = String(at(walk.document, 'paths', template, method)['operationId'])
    .split('-')
    .at(-1);
  switch (verb) {
    case 'list':
      return performList(walk, template);
    case 'create':
      return performCreate(walk, template);
    case 'read':
      return performRead(walk, template);
    case 'update':
    case 'patch':
      return performChange(walk, template, method);
    case 'delete':
      return performDelete(walk, template);
    case 'invoke':
      return performInvoke(walk, template);
    default:
      expect((await succeed(walk, template, method, template)).status).toBe(200);
  }
}

/** Agents have no behaviour in this version. */
async function performInvoke(walk: Walk, template: string): Promise<void> {
  const body = await bodyFor(walk, template);
  const isAgent = [...walk.app.model.agents.values()].some((each) => template === `/${each.module}/${each.local}`);
  if (isAgent) await refused(walk, 501, template, 'post', template, { body });
  else await succeed(walk, template, 'post', template, { body });
}

async function performList(walk: Walk, template: string): Promise<void> {
  const path = parentOf(await concrete(walk, instanceTemplate(walk, template)));
  const all = await succeed(walk, template, 'get', path);
  const first = Array.isArray(all.body) ? all.body[0] : undefined;
  expect(first, path).toBeDefined();
  for (const query of queriesOf(walk, template, at({ first }, 'first'))) await succeed(walk, template, 'get', path, { query });
  const counted = await succeed(walk, template, 'get', path, { query: '@count=true' });
  expect(counted.headers['x-total-count']).toMatch(/^[1-9]\d*$/);
  const limited = await succeed(walk, template, 'get', path, { query: '@limit=1' });
  const next = /\?(.*)>; rel="next"$/.exec(limited.headers['link'] ?? '')?.[1];
  if (next !== undefined) await succeed(walk, template, 'get', path, { query: next });
}

async function performCreate(walk: Walk, template: string): Promise<void> {
  const path = await concrete(walk, template);
  const options = { body: await bodyFor(walk, template, 'post', true), headers: { 'idempotency-key': template } };
  const created = await succeed(walk, template, 'post', path, options);
  expect([created.status, created.headers['etag']]).toEqual([201, expect.any(String)]);
  expect((await call(walk.app, 'GET', created.headers['location'] ?? '')).status).toBe(200);
  expect((await succeed(walk, template, 'post', path, options)).body).toEqual(created.body);
}

async function performRead(walk: Walk, template: string): Promise<void> {
  const path = await concrete(walk, template);
  const read = await succeed(walk, template, 'get', path);
  for (const query of queriesOf(walk, template, at(read, 'body'))) await succeed(walk, template, 'get', path, { query });
  const known = await succeed(walk, template, 'get', path, { headers: { 'if-none-match': read.headers['etag'] ?? '' } });
  expect(known.status).toBe('@link' in at(read, 'body') ? 200 : 304);
}

async function performChange(walk: Walk, template: string, method: string): Promise<void> {
  const path = await concrete(walk, template);
  const { body, headers } = await succeed(walk, template, 'get', path);
  await succeed(walk, template, method, path, { body, headers: { 'if-match': headers['etag'] ?? '' } });
  const changes = at({ body: await bodyFor(walk, template, method) }, 'body');
  const changed = await succeed(walk, template, method, path, { body: changes });
  for (const [name, value] of Object.entries(changes)) {
    if (typeof value === 'string' && name in at(changed, 'body'))
      expect(at(changed, 'body')[name], `${path} ${name}`).toSatisfy(isLike(value));
  }
  await refused(walk, 412, template, method, path, { body: changes, headers: { 'if-match': '"never"' } });
}

async function performDelete(walk: Walk, template: string): Promise<void> {
  const path = await concrete(walk, template);
  expect((await succeed(walk, template, 'delete', path)).status).toBe(200);
  await refused(walk, 404, template, 'get', path);
}

/** A time may come back with its seconds written out. */
function isLike(sent: string): (answered: unknown) => boolean {
  return (answered) => typeof answered === 'string' && (answered === sent || answered.startsWith(sent));
}

/** Every way in which the operation lets itself be asked for this instance. */
function queriesOf(walk: Walk, template: string, instance: Json): readonly string[] {
  const plain = Object.keys(instance).filter((name) => ['string', 'number', 'boolean'].includes(typeof instance[name]));
  const names = parameterNames(walk, template);
  const special: Readonly<Record<string, string>> = {
    '@sort': plain
      .filter((name) => names.includes(name))
      .map((name, index) => (index % 2 === 0 ? name : `-${name}`))
      .join(','),
    '@select': plain.at(-1) ?? '',
    '@include': relationsOf(walk, template).join(','),
    '@offset': '0',
    '@limit': '5',
    '@count': 'false',
    '@tree': 'true',
  };
  return names.flatMap((name) => {
    if (name.endsWith('[null]')) return [query(name, 'true'), query(name, 'false')];
    const value = special[name] ?? instance[name];
    return plain.includes(name) || name in special ? [query(name, value), ...(name in special ? [] : [query(`${name}[ne]`, value)])] : [];
  });
}

function query(name: string, value: unknown): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`;
}

function parameterNames(walk: Walk, template: string): readonly string[] {
  const given = at(walk.document, 'paths', template, 'get')['parameters'];
  const parameters = Array.isArray(given) ? given.map((each) => resolved(walk.document, each)) : [];
  return parameters.filter((each) => each['in'] === 'query').map((each) => String(each['name']));
}

/** The names under which related instances may stand in an answer. */
function relationsOf(walk: Walk, template: string): readonly string[] {
  const schema = answerSchema(walk, template);
  const instance = resolved(walk.document, schema['type'] === 'array' ? schema['items'] : schema);
  return Object.entries(at(instance, 'properties')).flatMap(([name, property]) =>
    String(at({ property }, 'property')['description']).startsWith('Where the request') ? [name] : [],
  );
}

function instanceTemplate(walk: Walk, template: string): string {
  const found = Object.keys(walk.document.paths).find((each) => parentOf(each) === template && each.endsWith('}'));
  return found ?? '';
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/** Asks for the operation in ways that it refuses. */
async function misuse(walk: Walk, template: string, method: string): Promise<void> {
  const path = await concrete(walk, template);
  const takesBody = at(walk.document, 'paths', template, method)['requestBody'] !== undefined;
  if (template.endsWith('}')) {
    const missing = `${parentOf(path)}/${encodeURIComponent(String(walk.values.of(identifierSchema(walk, template))))}`;
    await refused(walk, 404, template, method, missing, takesBody ? { body: {} } : {});
  }
  if (takesBody) {
    await refused(walk, 415, template, method, path, { body: '{}', headers: { 'content-type': 'text/plain' } });
    await refused(walk, 400, template, method, path, { body: '{' });
    if (!isInvoked(walk, template)) {
      await refused(walk, 400, template, method, path, { body: '[]' });
      const unknown = await refused(walk, 422, template, method, path, { body: { neverHeardOf: 1 } });
      expect(at(unknown, 'body')['errors']).toContainEqual({ attribute: 'neverHeardOf', code: 'unknown', message: expect.any(String) });
    }
  } else if (template.split('/').length > 2) {
    await refused(walk, 422, template, method, path, { query: 'neverHeardOf=1' });
  }
  const other = method === 'get' ? (template.endsWith('}') || template.split('/').length < 3 ? 'POST' : 'DELETE') : 'BREW';
  const wrong = await call(walk.app, other, path);
  const described = resolved(walk.document, at(walk.document, 'paths', template, method, 'responses')['default']);
  expect([
    wrong.status,
    wrong.headers['allow'],
    walk.check(at(described, 'content', 'application/problem+json', 'schema'), wrong.body),
  ]).toEqual([405, expect.stringContaining('OPTIONS'), []]);
}

function isInvoked(walk: Walk, template: string): boolean {
  return String(at(walk.document, 'paths', template, 'post')['operationId']).endsWith('-invoke');
}

function identifierSchema(walk: Walk, template: string): unknown {
  const parameters = at(walk.document, 'paths', template)['parameters'];
  return Array.isArray(parameters) ? at({ last: parameters.at(-1) }, 'last', 'schema') : {};
}

describe('the paths', () => {
  const cases: readonly [title: string, source: string, expected: readonly string[]][] = [
    [
      'contained instances are shown three levels deep',
      'entity A { id Int @id } entity B { id Int @id } entity C { id Int @id } entity D { id Int @id } entity E { id Int @id } relationship AB contains(A, B) relationship BC contains(B, C) relationship CD contains(C, D) relationship DE contains(D, E)',
      ['/m/A', '/m/A/{id}/AB/B', '/m/A/{id}/AB/B/{B_id}/BC/C', '/m/A/{id}/AB/B/{B_id}/BC/C/{C_id}/CD/D'],
    ],
    [
      'a type that contains itself is shown one level deep',
      'entity A { id Int @id } relationship Sub contains(A @as upper, A @as lower)',
      ['/m/A', '/m/A/{id}/Sub/A'],
    ],
    [
      'a link with itself leads to either role',
      'entity A { id Int @id } relationship Knows between(A @as one, A @as other)',
      ['/m/A', '/m/A/{id}/Knows/A', '/m/A/{id}/Knows/one'],
    ],
    ['an agent that is not public is not there', 'agent A { instruction "x" }', []],
  ];
  for (const [title, source, expected] of cases) {
    test(title, () => {
      const { paths } = openapiOf(compile(modelOf({ 'm.al': `module m\n${source.replaceAll(/ (?=entity|relationship)/g, '\n')}` })), about);
      expect(Object.keys(paths).filter((path) => path.startsWith('/m/A') && !path.endsWith('}'))).toEqual(expected);
    });
  }

  test('a model that is not served on the current surface has none', () => {
    const { paths } = openapiOf(compile(modelOf(blog())), { ...about, current: false });
    expect(Object.keys(paths)).toEqual(['/', '/health', '/ready', '/metrics']);
  });
});

describe('platform openapi', () => {
  test('prints the document', async () => {
    const { code, out, err } = await command(root, 'openapi', 'examples/blog');
    expect([code, err]).toEqual([0, '']);
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(openapiOf(compile(modelOf(blog())), { name: 'blog', version: '1.0.0' }))));
  });

  test('exits with 1, and says why, when the model has errors', async () => {
    const { folder, remove } = workspace({ 'src/a.al': 'module a\nentity A { x Strng }' });
    onTestFinished(remove);
    const { code, out, err } = await command(folder, 'openapi');
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('src/a.al:2:14  error  type-unknown');
  });
});

describe('what is not exposed is not there', () => {
  const cases: readonly [expose: object, path: string, status: number][] = [
    [{}, '/openapi.json', 200],
    [{}, '/docs', 200],
    [{}, '/docs/', 200],
    [{}, '/metrics', 200],
    [{ openapi: false }, '/openapi.json', 404],
    // The page shows the document.
    [{ openapi: false }, '/docs', 404],
    [{ docs: false }, '/docs', 404],
    [{ docs: false }, '/docs/scalar.js', 404],
    [{ docs: false }, '/openapi.json', 200],
    [{ metrics: false }, '/metrics', 404],
  ];
  for (const [expose, path, status] of cases) {
    test(`${path} is ${status} with ${JSON.stringify(expose)}`, async () => {
      expect((await call(await appOf(blog(), expose), 'GET', path)).status).toBe(status);
    });
  }

  test('metrics that are not served are not described', async () => {
    const { body } = await call(await appOf(blog(), { metrics: false }), 'GET', '/openapi.json');
    expect(Object.keys(at({ body }, 'body', 'paths'))).not.toContain('/metrics');
  });
});

describe('the page', () => {
  test('loads one script, from this service, and lets the browser ask nobody else', async () => {
    const { headers, text } = await call(await appOf(blog()), 'GET', '/docs');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect([...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address)).toEqual([
      'data:,',
      '/openapi.json',
      expect.stringMatching(/^\/docs\/scalar\.js\?v=/),
    ]);
    expect(text).not.toMatch(/https?:/);
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe/);
  });

  test('has a script that may be kept for good, compressed where the caller takes it', async () => {
    const app = await appOf(blog());
    const plain = await call(app, 'GET', '/docs/scalar.js');
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(plain.text).toContain('createApiReference');
    const cases: readonly [accept: string, compressed: boolean][] = [
      ['gzip', true],
      ['br, gzip;q=0.5', true],
      ['*', true],
      ['gzip;q=0', false],
      ['gzip; q=0.0, br', false],
      ['br', false],
    ];
    for (const [accept, compressed] of cases) {
      const { headers } = await call(app, 'GET', '/docs/scalar.js', { headers: { 'accept-encoding': accept } });
      expect([accept, headers['content-encoding'] === 'gzip']).toEqual([accept, compressed]);
    }
  });
});
