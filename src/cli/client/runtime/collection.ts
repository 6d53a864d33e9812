// Collections of a generated client. Part of the generated file.

import { type Call, type Connection, typed } from './connection.ts';
import type { Integers } from './integers.ts';
import { type AnyQuery, type Names, queryString } from './query.ts';
import type { CallOptions, Collection, CreateOptions, Shape, WriteOptions } from './types.ts';
import { watching } from './watch.ts';

/** What the generator says of a type for requests. */
export interface Description {
  /** The type, as the model names it. */
  readonly type: string;
  readonly integers: Integers;
  readonly names: Names;
  /** Relationships with a path of their own below an instance: the rest of that path, and what stands there. */
  readonly nested: Readonly<Record<string, readonly [path: string, target: () => Description]>>;
}

/** The version that an instance had when it was read, for `{ version }`. */
export interface Versions {
  of(instance: object): string | undefined;
  keep(instance: unknown, headers: Headers): void;
}

export function versions(): Versions {
  const known = new WeakMap<object, string>();
  return {
    of: (instance) => known.get(instance),
    keep(instance, headers) {
      const tag = headers.get('etag');
      if (typeof instance === 'object' && instance !== null && tag !== null) known.set(instance, tag);
    },
  };
}

export function collection<S extends Shape>(connection: Connection, known: Versions, path: string, described: Description): Collection<S> {
  const { type, integers, names, nested } = described;
  const { form } = connection;
  const read = async (call: Call): Promise<unknown> => {
    const { value, headers } = await connection.send({ ...call, integers });
    known.keep(value, headers);
    return value;
  };
  const at = (id: unknown): string => `${path}/${encodeURIComponent(String(id))}`;
  const made = {
    get: (id: unknown, query: AnyQuery = {}, { signal }: CallOptions = {}) =>
      read({ method: 'GET', path: `${at(id)}${queryString(query, names)}`, signal, isSafe: true, flat: form.instance }),
    async list(query: AnyQuery = {}, { signal }: CallOptions = {}) {
      const asked = `${path}${queryString(query, names)}`;
      const { value, headers } = await connection.send({ method: 'GET', path: asked, signal, isSafe: true, integers, flat: form.list });
      return Object.assign(Array.isArray(value) ? value : [], { next: nextOf(headers.get('link')) });
    },
    async count(where: object = {}, { signal }: CallOptions = {}) {
      const asked = queryString({ where, limit: 0 }, names);
      const { headers } = await connection.send({ method: 'GET', path: `${path}${asked}&%40count=true`, signal, isSafe: true });
      return Number(headers.get('x-total-count'));
    },
    // With a key it is done once, however often it is sent.
    create: (body: unknown, { signal, idempotencyKey = randomKey() }: CreateOptions = {}) =>
      read({
        method: 'POST',
        path,
        body: Array.isArray(body) ? body.map((each: unknown) => form.create(type, each)) : form.create(type, body),
        signal,
        headers: { 'idempotency-key': idempotencyKey },
        isSafe: true,
        flat: Array.isArray(body) ? form.list : form.created,
      }),
    update: (id: unknown, body: unknown, { signal, version }: WriteOptions = {}) =>
      read({ method: 'PUT', path: at(id), body: form.update(body), signal, headers: ifMatch(version), flat: form.instance }),
    async delete(id: unknown, { signal, version }: WriteOptions = {}) {
      await connection.send({ method: 'DELETE', path: at(id), signal, headers: ifMatch(version) });
    },
    watch(first: unknown, second: unknown, third: unknown) {
      const isList = first === undefined || (typeof first === 'object' && first !== null);
      const [query = {}, { signal } = {}] = typed<readonly [WatchedQuery?, CallOptions?]>(isList ? [first, second] : [second, third]);
      const { initial = false, ...asked } = query;
      const place = isList ? path : at(first);
      return watching(connection, { path: place, query: queryString(asked, names), initial, integers, signal });
    },
    at: (id: unknown) =>
      Object.fromEntries(
        Object.entries(nested).map(([name, [rest, target]]) => [name, collection(connection, known, `${at(id)}/${rest}`, target())]),
      ),
  };
  return typed(made);
}

type WatchedQuery = AnyQuery & { readonly initial?: boolean };

/** A page that came over plain HTTP has no `randomUUID`. */
function randomKey(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((each) => each.toString(16).padStart(2, '0')).join('');
}

function ifMatch(version: string | undefined): Readonly<Record<string, string>> {
  return version === undefined ? {} : { 'if-match': version };
}

/** The cursor in `<…?@after=…>; rel="next"`. */
function nextOf(link: string | null): string | undefined {
  const address = /<([^>]*)>\s*;\s*rel="?next"?/.exec(link ?? '')?.[1];
  if (address === undefined) return undefined;
  return new URLSearchParams(address.slice(address.indexOf('?') + 1)).get('@after') ?? undefined;
}
