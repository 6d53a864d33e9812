// Walks every operation of an OpenAPI document against a live app: valid input is answered as described, faulty input with a problem.

import { expect } from 'vitest';
import type { App } from '../../src/app.ts';
import type { OpenApiDocument } from '../../src/http/openapi/openapi.ts';
import type { Between } from '../../src/model/model.ts';
import {
  answerCheck,
  at,
  type Called,
  type CallOptions,
  call,
  createValues,
  isJson,
  type Json,
  linksExisting,
  resolved,
} from './openapi-client.ts';

export interface Walk {
  readonly app: App;
  readonly document: OpenApiDocument;
  /** Attributes that refer to an instance, and the component of what they refer to. */
  readonly references: Readonly<Record<string, string>>;
  readonly check: ReturnType<typeof answerCheck>;
  readonly values: ReturnType<typeof createValues>;
  /** The kinds of answers that were given, each as it is described: `get /blog/Post 200 application/json`. */
  readonly answered: Set<string>;
  /** A path that was called, by its template. */
  readonly called: Map<string, string>;
  /** What attributes refer to, by its component. */
  readonly referred: Map<string, string>;
  /** Whether the stream of each operation is opened, also where another has the same description. */
  readonly opensAll: boolean;
  /** Parents that were made before, by their template: what they contain does not disturb what else they contain. */
  readonly parents: Map<string, string>;
}

type WalkOptions = Partial<Pick<Walk, 'references' | 'opensAll' | 'check'>>;

export function startWalk(app: App, document: OpenApiDocument, options: WalkOptions = {}): Walk {
  const { references = {}, opensAll = false, check = answerCheck(document) } = options;
  return {
    app,
    document,
    references,
    check,
    values: createValues(document),
    answered: new Set(),
    called: new Map(),
    referred: new Map(),
    opensAll,
    parents: new Map(),
  };
}

/** Calls the operation, and expects the answer to be as it is described for its status. */
export async function operate(walk: Walk, template: string, method: string, path: string, options?: CallOptions): Promise<Called> {
  const answer = await call(walk.app, method.toUpperCase(), path, options);
  const responses = at(walk.document, 'paths', template, method, 'responses');
  const described = resolved(walk.document, responses[String(answer.status)] ?? responses['default']);
  const where = `${method} ${path}?${options?.query ?? ''} ${JSON.stringify(options?.body)} gives ${answer.status} ${answer.text.slice(0, 500)}`;
  expect(described, where).not.toEqual({});
  const [type = ''] = (answer.headers['content-type'] ?? '').split(';');
  const content = at(described, 'content');
  if (described['content'] === undefined) expect(answer.text, where).toBe('');
  else expect([Object.keys(content), walk.check(at(content, type, 'schema'), answer.body)], where).toEqual([containing(type), []]);
  walk.answered.add(`${method} ${template} ${answer.status} ${type}`);
  if (answer.status < 400) walk.called.set(template, path);
  for (const name of Object.keys(answer.headers).filter((each) => documented.has(each))) {
    expect(
      Object.keys(at(described, 'headers')).map((each) => each.toLowerCase()),
      where,
    ).toContain(name);
  }
  return answer;
}

const containing = (type: string): unknown => expect.arrayContaining([type]);

const documented = new Set(['etag', 'location', 'link', 'x-total-count', 'allow']);

/** As `operate`, for what succeeds. */
export async function succeed(walk: Walk, template: string, method: string, path: string, options?: CallOptions): Promise<Called> {
  const answer = await operate(walk, template, method, path, options);
  expect(answer.status, `${method} ${path} ${JSON.stringify(options?.body)} ${answer.text}`).toBeLessThan(400);
  return answer;
}

/** As `operate`, for what is refused. */
export async function refused(
  walk: Walk,
  status: number,
  template: string,
  method: string,
  path: string,
  options?: CallOptions,
): Promise<Called> {
  const answer = await operate(walk, template, method, path, options);
  expect(answer.status, `${method} ${path} ${JSON.stringify(options)} ${answer.text}`).toBe(status);
  expect(failureOf(answer)['status']).toBe(isJson(answer.body) ? status : status === 404 ? 'not-found' : 'error');
  return answer;
}

