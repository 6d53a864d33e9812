// The operations of an OpenAPI document, each as an event: its name, its attributes, and where each of them goes in a request.

import { isObject } from '../../plan/rows/attribute.ts';
import type { Value } from '../../values/value.ts';
import { DocumentFault, resolved } from './document.ts';

export interface RemoteOperation {
  /** Of the event, without its module. */
  readonly name: string;
  readonly method: string;
  /** As in the document: `/pets/{petId}`. */
  readonly path: string;
  readonly about: string | undefined;
  readonly inputs: readonly RemoteInput[];
  readonly body: RemoteBody | undefined;
  /** By status: `200`, `2XX`, `default`. */
  readonly answers: readonly RemoteAnswer[];
}

export interface RemoteInput {
  readonly attribute: string;
  /** As the other system calls it. */
  readonly name: string;
  /** A property of the body may be a part of the path too. */
  readonly in: readonly ('path' | 'query' | 'header' | 'cookie' | 'body')[];
  readonly required: boolean;
  readonly schema: Value | undefined;
  /** How lists and objects stand in a query string. */
  readonly form: 'repeated' | 'joined' | 'nested' | 'json';
}

export interface RemoteBody {
  readonly media: 'json' | 'form';
  /** The attribute that is all of it; absent where its properties are attributes. */
  readonly attribute: string | undefined;
  readonly required: boolean;
  readonly schema: Value | undefined;
}

export interface RemoteAnswer {
  readonly status: string;
  readonly schema: Value | undefined;
}

/** A document as a resolver of the service's own calls it: plain data, so that settings can be compared. */
export interface OpenapiModule {
  readonly baseUrl: string;
  readonly ownNetwork?: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly document: Value;
  readonly operations: readonly RemoteOperation[];
}

export interface Operations {
  readonly operations: readonly RemoteOperation[];
  /** Those that cannot be called, and why. */
  readonly ignored: readonly string[];
}

const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'] as const;
const mostOperations = 2000;

export function operationsOf(document: Value): Operations {
  const paths = isObject(document) && isObject(document['paths']) ? document['paths'] : {};
  const operations: RemoteOperation[] = [];
  const ignored: string[] = [];
  const names = new Set<string>();
  for (const [path, item] of Object.entries(paths)) {
    const at = resolved(item, document);
    for (const method of methods) {
      const operation = isObject(at) ? at[method] : undefined;
      if (!isObject(at) || !isObject(operation)) continue;
      const found = operationOf({ method, path, at, operation, document, names });
      if (typeof found === 'string') ignored.push(`${method.toUpperCase()} ${path} ${found}`);
      else operations.push(found);
    }
  }
  if (operations.length > mostOperations) throw new DocumentFault(`has more than ${mostOperations} operations`);
  if (operations.length === 0)
    throw new DocumentFault(ignored.length === 0 ? 'has no operations' : `has none that can be called: ${ignored[0]}`);
  return { operations, ignored };
}

interface Reading {
  readonly method: string;
  readonly path: string;
  readonly at: { readonly [key: string]: Value };
  readonly operation: { readonly [key: string]: Value };
  readonly document: Value;
  readonly names: Set<string>;
}

/** Why it cannot be called, where that is so. */
function operationOf(reading: Reading): RemoteOperation | string {
  const { method, path, operation, document, names } = reading;
  const body = bodyOf(reading);
  if (typeof body === 'string') return body;
  const taken = new Set<string>();
  const parameters = parametersOf(reading, taken);
  const lacking = partsOf(path).find((name) => !parameters.some((each) => each.in.includes('path') && each.name === name));
  if (lacking !== undefined) return `does not say what {${lacking}} is`;
  const about = operation['summary'] ?? operation['description'];
  return {
    name: uniqueName(operation['operationId'], `${method}${path.replaceAll(/[{}]/g, '')}`, names),
    method: method.toUpperCase(),
    path,
    about: typeof about === 'string' ? about.slice(0, 300) : undefined,
    ...(body === undefined ? { inputs: parameters, body: undefined } : withBody(parameters, body, taken, document)),
    answers: answersOf(operation, document),
  };
}

