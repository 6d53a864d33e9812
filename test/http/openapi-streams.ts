// Streams of a document: what is told of instances, event by event, is what the JSON answer of the same operation would say of them.

import { expect } from 'vitest';
import { at, resolved } from './openapi-client.ts';
import { answerSchema, type Walk } from './openapi-walk.ts';

const media = 'text/event-stream';

/** Opens the stream, where one is described, and reads as far as the instances that are there; once for each description that operations share. */
export async function watch(walk: Walk, template: string, path: string, count: number): Promise<void> {
  const kind = `${media} ${JSON.stringify(at(walk.document, 'paths', template, 'get', 'responses', '200'))}`;
  if (walk.opensAll || !walk.answered.has(kind)) await watchOnce(walk, template, path, count);
  walk.answered.add(kind).add(`get ${template} 200 ${media}`);
}

async function watchOnce(walk: Walk, template: string, path: string, count: number): Promise<void> {
  const described = resolved(walk.document, at(walk.document, 'paths', template, 'get', 'responses', '200'));
  const { status, headers, body } = await walk.app.respond({
    method: 'GET',
    path,
    query: '@initial=true',
    headers: { accept: media },
    body: undefined,
    id: 'test',
    remote: '127.0.0.1',
  });
  const isDescribed = at(described, 'content')[media] !== undefined;
  expect([status, headers['content-type'] === media], path).toEqual(isDescribed ? [200, true] : [422, false]);
  if (!isDescribed || body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) return;
  const told: string[] = [];
  for await (const piece of body) {
    const { event, data } = eventIn(String(piece));
    told.push(event);
    expect(walk.check(event === 'ready' ? cursor : oneOf(walk, template), JSON.parse(data)), `${path} ${event} ${data}`).toEqual([]);
    if (told.length > count) break;
  }
  expect(told, path).toEqual(['ready', ...Array.from({ length: count }, () => 'present')]);
}

const cursor = { type: 'object', properties: { cursor: { type: 'string' } }, required: ['cursor'], additionalProperties: false };

function oneOf(walk: Walk, template: string): unknown {
  const schema = answerSchema(walk, template);
  return schema['type'] === 'array' ? schema['items'] : schema;
}

function eventIn(text: string): { readonly event: string; readonly data: string } {
  const [, event = '', data = ''] = /^event: (.*)\n(?:id: .*\n)?data: (.*)\n\n$/.exec(text) ?? [];
  return { event, data };
}