/** What an answer says of a failure: a problem, or the envelope of the earlier surface. */
export function failureOf({ body }: Called): Json {
  return isJson(body) ? body : at({ first: Array.isArray(body) ? body[0] : undefined }, 'first');
}

/** The instances of an answer, in an envelope or not. */
export function instancesOf({ body }: Called): readonly Json[] {
  if (!Array.isArray(body)) return isJson(body) ? [body] : [];
  const [first]: readonly unknown[] = body;
  const inside = isJson(first) && first['status'] === 'ok' ? first['result'] : undefined;
  const all: readonly unknown[] = Array.isArray(inside) ? inside : body;
  return all.filter(isJson);
}

export function instanceIn(answer: Called): Json {
  return instancesOf(answer)[0] ?? {};
}

/** Whether a path is one of the earlier surface. */
export function isEarlier(template: string): boolean {
  return template.startsWith('/api/');
}

/** The path with an instance behind each of its parameters, all of them made for it. */
export async function concrete(walk: Walk, template: string): Promise<string> {
  const segments = template.split('/').slice(1);
  let [path, shape] = ['', ''];
  for (const [index, segment] of segments.entries()) {
    const before = shape;
    shape = `${shape}/${segment}`;
    if (!segment.startsWith('{')) path = `${path}/${segment}`;
    else if (!isContains(walk, segments[index + 1])) path = await madeIn(walk, before, path);
    else {
      path = walk.parents.get(shape) ?? (await madeIn(walk, before, path));
      walk.parents.set(shape, path);
    }
  }
  return path;
}

function isContains(walk: Walk, relationship: string | undefined): boolean {
  return [...walk.app.model.relationships.values()].some((each) => each.kind === 'contains' && each.local === relationship);
}

/** Makes an instance in the collection; its path there. */
async function madeIn(walk: Walk, template: string, path: string): Promise<string> {
  const item = at(walk.document, 'paths', template);
  if (item['post'] !== undefined) {
    const created = await succeed(walk, template, 'post', path, { body: await bodyFor(walk, template) });
    return `${path}/${lastSegment(walk, created)}`;
  }
  const component = componentOf(walk, template);
  if (makerOf(walk, component, isEarlier(template)) === undefined) return found(walk, template, path);
  const made = await make(walk, component, isEarlier(template));
  return `${path}/${lastSegment(walk, made)}`;
}

/** An instance that only the service makes, and that no other in the collection has the identifier of. */
async function found(walk: Walk, template: string, path: string): Promise<string> {
  const all = instancesOf(await succeed(walk, template, 'get', path));
  const entity = walk.app.model.entities.get(componentOf(walk, template).replace(/\.(?=[^.]*$)/, '/'));
  const identifiers = all.map((each) => String(each[entity?.identifier.name ?? '']));
  const one = identifiers.findLast((each) => identifiers.indexOf(each) === identifiers.lastIndexOf(each));
  if (one === undefined) throw new Error(`there is nothing at ${path}`);
  return `${path}/${encodeURIComponent(one)}`;
}

/** What a read or list at this path is answered with. */
export function answerSchema(walk: Walk, template: string): Json {
  const answer = resolved(walk.document, at(walk.document, 'paths', template, 'get', 'responses', '200'));
  const schema = at(answer, 'content', 'application/json', 'schema');
  const inside = at(schema, 'items', 'properties', 'result');
  return inside['type'] === 'array' ? inside : schema;
}

/** The component of the instances in a collection. */
function componentOf(walk: Walk, template: string): string {
  return String(at(answerSchema(walk, template), 'items')['$ref'])
    .replace('#/components/schemas/', '')
    .replace(/(-tagged)?-selected$/, '');
}

