// What a command about access is asked of: the path of an instance, of a collection or of an event, in the form of either surface.

import { surfaceOf } from '../../app.ts';
import type { Address, Collection } from '../../engine/operation.ts';
import { error, PlatformError } from '../../errors.ts';
import type { TypeName } from '../../model/model.ts';
import { StartRefused } from '../../store/store.ts';
import type { Guarded } from './project.ts';

export type Target =
  | { readonly kind: 'instance'; readonly at: Address }
  | { readonly kind: 'collection'; readonly at: Collection }
  /** An event or an agent. */
  | { readonly kind: 'run'; readonly type: TypeName };

export function targetAt(path: string, guarded: Guarded): Target {
  const type = runAt(path, guarded);
  if (type !== undefined) return { kind: 'run', type };
  const { plan, settings } = guarded;
  const surface = surfaceOf(plan, { ...settings, service: { ...settings.service, surfaces: ['current', 'earlier'] } });
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
function runAt(path: string, { plan }: Guarded): TypeName | undefined {
  const isEarlier = path.startsWith('/api/');
  const [, module = '', name = '', ...more] = (isEarlier ? path.slice('/api'.length) : path).split('/');
  const found = (isEarlier ? plan.earlierNames : plan.names).get(module)?.get(name);
  if (more.length > 0) return undefined;
  return found?.kind === 'event' ? found.event.name : found?.kind === 'agent' ? found.agent.name : undefined;
}
