// Every path that a service might answer: those that its sources name, those of each type of its model, and those that its description has.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { call } from './openapi-client.ts';
import type { Walk } from './openapi-walk.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** What is answered with anything but 404 and 405 without being described: `GET /docs 200`. `HEAD` and `OPTIONS` are described in words. */
export async function undescribed(walk: Walk): Promise<readonly string[]> {
  const found: string[] = [];
  const described = Object.entries(walk.document.paths).map(([template, item]) => ({ segments: template.split('/'), item }));
  for (const path of new Set([...pathsInSources(), ...pathsOfTypes(walk), ...walk.called.values()])) {
    const operations = described.filter(({ segments }) => isLike(segments, path.split('/'))).map(({ item }) => item);
    for (const method of methods) {
      if (operations.some((item) => item[method.toLowerCase()] !== undefined)) continue;
      const { status } = await call(walk.app, method, path, method === 'POST' ? { body: {} } : {});
      if (status !== 404 && status !== 405) found.push(`${method} ${path} ${status}`);
    }
  }
  return found;
}

function isLike(template: readonly string[], path: readonly string[]): boolean {
  return template.length === path.length && template.every((each, index) => each.startsWith('{') || each === path[index]);
}

const sources = join(import.meta.dirname, '..', '..', 'src');

/** Texts that begin with a slash, in whatever answers requests. */
function pathsInSources(): readonly string[] {
  return ['http', 'operators', 'identity', 'agents', 'resolvers'].flatMap((room) =>
    readdirSync(join(sources, room), { recursive: true, encoding: 'utf8' })
      .filter((each) => each.endsWith('.ts'))
      .flatMap((each) => [...readFileSync(join(sources, room, each), 'utf8').matchAll(/['"`](?:[A-Z]+ )?(\/[\w.$/-]*)['"`]/g)])
      .map(([, path = '']) => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path)),
  );
}

/** On either surface, whatever a type is, and whether or not it is for requests. */
function pathsOfTypes({ app: { model } }: Walk): readonly string[] {
  const kinds = [model.entities, model.relationships, model.records, model.events, model.agents];
  const names = kinds.flatMap((each) => [...each.keys()]);
  return names.flatMap((name) => [`/${name}`, `/api/${name}`, `/${name}/1`, `/api/${name}/1`, `/${name}/1/__tree`]);
}