/** The shortest path that makes such instances. */
function makerOf(walk: Walk, component: string, earlier: boolean): string | undefined {
  const body = `#/components/schemas/${component}${earlier ? '-keyed' : ''}-create`;
  const makes = (template: string): boolean => bodySchema(walk, template)['$ref'] === body;
  const [template] = Object.keys(walk.document.paths)
    .filter(makes)
    .sort((one, other) => one.length - other.length);
  return template;
}

export async function make(walk: Walk, component: string, earlier: boolean): Promise<Called> {
  const template = makerOf(walk, component, earlier);
  if (template === undefined) throw new Error(`nothing makes ${component}`);
  return succeed(walk, template, 'post', await concrete(walk, template), { body: await bodyFor(walk, template) });
}

/** Of one body, where an array of them is taken too. */
function bodySchema(walk: Walk, template: string, method = 'post'): Json {
  const schema = at(walk.document, 'paths', template, method, 'requestBody', 'content', 'application/json', 'schema');
  const [one, several]: readonly unknown[] = Array.isArray(schema['anyOf']) ? schema['anyOf'] : [];
  return at({ several }, 'several')['type'] === 'array' ? at({ one }, 'one') : schema;
}

/** By which the created instance is found in its collection; the earlier surface does not say where that is. */
export function lastSegment({ app: { model } }: Walk, created: Called): string {
  const location = created.headers['location'];
  if (location !== undefined) return location.split('/').at(-1) ?? '';
  const instance = instanceIn(created);
  const type = String(instance['-*-type-*-']);
  const relationship = model.relationships.get(type);
  const { identifier } = model.entities.get(type) ?? (relationship?.kind === 'between' ? relationship : { identifier: undefined });
  return encodeURIComponent(String(instance[identifier?.name ?? '']));
}

/** A valid body for the operation, on request with what can be created below it. */
export async function bodyFor(walk: Walk, template: string, method = 'post', nested = false): Promise<unknown> {
  const known = await knownBody(walk, template, method);
  if (known !== undefined) return known;
  const schema = bodySchema(walk, template, method);
  const reference = String(schema['$ref']);
  const earlier = isEarlier(template);
  if (reference.endsWith('-link') && linksExisting(walk.document, schema)) {
    const key = keyOf(walk, template, method);
    const own = resolved(walk.document, schema);
    const body = await identifierAlone(walk, componentOf(walk, template), key === undefined ? own : at(own, 'properties', key), earlier);
    return key === undefined ? body : { [key]: body };
  }
  const between = method === 'post' ? linkAt(walk, template) : undefined;
  // Whoever is being linked may have room for one link alone.
  const body = at({ body: await withReferences(walk, walk.values.of(schema, nested && reference.endsWith('-create')), earlier) }, 'body');
  if (between === undefined) return method === 'post' && !nested && template.endsWith('/User') ? withoutPassword(body) : body;
  const ends = await endsOf(walk, between, earlier);
  return earlier ? { [between.name]: { ...at(body, between.name), ...ends } } : { ...body, ...ends };
}

/** A user need not have one, and each takes a hash: those that are only referred to are made without. */
function withoutPassword(body: Json): Json {
  const { password: _, Password: __, ...rest } = body;
  return Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [name, name.endsWith('/User') && isJson(value) ? withoutPassword(value) : value]),
  );
}

