// What each operation of a document is for, done against a live app in each of the ways that it describes, and asked for in ways that it refuses.

import { expect } from 'vitest';
import { at, call, type Json, resolved } from './openapi-client.ts';
import { isIdentity, misuseIdentity, performIdentity } from './openapi-identity.ts';
import { watch } from './openapi-streams.ts';
import {
  answerSchema,
  bodyFor,
  concrete,
  failureOf,
  instanceIn,
  instancesOf,
  isEarlier,
  keyOf,
  refused,
  succeed,
  type Walk,
} from './openapi-walk.ts';

/** Does what the operation is for, in each of the ways that it describes. */
export async function perform(walk: Walk, template: string, method: string): Promise<void> {
  if (isIdentity(walk, template, method)) return performIdentity(walk, template, method);
  const verb = String(at(walk.document, 'paths', template, method)['operationId'])
    .split('-')
    .at(-1);
  switch (verb) {
    case 'list':
      return performList(walk, template);
    case 'create':
      return performCreate(walk, template);
    case 'issue':
      await succeed(walk, template, 'post', template, { body: await bodyFor(walk, template) });
      return;
    case 'read':
      return performRead(walk, template);
    case 'update':
    case 'patch':
      return performChange(walk, template, method);
    case 'tree':
      return performTree(walk, template);
    case 'delete':
      return performDelete(walk, template);
    case 'invoke':
      return performInvoke(walk, template);
    case 'q':
      return performQuery(walk);
    case 'dynamic':
      return performDynamic(walk);
    case 'explain':
      return performExplain(walk, template);
    case 'component':
      for (const path of componentPaths(walk)) await succeed(walk, template, method, path);
      return;
    default:
      expect((await succeed(walk, template, method, template)).status).toBe(200);
  }
}

/** Of one thing at a time. */
async function performExplain(walk: Walk, template: string): Promise<void> {
  const { entities, events } = walk.app.model;
  const [entity, event] = [[...entities.keys()][0] ?? '', [...events.keys()][0]];
  await succeed(walk, template, 'get', template, { query: `entity=${encodeURIComponent(entity)}` });
  if (event !== undefined) await succeed(walk, template, 'get', template, { query: `event=${encodeURIComponent(event)}` });
  await refused(walk, 404, template, 'get', template, { query: 'entity=never' });
  await refused(walk, 422, template, 'get', template, { query: 'entity=never&event=never' });
}

/** No language model is there to answer. */
async function performInvoke(walk: Walk, template: string): Promise<void> {
  const body = await bodyFor(walk, template);
  const isAgent = [...walk.app.model.agents.values()].some((each) => template.replace(/^\/api/, '') === `/${each.module}/${each.local}`);
  if (isAgent) await refused(walk, 503, template, 'post', template, { body });
  else await succeed(walk, template, 'post', template, { body });
}

/** Of every type, with what was made before. */
async function performQuery(walk: Walk): Promise<void> {
  const schema = at(walk.document, 'paths', '/q', 'post', 'requestBody', 'content', 'application/json', 'schema');
  const types = at(schema, 'properties', 'Query', 'properties', 'from')['enum'];
  let found = 0;
  for (const from of Array.isArray(types) ? types : []) {
    found += instancesOf(await succeed(walk, '/q', 'post', '/q', { body: { Query: { from } } })).length;
    await succeed(walk, '/q', 'post', '/q', { body: { Query: { from, limit: 1, offset: 1 } } });
  }
  expect(found).toBeGreaterThan(0);
}

/** The same bodies as at the paths of the events. */
async function performDynamic(walk: Walk): Promise<void> {
  for (const { name, module, local, system } of walk.app.model.events.values()) {
    const path = `/api/${module}/${local}`;
    if (system !== undefined || walk.document.paths[path] === undefined) continue;
    const body = await bodyFor(walk, path);
    expect(Object.keys(at({ body }, 'body'))).toEqual([name]);
    await succeed(walk, '/dynamic', 'post', '/dynamic', { body });
  }
}

function componentPaths(walk: Walk): readonly string[] {
  const [first]: readonly unknown[] = [at(walk.document, 'paths', '/meta/{component}')['parameters']].flat();
  const names = at({ first }, 'first', 'schema')['enum'];
  return Array.isArray(names) ? names.map((name) => `/meta/${encodeURIComponent(String(name))}`) : [];
}