export function partsOf(path: string): readonly string[] {
  return [...path.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name);
}

/** Those of the path hold for all of its operations, unless one says otherwise. */
function parametersOf({ at, operation, document }: Reading, taken: Set<string>): readonly RemoteInput[] {
  const found = new Map<string, { readonly [key: string]: Value }>();
  for (const list of [at['parameters'], operation['parameters']])
    for (const each of Array.isArray(list) ? list : []) {
      const parameter = resolved(each, document);
      if (isObject(parameter)) found.set(`${String(parameter['in'])} ${String(parameter['name'])}`, parameter);
    }
  return [...found.values()].flatMap((each) => inputOf(each, taken));
}

const places = ['path', 'query', 'header', 'cookie'] as const;
/** What the service itself says of a request. */
const ownHeaders: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization']);

function inputOf(parameter: { readonly [key: string]: Value }, taken: Set<string>): readonly RemoteInput[] {
  const { name, required, schema, content } = parameter;
  const place = places.find((each) => each === parameter['in']);
  if (place === undefined || typeof name !== 'string' || (place === 'header' && ownHeaders.has(name.toLowerCase()))) return [];
  const media = isObject(content) ? Object.values(content)[0] : undefined;
  const isJson = schema === undefined && isObject(media);
  return [
    {
      attribute: uniqueName(name, 'value', taken),
      name,
      in: [place],
      required: required === true || place === 'path',
      schema: isJson ? media['schema'] : schema,
      form: isJson ? 'json' : formOf(parameter, place),
    },
  ];
}

function formOf({ style, explode }: { readonly [key: string]: Value }, place: string): RemoteInput['form'] {
  if (style === 'deepObject') return 'nested';
  const isRepeated = place === 'query' && (style === undefined || style === 'form') && explode !== false;
  return isRepeated ? 'repeated' : 'joined';
}

interface FoundBody {
  readonly media: RemoteBody['media'];
  readonly schema: Value | undefined;
  readonly required: boolean;
}

function bodyOf({ method, operation, document }: Reading): FoundBody | string | undefined {
  const body = resolved(operation['requestBody'], document);
  if (!isObject(body)) return undefined;
  // No client sends one.
  if (method === 'get' || method === 'head')
    return body['required'] === true ? `takes a body, which ${method.toUpperCase()} cannot have` : undefined;
  const content = Object.entries(isObject(body['content']) ? body['content'] : {});
  const json = content.find(([name]) => isJsonType(name));
  const form = content.find(([name]) => name.startsWith('application/x-www-form-urlencoded'));
  const [, media] = json ?? form ?? [];
  if (media === undefined) return body['required'] === true ? 'takes a body that is neither JSON nor a form' : undefined;
  const schema = isObject(media) ? media['schema'] : undefined;
  return { media: json === undefined ? 'form' : 'json', schema, required: body['required'] === true };
}

export function isJsonType(name: string): boolean {
  return /^(?:application\/(?:[\w.+-]+\+)?json|\*\/\*|application\/\*)\s*(?:;|$)/i.test(name);
}

/**
 * The properties of a body become attributes of the event. One that has the name of a part of the path is the same value;
 * where another name clashes, or the body is no plain object, all of it is one attribute.
 */
