// Sends the examples of an OpenAPI document as they are written there, and holds the answers against the examples of answers.

import { expect } from 'vitest';
import { at, type Called, call, isJson, type Json, resolved } from './openapi-client.ts';
import { instanceIn, succeed, type Walk } from './openapi-walk.ts';

const methods = ['get', 'put', 'patch', 'delete'] as const;

/** What was called with an example of the document, and what has none: each as `post /blog/Post`. */
export interface Shown {
  readonly sent: Set<string>;
  readonly compared: Set<string>;
  readonly without: Set<string>;
}

/** Every operation on instances, with the example of its body and the identifiers of its path. */
export async function sendExamples(walk: Walk): Promise<Shown> {
  const shown: Shown = { sent: new Set(), compared: new Set(), without: new Set() };
  const makers = collections(walk);
  for (const [template, instance] of makers) {
    const path = pathOf(walk, template);
    const body = exampleOf(walk, bodySchema(walk, template, 'post'));
    const own = pathOf(walk, instance);
    if (path === undefined || own === undefined || body === undefined) {
      shown.without.add(`post ${template}`);
      continue;
    }
    await prepare(walk, makers, template, 'here');
    await call(walk.app, 'DELETE', own);
    // Where it was not removed because something refers to it, or it was made at another place, everything is begun anew.
    const first = await call(walk.app, 'POST', path, { body });
    if (first.status === 409) {
      await clear(walk, makers);
      await prepare(walk, makers, template, 'anywhere');
    } else await call(walk.app, 'DELETE', own);
    const made = await succeed(walk, template, 'post', path, { body });
    compare(walk, template, 'post', made, shown);
    await succeed(walk, template, 'get', path);
    await useInstance(walk, instance, own, shown);
    shown.sent.add(`post ${template}`);
  }
  return shown;
}

async function useInstance(walk: Walk, template: string, path: string, shown: Shown): Promise<void> {
  for (const method of methods.filter((each) => each in at(walk.document, 'paths', template))) {
    const takesBody = method === 'put' || method === 'patch';
    const body = takesBody ? exampleOf(walk, bodySchema(walk, template, method)) : undefined;
    if (takesBody && body === undefined) {
      shown.without.add(`${method} ${template}`);
      continue;
    }
    const answer = await succeed(walk, template, method, path, body === undefined ? {} : { body });
    compare(walk, template, method, answer, shown);
    shown.sent.add(`${method} ${template}`);
  }
}

/** Events are told what their examples say; what comes of it is the workflow's business, but it is not refused for its form. */
export async function sendEvents(walk: Walk): Promise<readonly string[]> {
  const sent: string[] = [];
  for (const [template, item] of Object.entries(walk.document.paths)) {
    if (!String(at(item, 'post')['operationId']).endsWith('-invoke')) continue;
    if (at(item, 'post', 'responses')['202'] !== undefined) continue;
    const body = exampleOf(walk, bodySchema(walk, template, 'post'));
    if (body === undefined) continue;
    const answer = await call(walk.app, 'POST', template, { body });
    expect(answer.status, `${template} ${JSON.stringify(body)} ${answer.text}`).toSatisfy((status) => status !== 400 && status !== 422);
    sent.push(template);
  }
  return sent;
}

/** Collections that take a POST, each with the path of its instances, parents first. */
function collections(walk: Walk): readonly (readonly [template: string, instance: string])[] {
  const templates = Object.keys(walk.document.paths);
  return templates
    .filter((each) => at(walk.document, 'paths', each)['post'] !== undefined && !each.endsWith('/ApiKey'))
    .flatMap((each) => {
      const instance = templates.find((other) => other.startsWith(`${each}/{`) && other.endsWith('}') && depth(other) === depth(each) + 1);
      return instance === undefined ? [] : [[each, instance] as const];
    });
}

function depth(template: string): number {
  return template.split('/').length;
}

/**
 * Makes everything that examples name: each type once, at the first place that takes it, in any order that works. What the template makes
 * is left out where it would stand at the same place, or wherever it would.
 */