/** Where the service checks more of a body than its schema says: whose roles an API key has, of what an owner is one, what a timer sets off. */
async function knownBody(walk: Walk, template: string, method: string): Promise<Json | undefined> {
  const collection = template.replace(/\/\{\w+\}$/, '');
  const type = collection.split('/').at(-1) ?? '';
  const earlier = isEarlier(template);
  const spelled = (attributes: Json): Json => {
    if (!earlier) return attributes;
    const entries = Object.entries(attributes).map(([name, value]) => [`${name.charAt(0).toUpperCase()}${name.slice(1)}`, value]);
    return { [collection.slice('/api/'.length)]: Object.fromEntries(entries) };
  };
  const isTimer = type === 'timer' || type === 'Timer';
  if (isTimer && method !== 'post') return spelled({ [earlier ? 'expiry' : 'duration']: 60 });
  if (method !== 'post') return undefined;
  if (type === 'ApiKey') return spelled({ name: 'nightly' });
  if (type === 'OwnershipAssignment' || type === 'InstancePrivilegeAssignment') {
    const entity = [...walk.app.model.entities.values()].find(({ system }) => system === undefined);
    if (entity === undefined) throw new Error('no entity of the application can have an owner');
    const of = instanceIn(await make(walk, entity.name.replace('/', '.'), earlier));
    const user = instanceIn(await make(walk, earlier ? 'Platform.Kernel.Identity.User' : 'platform.auth.User', earlier));
    const granted = type === 'OwnershipAssignment' ? {} : { actions: ['read'] };
    const resourceId = String(of['__path__'] ?? of[entity.identifier.name]);
    return spelled({ resource: entity.name, resourceId, assignee: user[earlier ? 'Email' : 'email'], ...granted });
  }
  if (!isTimer) return undefined;
  const [name, event] = [
    `timer ${String(walk.values.of({ type: 'integer' }))}`,
    [...walk.app.model.events.values()].find(({ local }) => local === 'tick')?.name,
  ];
  return earlier ? spelled({ name, expiry: 3600, expiryEvent: event }) : { name, duration: 3600, trigger: event };
}

/** The name under which the attributes stand, on the earlier surface. */
export function keyOf(walk: Walk, template: string, method: string): string | undefined {
  if (!isEarlier(template)) return undefined;
  const { anyOf, ...schema } = resolved(walk.document, bodySchema(walk, template, method));
  const first: unknown = Array.isArray(anyOf) ? anyOf[0] : schema;
  const required = at({ first }, 'first')['required'];
  return Array.isArray(required) ? String(required[0]) : undefined;
}

/** With the attributes of the link, where it has any. */
async function identifierAlone(walk: Walk, component: string, schema: Json, earlier: boolean): Promise<unknown> {
  const made = instanceIn(await make(walk, component, earlier));
  const first: unknown = Array.isArray(schema['oneOf']) ? schema['oneOf'][0] : schema;
  const { '@link': link, ...own } = at(first, 'properties');
  const [name = ''] = Object.keys(own);
  return { [name]: made[name], ...(link === undefined ? {} : { '@link': walk.values.of(link) }) };
}

function linkAt(walk: Walk, template: string): Between | undefined {
  const found = walk.app.model.relationships.get(template.slice(isEarlier(template) ? '/api/'.length : 1));
  return found?.kind === 'between' ? found : undefined;
}

async function endsOf(walk: Walk, between: Between, earlier: boolean): Promise<Json> {
  const ends: [string, unknown][] = [];
  for (const end of between.ends) {
    const made = instanceIn(await make(walk, end.entity.replace('/', '.'), earlier));
    const identifier = walk.app.model.entities.get(end.entity)?.identifier.name ?? '';
    ends.push([end.attribute, made['__path__'] ?? made[identifier]]);
  }
  return Object.fromEntries(ends);
}

/** One instance that many refer to: of users each takes a hash. A user is disabled once alone. */
async function referredTo(walk: Walk, name: string, target: string, earlier: boolean): Promise<string> {
  const key = `${target} ${earlier}`;
  const isOnce = name.toLowerCase() === 'user';
  const known = isOnce ? undefined : walk.referred.get(key);
  const segment = known ?? decodeURIComponent(lastSegment(walk, await make(walk, target, earlier)));
  if (!isOnce) walk.referred.set(key, segment);
  return segment;
}

/** Puts existing instances where attributes refer to some. */
async function withReferences(walk: Walk, value: unknown, earlier: boolean): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((each) => withReferences(walk, each, earlier)));
  if (!isJson(value)) return value;
  const entries: [string, unknown][] = [];
  for (const [name, each] of Object.entries(value)) {
    // What is sent of a new user is an object under the name that elsewhere refers to one.
    const target = isJson(each) ? undefined : walk.references[name];
    entries.push([name, target === undefined ? await withReferences(walk, each, earlier) : await referredTo(walk, name, target, earlier)]);
  }
  return Object.fromEntries(entries);
}
