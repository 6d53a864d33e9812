// A client that knows a service by its OpenAPI document alone: it makes bodies from schemas and checks answers against them.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { App } from '../../src/app.ts';
import type { OpenApiDocument } from '../../src/http/openapi/openapi.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface Called {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: unknown;
}

export interface CallOptions {
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function call(app: App, method: string, path: string, { query = '', body, headers = {} }: CallOptions = {}): Promise<Called> {
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await app.respond({
    method,
    path,
    query,
    headers: { ...type, ...headers },
    body: body === undefined ? undefined : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    id: 'test',
    remote: '127.0.0.1',
  });
  let text = '';
  for await (const _ of response.bytes ?? []);
  if (typeof response.body === 'string' || Buffer.isBuffer(response.body)) text = response.body.toString();
  else if (response.body !== undefined) for await (const part of response.body) text += part;
  const isJson = response.headers['content-type']?.includes('json') === true;
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : text };
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A part of a document, by its keys; what is not there is an empty object. */
export function at(value: unknown, ...keys: readonly string[]): Json {
  const found = keys.reduce<unknown>((part, key) => (isJson(part) ? part[key] : undefined), value);
  return isJson(found) ? found : {};
}

export function resolved(document: unknown, schema: unknown): Json {
  const reference = isJson(schema) ? schema['$ref'] : undefined;
  if (typeof reference !== 'string') return isJson(schema) ? schema : {};
  return at(document, ...reference.slice(2).split('/'));
}

/** Whether what is linked must be there already; on the earlier surface its body is the first member. */
export function linksExisting(document: unknown, schema: unknown): boolean {
  const body = resolved(document, schema);
  const isKeyed = String(at({ schema }, 'schema')['$ref']).endsWith('-keyed-link');
  const own = isKeyed ? Object.values(at(body, 'properties'))[0] : body;
  return at({ own }, 'own')['anyOf'] === undefined;
}

/** Checks answers more strictly than the document: what it does not name may not be there either. */
export function answerCheck(document: unknown): (schema: unknown, value: unknown) => readonly string[] {
  // Whether the schemas themselves are valid is the linter's to say.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false, meta: false });
  addFormats.default(ajv);
  ajv.addFormat('decimal', /^-?\d+(\.\d+)?$/);
  const components = at(document, 'components', 'schemas');
  // Each by a name of its own: parts of one schema would be compiled again for every schema that refers to them.
  const named = (schema: unknown): string => JSON.stringify(schema).replaceAll('"#/components/schemas/', '"test://schemas/');
  const added = new Set<string>();
  const addThoseIn = (text: string): void => {
    for (const [, name = ''] of text.matchAll(/"test:\/\/schemas\/([^"]+)"/g)) {
      if (added.has(name) || components[name] === undefined) continue;
      added.add(name);
      const own = named({ additionalProperties: false, ...at(components, name) });
      ajv.addSchema(JSON.parse(own), `test://schemas/${name}`);
      addThoseIn(own);
    }
  };
  const compiled = new Map<string, ValidateFunction>();
  const compile = (text: string): ValidateFunction => {
    addThoseIn(text);
    return ajv.compile(JSON.parse(text));
  };
  // By the place in the document too: to write a large schema out takes longer than to check a value.
  const found = new WeakMap<Json, ValidateFunction>();
  const checkOf = (schema: unknown): ValidateFunction => {
    const known = isJson(schema) ? found.get(schema) : undefined;
    if (known !== undefined) return known;
    const text = named(schema);
    const check = compiled.get(text) ?? compile(text);
    compiled.set(text, check);
    if (isJson(schema)) found.set(schema, check);
    return check;
  };
  return (schema, value) => {
    const check = checkOf(schema);
    return check(value) ? [] : (check.errors ?? []).map((each) => `${each.instancePath} ${each.message} ${JSON.stringify(each.params)}`);
  };
}

/** How the answer of a posted event differs from what the service itself says of it. */
export async function unlikeDescribed(app: App, path: string, { status, headers, body }: Omit<Called, 'text'>): Promise<readonly string[]> {
  const { body: document } = await call(app, 'GET', '/openapi.json');
  const responses = at(document, 'paths', path, 'post', 'responses');
  const described = resolved(document, responses[String(status)] ?? responses['default']);
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  const media = at(described, 'content')[type];
  return media === undefined ? [`${status} ${type} is not described`] : answerCheck(document)(at(media, 'schema'), body);
}

/** Values that fit schemas, each different from all before. */
export function createValues(document: OpenApiDocument): { of(schema: unknown, nested?: boolean): unknown } {
  let count = 0;
  const next = (): number => {
    count += 1;
    return count;
  };
  const isNested = (schema: unknown): boolean => /-(create|link)$/.test(String(at(schema, 'items')['$ref'] ?? ''));
  // What can only be linked has to be there already.
  const isExisting = (schema: unknown): boolean =>
    String(at(schema, 'items')['$ref']).endsWith('-link') && linksExisting(document, at(schema, 'items'));
  const objectOf = (schema: Json, level: number): Json => {
    const entries = Object.entries(at(schema, 'properties')).filter(([, property]) => {
      if (at({ property }, 'property')['readOnly'] === true) return false;
      return !isNested(property) || (level === 0 && !isExisting(property));
    });
    return Object.fromEntries(entries.map(([name, property]) => [name, valueFor(property, level + 1)]));
  };
  const valueFor = (given: unknown, level: number): unknown => {
    const schema = resolved(document, given);
    const choices = schema['allOf'] ?? schema['anyOf'] ?? schema['oneOf'];
    if (Array.isArray(choices)) return valueFor(choices[0], level);
    if (Array.isArray(schema['enum'])) return schema['enum'][0];
    const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type'];
    switch (type) {
      case 'object':
        return schema['properties'] === undefined ? { any: ['thing', next(), null, { deep: true }] } : objectOf(schema, level);
      case 'array':
        return [valueFor(schema['items'], level)];
      case 'integer':
        return next();
      case 'number':
        return next() + 0.25;
      case 'boolean':
        return true;
      case 'string':
        return textOf(schema, next());
      default:
        return { whatever: next() };
    }
  };
  return { of: (schema, nested = false) => valueFor(schema, nested ? 0 : 1) };
}

function textOf({ format, pattern }: Json, count: number): string {
  const digits = String(count).padStart(12, '0');
  switch (format) {
    case 'uuid':
      return `00000000-0000-7000-8000-${digits}`;
    case 'email':
      return `user${count}@example.com`;
    case 'uri':
      return `https://example.com/${count}`;
    case 'date':
      return new Date(count * 86_400_000).toISOString().slice(0, 10);
    case 'decimal':
      return `${count}.50`;
    default:
      if (typeof pattern !== 'string') return `te/xt ${count}%ä`;
      return pattern.startsWith('^\\d{4}') ? `2025-01-31T09:30:00.${count}Z` : '09:30';
  }
}
