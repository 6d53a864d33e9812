// A resolver whose system speaks JSON over HTTP: `GET` and `POST` on a path, `GET`, `PUT` and `DELETE` on `path/<id>`.

import type { HandlerContext } from '../../engine/eval/functions.ts';
import { error } from '../../errors.ts';
import { Outgoing } from '../../outgoing.ts';
import type { EntityPlan } from '../../plan/plan.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import { keyName } from '../../plan/rows/keys.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import { objectOf, writeJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';
import { failureOf, mostBytes, parsed, sameHost, send } from '../http.ts';
import { mostInstances, type Resolver } from '../resolver.ts';

interface RestConfig {
  readonly base: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** The key that holds the array of a list; absent where the list is all of it. */
  readonly list: string | undefined;
  /** Attribute → field of the other side. */
  readonly map: ReadonlyMap<string, string>;
  /** Those of the map. */
  readonly fields: ReadonlySet<string>;
  /** The field that identifies an instance there. */
  readonly id: string | undefined;
  readonly outgoing: Outgoing;
}

export function restResolver(config: Value, planOf: (type: string) => EntityPlan): Pick<Resolver, 'handlers' | 'close'> {
  const rest = readConfig(config);
  return { handlers: handlersOf(rest, planOf), close: async () => rest.outgoing.close() };
}

function handlersOf(rest: RestConfig, planOf: (type: string) => EntityPlan): Resolver['handlers'] {
  const at = (instance: Value, { type }: HandlerContext): URL => instanceUrl(rest, identifierOf(instance, planOf(type), rest));
  return {
    async query(argument, context) {
      const id = identifierAsked(argument, keyAttribute(planOf(context.type), rest));
      if (id === undefined) return listAll(rest, planOf(context.type), context);
      // Nothing there goes by such a name.
      if (isOtherPath(id)) return [];
      const found = await ask(rest, 'GET', instanceUrl(rest, id), undefined, context);
      return found.status === 404 ? [] : fromOther(found.body, rest);
    },
    create: async (instance, context) => {
      // What nobody could ask for again is not made; one without an identifier may get one there.
      const id = identifierOf(instance, planOf(context.type), rest);
      if (id !== null) instanceUrl(rest, id);
      return written(await ask(rest, 'POST', rest.base, toOther(instance, rest), context), rest);
    },
    update: async (instance, context) => {
      // What identifies it there may be what changes: it is found by what it was, and has to be found by what it becomes.
      at(instance, context);
      return written(await ask(rest, 'PUT', at(context.before ?? instance, context), toOther(instance, rest), context), rest);
    },
    delete: async (instance, context) => {
      written(await ask(rest, 'DELETE', at(instance, context), undefined, context), rest);
      return null;
    },
  };
}

function readConfig(config: Value): RestConfig {
  const given = isObject(config) ? config : {};
  const text = (name: string): string | undefined => (typeof given[name] === 'string' ? given[name] : undefined);
  const texts = (name: string): readonly (readonly [string, string])[] =>
    Object.entries(isObject(given[name]) ? given[name] : {}).map(([key, value]) => [key, String(value)] as const);
  // In `config.edn` words are joined by hyphens.
  const baseUrl = (text('baseUrl') ?? text('base-url') ?? '').replace(/\/+$/, '');
  const path = (text('path') ?? '').replace(/^\/+|\/+$/g, '');
  const map = new Map(texts('map'));
  const base = new URL(path === '' ? baseUrl : `${baseUrl}/${path}`);
  return {
    base,
    outgoing: new Outgoing(base, { ownNetwork: (given['ownNetwork'] ?? given['own-network']) === true }),
    headers: Object.fromEntries(texts('headers')),
    list: text('list'),
    map,
    fields: new Set(map.values()),
    id: text('id'),
  };
}

/** Such a segment would name another path. */
function isOtherPath(id: Value): boolean {
  return id === null || ['', '.', '..'].includes(String(id));
}

/** The identifier is one segment, whatever it holds. */
function instanceUrl({ base }: RestConfig, id: Value): URL {
  if (isOtherPath(id)) throw Object.assign(new Error('The identifier cannot be a part of a path.'), { status: 422 });
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/$/, '')}/${encodeURIComponent(String(id))}`;
  return url;
}

function identifierOf(instance: Value, plan: EntityPlan, rest: RestConfig): Value {
  return (isObject(instance) ? instance[keyAttribute(plan, rest)] : undefined) ?? null;
}

/** The attribute that identifies an instance there. */
function keyAttribute({ identifier, attributes }: EntityPlan, { id, map }: RestConfig): string {
  if (id === undefined) return identifier.name;
  const isOwn = !map.has(id) && attributes.some((each) => each.name === id);
  return [...map].find(([, field]) => field === id)?.[0] ?? (isOwn ? id : identifier.name);
}

/** Where one instance is asked for by what identifies it there. */
function identifierAsked(argument: Value, attribute: string): Value | undefined {
  const question = Array.isArray(argument) ? argument[1] : undefined;
  const where = isObject(question) ? question['where'] : undefined;
  const terms = Array.isArray(where) && where[0] === 'and' ? where.slice(1) : [where ?? null];
  for (const term of terms) if (Array.isArray(term) && term[0] === '=' && term[1] === attribute) return term[2];
  return undefined;
}

/** All pages, as long as the other side names a next one on the same host. */
async function listAll(rest: RestConfig, plan: EntityPlan, context: HandlerContext): Promise<Value> {
  // What was added meanwhile moves others to a page that is still to come: of two the later one is how it is by now.
  const found = new Map<string, Value>();
  const seen = new Set<string>();
  let size = 0;
  for (let url: URL | undefined = rest.base; url !== undefined && !seen.has(url.href); ) {
    seen.add(url.href);
    const { body, next, status, length } = await ask(rest, 'GET', url, undefined, context);
    size += length;
    if (size > mostBytes) throw error('resolver-answer-too-large', {}, new Error(`more than ${mostBytes} bytes`));
    if (status === 404) throw new Error(`there is nothing at ${url.pathname}`);
    const items = rest.list === undefined || !isObject(body) ? body : (body[rest.list] ?? null);
    if (!Array.isArray(items)) throw error('resolver-answer-invalid', {}, new Error('the list of the other system is no array'));
    for (const item of items) {
      const each = fromOther(item, rest);
      const id = isObject(each) ? (each[pathColumn] ?? each[plan.identifier.name]) : undefined;
      found.set(id === undefined ? `${found.size}` : `= ${keyName(id)}`, each);
    }
    if (found.size > mostInstances) break;
    url = next;
  }
  return [...found.values()];
}

interface Answer {
  readonly status: number;
  readonly body: Value;
  readonly next: URL | undefined;
  /** Characters of its text. */
  readonly length: number;
}

async function ask(rest: RestConfig, method: string, url: URL, body: Value | undefined, { signal }: HandlerContext): Promise<Answer> {
  const headers = { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...rest.headers };
  const answer = await send({ method, url, headers, signal, ...(body === undefined ? {} : { body: writeJson(body) }) }, rest);
  const { status, ok, text } = answer;
  if (!ok && !(status === 404 && method === 'GET')) throw failureOf(answer, method);
  return {
    status,
    body: ok && text !== '' ? parsed(text) : null,
    next: nextOf(answer.headers.get('link'), answer.url),
    length: text.length,
  };
}

/** Of `Link: <…>; rel="next"`: commas and semicolons may stand in what is quoted, and one link may have several relations. */
function nextOf(link: string | null, url: URL): URL | undefined {
  for (const [, target = '', parameters = ''] of (link ?? '').matchAll(/<([^<>]*)>((?:"(?:[^"\\]|\\.)*"?|[^",<])*)/g))
    for (const [, name = '', quoted, plain = ''] of parameters.matchAll(/;\s*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"?|([^\s;,"]*))/g))
      if (name.toLowerCase() === 'rel' && /(?:^|\s)next(?:\s|$)/i.test(quoted ?? plain)) return sameHost(new URL(target, url), url);
  return undefined;
}

/** What it answers to a write; without a body, what was sent. */
function written({ body }: Answer, rest: RestConfig): Value {
  return body === null ? null : fromOther(body, rest);
}

/** What is not mapped goes by its own name; a field that two would have is refused at start. */
function toOther(instance: Value, { map }: RestConfig): Value {
  return objectOf(Object.entries(isObject(instance) ? instance : {}).map(([name, value]) => [map.get(name) ?? name, value]));
}

function fromOther(given: Value, { map, fields }: RestConfig): Value {
  if (!isObject(given) || map.size === 0) return given;
  const mapped = [...map].flatMap(([name, field]): [string, Value][] =>
    Object.hasOwn(given, field) ? [[name, given[field] ?? null]] : [],
  );
  return objectOf([...Object.entries(given).filter(([name]) => !map.has(name) && !fields.has(name)), ...mapped]);
}