async function performList(walk: Walk, template: string): Promise<void> {
  const path = parentOf(await concrete(walk, instanceTemplate(walk, template)));
  const all = await succeed(walk, template, 'get', path);
  expect(instancesOf(all), path).not.toEqual([]);
  for (const query of queriesOf(walk, template, instanceIn(all))) await succeed(walk, template, 'get', path, { query });
  const counted = await succeed(walk, template, 'get', path, { query: '@count=true' });
  expect(counted.headers['x-total-count']).toMatch(/^[1-9]\d*$/);
  const limited = await succeed(walk, template, 'get', path, { query: '@limit=1' });
  const next = /\?(.*)>; rel="next"$/.exec(limited.headers['link'] ?? '')?.[1];
  if (next !== undefined) await succeed(walk, template, 'get', path, { query: next });
  await watch(walk, template, path, instancesOf(all).length);
}

async function performCreate(walk: Walk, template: string): Promise<void> {
  const path = await concrete(walk, template);
  const options = { body: await bodyFor(walk, template, 'post', true), headers: { 'idempotency-key': template } };
  const created = await succeed(walk, template, 'post', path, options);
  expect([created.status, created.headers['etag']]).toEqual([isEarlier(template) ? 200 : 201, expect.any(String)]);
  if (!isEarlier(template)) expect((await call(walk.app, 'GET', created.headers['location'] ?? '')).status).toBe(200);
  expect((await succeed(walk, template, 'post', path, options)).body).toEqual(created.body);
  const several = await succeed(walk, template, 'post', await concrete(walk, template), { body: [await bodyFor(walk, template)] });
  expect([several.status, instancesOf(several).length]).toEqual([created.status, 1]);
}

async function performRead(walk: Walk, template: string): Promise<void> {
  const path = await concrete(walk, template);
  const read = await succeed(walk, template, 'get', path);
  for (const query of queriesOf(walk, template, instanceIn(read))) await succeed(walk, template, 'get', path, { query });
  const known = await succeed(walk, template, 'get', path, { headers: { 'if-none-match': read.headers['etag'] ?? '' } });
  expect(known.status).toBe('@link' in instanceIn(read) ? 200 : 304);
  await watch(walk, template, path, 1);
}

async function performChange(walk: Walk, template: string, method: string): Promise<void> {
  const path = await concrete(walk, template);
  const read = await succeed(walk, template, 'get', path);
  const [body, headers] = [instanceIn(read), read.headers];
  await succeed(walk, template, method, path, { body, headers: { 'if-match': headers['etag'] ?? '' } });
  const key = keyOf(walk, template, method);
  const made = at({ body: await bodyFor(walk, template, method) }, 'body');
  const changes = key === undefined ? placed(made, body) : { [key]: placed(at(made, key), body) };
  const changed = instanceIn(await succeed(walk, template, method, path, { body: changes }));
  for (const [name, value] of Object.entries(key === undefined ? changes : at(changes, key))) {
    if (typeof value === 'string' && name in changed) expect(changed[name], `${path} ${name}`).toSatisfy(isLike(value));
  }
  if (key !== undefined) await succeed(walk, template, method, path, { body: { Data: at(changes, key) } });
  await refused(walk, 412, template, method, path, { body: changes, headers: { 'if-match': '"never"' } });
}

/** Under the parent that it has, where one can be named. */
function placed(changes: Json, { __path__: path }: Json): Json {
  return '@parent' in changes
    ? { ...changes, '@parent': typeof path === 'string' ? path.split('/').slice(0, -3).join('/') : null }
    : changes;
}

async function performDelete(walk: Walk, template: string): Promise<void> {
  const path = await concrete(walk, template);
  expect((await succeed(walk, template, 'delete', path)).status).toBe(200);
  await refused(walk, 404, template, 'get', path);
}

async function performTree(walk: Walk, template: string): Promise<void> {
  const tree = instanceIn(await succeed(walk, template, 'get', await concrete(walk, template)));
  expect(Object.keys(at(tree, '->')), template).not.toEqual([]);
}

/** A time may come back with its seconds written out. */
function isLike(sent: string): (answered: unknown) => boolean {
  return (answered) => typeof answered === 'string' && (answered === sent || answered.startsWith(sent));
}