function withBody(
  parameters: readonly RemoteInput[],
  { media, schema, required }: FoundBody,
  taken: Set<string>,
  document: Value,
): Pick<RemoteOperation, 'inputs' | 'body'> {
  const properties = propertiesOf(schema, document);
  const clash = parameters.some((each) => properties?.has(each.name) === true && !each.in.includes('path'));
  if (properties === undefined || clash) {
    const attribute = uniqueName('body', 'body', taken);
    const input: RemoteInput = { attribute, name: attribute, in: ['body'], required, schema, form: 'json' };
    return { inputs: [...parameters, input], body: { media, attribute, required, schema } };
  }
  const shared = parameters.map((each): RemoteInput => (properties.has(each.name) ? { ...each, in: [...each.in, 'body'] } : each));
  const own = [...properties].filter(([name]) => !parameters.some((each) => each.name === name));
  const inputs = own.map(
    ([name, property]): RemoteInput => ({
      attribute: uniqueName(name, 'value', taken),
      name,
      in: ['body'],
      required: required && property.required,
      schema: property.schema,
      form: 'json',
    }),
  );
  return { inputs: [...shared, ...inputs], body: { media, attribute: undefined, required, schema } };
}

interface Property {
  readonly schema: Value;
  readonly required: boolean;
}

/** Of an object that says what it has, also by several parts; what is only read is not sent. */
function propertiesOf(schema: Value | undefined, document: Value, depth = 0): ReadonlyMap<string, Property> | undefined {
  const rules = resolved(schema, document);
  if (!isObject(rules) || depth > 10 || rules['oneOf'] !== undefined || rules['anyOf'] !== undefined) return undefined;
  const parts = Array.isArray(rules['allOf']) ? rules['allOf'] : [];
  const own = isObject(rules['properties']) ? rules['properties'] : undefined;
  if (own === undefined && parts.length === 0) return undefined;
  if (own !== undefined && isOpen(rules)) return undefined;
  const found = new Map<string, Property>();
  for (const part of parts) {
    const inner = propertiesOf(part, document, depth + 1);
    if (inner === undefined) return undefined;
    for (const [name, each] of inner) found.set(name, each);
  }
  const required = Array.isArray(rules['required']) ? rules['required'] : [];
  for (const [name, each] of Object.entries(own ?? {})) {
    const property = resolved(each, document);
    if (isObject(property) && property['readOnly'] === true) continue;
    found.set(name, { schema: each, required: false });
  }
  for (const name of required) {
    const known = typeof name === 'string' ? found.get(name) : undefined;
    if (known !== undefined) found.set(String(name), { ...known, required: true });
  }
  return found;
}

/** It takes keys that nobody names: they could not be attributes. */
function isOpen({ additionalProperties }: { readonly [key: string]: Value }): boolean {
  return additionalProperties === true || isObject(additionalProperties);
}

function answersOf(operation: { readonly [key: string]: Value }, document: Value): readonly RemoteAnswer[] {
  const responses = isObject(operation['responses']) ? operation['responses'] : {};
  return Object.entries(responses).map(([status, each]) => {
    const answer = resolved(each, document);
    const content = isObject(answer) && isObject(answer['content']) ? Object.entries(answer['content']) : [];
    const json = content.find(([name]) => isJsonType(name))?.[1];
    return { status: status.toUpperCase(), schema: isObject(json) ? json['schema'] : undefined };
  });
}

const longestName = 60;

/** A name of the model: letters, digits and `_`; two that differ only in case are told apart by a number. */
function uniqueName(wanted: Value | undefined, otherwise: string, taken: Set<string>): string {
  const written = typeof wanted === 'string' && /[A-Za-z]/.test(wanted) ? wanted : otherwise;
  const plain =
    written
      .replaceAll(/[^A-Za-z0-9]+/g, '_')
      .replace(/^[_0-9]+|_+$/g, '')
      .slice(0, longestName) || 'value';
  const first = reservedNames.has(plain) ? `${plain}_` : plain;
  let name = first;
  for (let number = 2; taken.has(name.toLowerCase()); number += 1) name = `${first.slice(0, longestName - 5)}_${number}`;
  taken.add(name.toLowerCase());
  return name;
}

/** Names that mean something in patterns. */
const reservedNames: ReadonlySet<string> = new Set(['this', 'auth']);