async function prepare(walk: Walk, makers: ReturnType<typeof collections>, template: string, leftOut: 'here' | 'anywhere'): Promise<void> {
  // Both surfaces make the same instances.
  const makes = (each: string): string => String(bodySchema(walk, each, 'post')['$ref']).replace('-keyed', '');
  const instances = new Map(makers);
  const firsts = new Map<string, string>();
  for (const [each] of makers) if (makes(each).endsWith('-create') && !firsts.has(makes(each))) firsts.set(makes(each), each);
  const placeOf = (each: string): string => (leftOut === 'here' ? each.replace(/^\/api\//, '/') : makes(each));
  const waiting = new Set([...firsts.values()].filter((each) => placeOf(each) !== placeOf(template) && !isLink(walk, each)));
  for (let before = -1; before !== waiting.size; ) {
    before = waiting.size;
    for (const each of waiting) {
      const path = pathOf(walk, each);
      const body = exampleOf(walk, bodySchema(walk, each, 'post'));
      const own = pathOf(walk, instances.get(each) ?? '');
      if (path === undefined || body === undefined) waiting.delete(each);
      // To ask is cheaper than to be refused: secrets are hashed first.
      else if (own !== undefined && (await call(walk.app, 'GET', own)).status === 200) waiting.delete(each);
      else if ([200, 201, 409].includes((await call(walk.app, 'POST', path, { body })).status)) waiting.delete(each);
    }
  }
}

/** What others refer to goes after them. */
async function clear(walk: Walk, makers: ReturnType<typeof collections>): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    for (const [, instance] of makers) {
      const path = pathOf(walk, instance);
      if (path !== undefined) await call(walk.app, 'DELETE', path);
    }
  }
}

/** Links are made where they are looked at alone: some ends have room for one. */
function isLink(walk: Walk, template: string): boolean {
  const name = template.replace(/^\/api/, '').slice(1);
  return walk.app.model.relationships.get(name)?.kind === 'between';
}

/** With the examples of its parameters in their places. */
function pathOf(walk: Walk, template: string): string | undefined {
  const given = at(walk.document, 'paths', template)['parameters'];
  const parameters = new Map(
    (Array.isArray(given) ? given : []).map((each: unknown) => [at({ each }, 'each')['name'], at({ each }, 'each')['example']]),
  );
  const segments = template.split('/').map((each) => {
    if (!each.startsWith('{')) return each;
    const value = parameters.get(each.slice(1, -1));
    return value === undefined ? undefined : encodeURIComponent(String(value));
  });
  return segments.includes(undefined) ? undefined : segments.join('/');
}

function bodySchema(walk: Walk, template: string, method: string): Json {
  const schema = at(walk.document, 'paths', template, method, 'requestBody', 'content', 'application/json', 'schema');
  const [one, several]: readonly unknown[] = Array.isArray(schema['anyOf']) ? schema['anyOf'] : [];
  return at({ several }, 'several')['type'] === 'array' ? at({ one }, 'one') : schema;
}

function exampleOf(walk: Walk, schema: unknown): unknown {
  const { examples } = resolved(walk.document, schema);
  return Array.isArray(examples) ? examples[0] : undefined;
}

/** What was sent comes back as it is shown; every other attribute has the kind of value that is shown, and what is filled in another value. */
function compare(walk: Walk, template: string, method: string, answer: Called, shown: Shown): void {
  const described = resolved(walk.document, at(walk.document, 'paths', template, method, 'responses')[String(answer.status)]);
  const example = instanceExample(walk, at(described, 'content', 'application/json', 'schema'));
  if (example === undefined) return;
  shown.compared.add(`${method} ${template}`);
  const instance = instanceIn(answer);
  for (const [name, value] of Object.entries(example)) {
    const where = `${method} ${template} ${name} of ${answer.text}`;
    expect(name in instance, where).toBe(true);
    if (isFilledIn(value)) expect(kindOf(instance[name]), where).toBe(kindOf(value));
    else if (name !== '__path__') expect(instance[name], where).toEqual(value);
    else expect(kindOf(instance[name]), where).toSatisfy((kind) => kind === kindOf(value) || value === null);
  }
}

/** Identifiers and times that the service makes are others each time. */
function isFilledIn(value: unknown): boolean {
  return typeof value === 'string' && (value.startsWith('019c1345-6d40-') || value.startsWith('2026-01-31'));
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

/** Of the one instance of an answer, wherever the schema has it. */
function instanceExample(walk: Walk, schema: unknown): Json | undefined {
  const own = exampleOf(walk, schema);
  if (isJson(own)) return own;
  const { anyOf, items, properties } = resolved(walk.document, schema);
  if (Array.isArray(anyOf)) return instanceExample(walk, anyOf[0]);
  if (items !== undefined) return instanceExample(walk, items);
  return properties === undefined ? undefined : instanceExample(walk, at({ properties }, 'properties')['result']);
}