/** Every way in which the operation lets itself be asked for this instance. */
function queriesOf(walk: Walk, template: string, instance: Json): readonly string[] {
  const plain = Object.keys(instance).filter((name) => ['string', 'number', 'boolean'].includes(typeof instance[name]));
  const names = parametersOf(walk, template).map(({ name }) => name);
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
  return parametersOf(walk, template).flatMap(({ name, schema }) => {
    if (name.endsWith('[null]')) return [query(name, 'true'), query(name, 'false')];
    // What stands inside of an attribute, or along relationships, is not in the instance.
    if (name.includes('.') || name.endsWith('[has]')) return [query(name, walk.values.of(schema, false))];
    const value = special[name] ?? instance[name];
    return plain.includes(name) || name in special ? [query(name, value), ...(name in special ? [] : [query(`${name}[ne]`, value)])] : [];
  });
}

function query(name: string, value: unknown): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`;
}

function parametersOf(walk: Walk, template: string): readonly { readonly name: string; readonly schema: Json }[] {
  const given = at(walk.document, 'paths', template, 'get')['parameters'];
  const parameters = Array.isArray(given) ? given.map((each) => resolved(walk.document, each)) : [];
  return parameters.filter((each) => each['in'] === 'query').map((each) => ({ name: String(each['name']), schema: at(each, 'schema') }));
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
export async function misuse(walk: Walk, template: string, method: string): Promise<void> {
  if (/^\/(q|dynamic|meta)/.test(template)) return misuseBesideApi(walk, template, method);
  if (isIdentity(walk, template, method)) return misuseIdentity(walk, template, method);
  const path = await concrete(walk, template);
  const key = keyOf(walk, template, method);
  const keyed = (attributes: Json): Json => (key === undefined ? attributes : { [key]: attributes });
  const takesBody = at(walk.document, 'paths', template, method)['requestBody'] !== undefined;
  if (template.endsWith('}')) {
    const missing = `${parentOf(path)}/${encodeURIComponent(String(walk.values.of(identifierSchema(walk, template))))}`;
    await refused(walk, 404, template, method, missing, takesBody ? { body: keyed({}) } : {});
  }
  if (takesBody) {
    await refused(walk, 415, template, method, path, { body: '{}', headers: { 'content-type': 'text/plain' } });
    await refused(walk, 400, template, method, path, { body: '{' });
    if (!isInvoked(walk, template)) {
      await refused(walk, 400, template, method, path, { body: '[1]' });
      const unknown = await refused(walk, 422, template, method, path, { body: keyed({ neverHeardOf: 1 }) });
      expect(failureOf(unknown)['errors']).toContainEqual({ attribute: 'neverHeardOf', code: 'unknown', message: expect.any(String) });
    }
  } else if (template.split('/').length > 2) {
    await refused(walk, 422, template, method, path, { query: 'neverHeardOf=1' });
  }
  const other =
    method === 'get'
      ? template.endsWith('}') || template.endsWith('/__tree') || template.split('/').length < 3
        ? 'POST'
        : 'DELETE'
      : 'BREW';
  const wrong = await call(walk.app, other, path);
  const described = resolved(walk.document, at(walk.document, 'paths', template, method, 'responses')['default']);
  expect([
    wrong.status,
    wrong.headers['allow'],
    walk.check(at(described, 'content', isEarlier(path) ? 'application/json' : 'application/problem+json', 'schema'), wrong.body),
  ]).toEqual([405, expect.stringContaining('OPTIONS'), []]);
}

async function misuseBesideApi(walk: Walk, template: string, method: string): Promise<void> {
  if (template === '/meta/{component}') return void (await refused(walk, 404, template, method, '/meta/Nothing'));
  const wrong = await call(walk.app, 'DELETE', template);
  expect([wrong.status, wrong.headers['allow']]).toEqual([405, expect.stringContaining(method.toUpperCase())]);
  if (method === 'get') return;
  await refused(walk, 415, template, method, template, { body: '{}', headers: { 'content-type': 'text/plain' } });
  await refused(walk, 400, template, method, template, { body: '{' });
  await refused(walk, 400, template, method, template, { body: { neverHeardOf: 1 } });
  if (template === '/q') await refused(walk, 422, template, method, template, { body: { Query: { from: 'neverHeardOf' } } });
}

function isInvoked(walk: Walk, template: string): boolean {
  return String(at(walk.document, 'paths', template, 'post')['operationId']).endsWith('-invoke');
}

function identifierSchema(walk: Walk, template: string): unknown {
  const parameters = at(walk.document, 'paths', template)['parameters'];
  return Array.isArray(parameters) ? at({ last: parameters.at(-1) }, 'last', 'schema') : {};
}
