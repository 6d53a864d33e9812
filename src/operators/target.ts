// What a question about access is asked of: the path of an instance, of a collection or of an event, in the form of either surface.

import type { Target } from '../access/explanation.ts';
import { error, PlatformError } from '../errors.ts';
import type { Surface } from '../http/rest/surface.ts';
import type { TypeName } from '../model/model.ts';
import type { Plan } from '../plan/plan.ts';
import { StartRefused } from '../store/store.ts';

/** `surface` takes the paths of both. */
export function targetAt(path: string, plan: Plan, surface: Surface): Target {
  const type = runAt(path, plan);
  if (type !== undefined) return { kind: 'run', type };
  try {
    const asked = surface.toOperation({ method: 'GET', path, query: '', headers: {}, body: undefined, id: '', remote: '' });
    if (asked.kind !== 'operation') throw error('path-unknown');
    const { operation } = asked;
    if (operation.kind === 'read') return { kind: 'instance', at: operation.at };
    if (operation.kind === 'list') return { kind: 'collection', at: operation.at };
    throw error('path-unknown');
  } catch (thrown) {
    if (!(thrown instanceof PlatformError)) throw thrown;
    throw new StartRefused(`${path}: there is no instance, collection or event at this path.`, thrown);
  }
}

/** What is run has no GET. */
function runAt(path: string, plan: Plan): TypeName | undefined {
  const isEarlier = path.startsWith('/api/');
  const [, module = '', name = '', ...more] = (isEarlier ? path.slice('/api'.length) : path).split('/');
  const found = (isEarlier ? plan.earlierNames : plan.names).get(module)?.get(name);
  if (more.length > 0) return undefined;
  return found?.kind === 'event' ? found.event.name : found?.kind === 'agent' ? found.agent.name : undefined;
}
