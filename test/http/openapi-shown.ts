// Examples that stand beside a body or an answer: sent as they are, and held against what the service answers.

import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { at, type Called, isJson, type Json, resolved } from './openapi-client.ts';
import { answerSchema, instancesOf, succeed, type Walk } from './openapi-walk.ts';

/** Of the body of an operation. */
export function exampleOf({ document }: Walk, template: string, method: string): Json {
  const { example } = at(document, 'paths', template, method, 'requestBody', 'content', 'application/json');
  expect(isJson(example), `${method} ${template} has an example`).toBe(true);
  return isJson(example) ? example : {};
}

/** With these in the places of the members of their names, in whatever case, at any depth; each of them stands there. */
export function filled(example: Json, fills: Readonly<Record<string, unknown>>): Json {
  const left = new Set(Object.keys(fills));
  const put = (value: Json): Json =>
    Object.fromEntries(
      Object.entries(value).map(([name, each]): [string, unknown] => {
        const own = [name, `${name.charAt(0).toLowerCase()}${name.slice(1)}`].find((known) => known in fills);
        if (own !== undefined) left.delete(own);
        return [name, own !== undefined ? fills[own] : isJson(each) ? put(each) : each];
      }),
    );
  const made = put(example);
  expect([...left]).toEqual([]);
  return made;
}

/** The examples of an answer, by its media type. */
function answersOf({ document }: Walk, template: string, method: string, { status, headers }: Called): readonly unknown[] {
  const response = resolved(document, at(document, 'paths', template, method, 'responses')[String(status)]);
  const { example, examples } = at(response, 'content', String(headers['content-type']).split(';')[0] ?? '');
  if (example !== undefined) return [example];
  return isJson(examples) ? Object.values(examples).map((each) => at({ each }, 'each')['value']) : [];
}

/** The answer is one of its examples, but for what is another each time. */
export function likeExample(walk: Walk, template: string, method: string, answer: Called): void {
  const examples = answersOf(walk, template, method, answer);
  expect(examples, `${method} ${template} has an example of its answer`).not.toEqual([]);
  const own = plain(answer.body);
  expect(
    examples.map((each) => plain(each)),
    `${method} ${template} ${answer.text}`,
  ).toContainEqual(own);
}

/** Tokens, keys, identifiers and times by their kind alone. */
function plain(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => plain(each));
  if (isJson(value)) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each, key)]));
  return isOther(name) && typeof value === 'string' ? '…' : value;
}

function isOther(name: string): boolean {
  return /token$|^(id|kid|x|key|created)$/i.test(name) && !name.startsWith('expires');
}

const toldOf: readonly string[] = ['operation', 'outcome', 'kind', 'status', 'resolver'];

/** They name an instance of the application, of which there is none that every service has. */
const withoutExample = /(Ownership|InstancePrivilege)Assignment$/;

/** Examples of what only the service writes that are missing, have other members than what it wrote, or say of its kind what is said of nothing there. */
export async function unlikeWritten(walk: Walk): Promise<readonly string[]> {
  const found: string[] = [];
  for (const [template, item] of Object.entries(walk.document.paths)) {
    if (!/^(\/api)?\/platform\b/i.test(template) || template.includes('{') || !String(at(item, 'get')['operationId']).endsWith('-list'))
      continue;
    const { examples } = resolved(walk.document, answerSchema(walk, template)['items']);
    const example = at({ first: Array.isArray(examples) ? examples[0] : undefined }, 'first');
    const all = instancesOf(await succeed(walk, template, 'get', template));
    const isAlike = (name: string): boolean => all.some((each) => each[name] === example[name]);
    const members = Object.keys(example).filter((name) => toldOf.includes(name.toLowerCase()) && !isAlike(name));
    if (!all.some((each) => isDeepStrictEqual(Object.keys(each).sort(), Object.keys(example).sort()))) members.push('its members');
    const isMissing = Object.keys(example).length === 0;
    if (isMissing !== withoutExample.test(template)) found.push(`${template} has ${isMissing ? 'no' : 'an'} example`);
    if (!isMissing) found.push(...members.map((name) => `${template} ${name} ${JSON.stringify(example)}`));
  }
  return found;
}

/** Every example in the document that stands beside its schema, and does not fit it. */
export function unfitting(walk: Walk): readonly string[] {
  const found: string[] = [];
  const visit = (value: unknown, where: string): void => {
    if (Array.isArray(value)) for (const [index, each] of value.entries()) visit(each, `${where}/${index}`);
    if (!isJson(value)) return;
    const { schema, example, examples } = value;
    const several = isJson(examples) ? Object.values(examples).map((each) => at({ each }, 'each')['value']) : [];
    if (isJson(schema))
      for (const each of [...(example === undefined ? [] : [example]), ...several])
        found.push(...walk.check(schema, each).map((fault) => `${where} ${JSON.stringify(each)} ${fault}`));
    if (Array.isArray(examples) && ('type' in value || 'anyOf' in value || 'oneOf' in value || '$ref' in value))
      for (const each of examples) found.push(...walk.check(value, each).map((fault) => `${where} ${JSON.stringify(each)} ${fault}`));
    for (const [name, each] of Object.entries(value)) if (name !== 'example' && name !== 'examples') visit(each, `${where}/${name}`);
  };
  visit(walk.document, '');
  return found;
}
