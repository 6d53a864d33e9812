// The text of an OpenAPI document, in JSON or YAML, as a value, and what its references point at.

import { isObject } from '../../plan/rows/attribute.ts';
import { objectOf, parseJson } from '../../values/json/json.ts';
import type { Value } from '../../values/value.ts';

/** What is wrong with a document, in words for whoever wrote the configuration. */
export class DocumentFault extends Error {}

const limits = { depth: 200, keys: 1_000_000, items: 1_000_000 };

export async function parseDocument(text: string): Promise<Value> {
  const document = /^\s*\{/.test(text) ? parsedJson(text) : await parsedYaml(text);
  const version = isObject(document) ? document['openapi'] : undefined;
  if (isObject(document) && document['swagger'] !== undefined)
    throw new DocumentFault('is of Swagger 2.0; convert it to OpenAPI 3.0 or 3.1');
  if (typeof version !== 'string' || !/^3\.[01]\./.test(`${version}.`)) throw new DocumentFault('is no OpenAPI document of 3.0 or 3.1');
  return document;
}

function parsedJson(text: string): Value {
  try {
    return parseJson(text, limits);
  } catch {
    throw new DocumentFault('is not JSON');
  }
}

/** The parser is loaded only for a document that needs it. */
async function parsedYaml(text: string): Promise<Value> {
  const { parse } = await import('yaml');
  try {
    // Aliases are counted: a short text may otherwise stand for more than memory holds.
    const given: unknown = parse(text, { maxAliasCount: 1000, schema: 'core' });
    return plain(given, limits.depth);
  } catch (thrown) {
    throw thrown instanceof DocumentFault ? thrown : new DocumentFault('is neither JSON nor YAML');
  }
}

function plain(given: unknown, depth: number): Value {
  if (depth === 0) throw new DocumentFault('is nested too deeply');
  if (given === null || given === undefined) return null;
  if (Array.isArray(given)) return given.map((each) => plain(each, depth - 1));
  if (typeof given === 'object') return objectOf(Object.entries(given).map(([key, value]) => [key, plain(value, depth - 1)]));
  return typeof given === 'number' || typeof given === 'boolean' || typeof given === 'bigint' ? given : String(given);
}

const mostReferences = 50;

/** Follows `$ref` inside of the document; nothing where it points to nothing, or out of it. */
export function resolved(value: Value | undefined, document: Value): Value | undefined {
  let found = value;
  for (let count = 0; isObject(found) && typeof found['$ref'] === 'string'; count += 1) {
    if (count === mostReferences) return undefined;
    found = pointedAt(found['$ref'], document);
  }
  return found;
}

function pointedAt(reference: string, document: Value): Value | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let found: Value | undefined = document;
  for (const part of reference.split('/').slice(1)) {
    const key = decoded(part)?.replaceAll('~1', '/').replaceAll('~0', '~');
    if (key === undefined) return undefined;
    found = Array.isArray(found) ? found[Number(key)] : isObject(found) ? found[key] : undefined;
  }
  return found;
}

/** Nothing for what is no encoding of a text, such as `100%`. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
