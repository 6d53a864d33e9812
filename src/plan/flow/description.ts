// What a step does, in the words of its pattern: how a failing step names itself to the caller.

import { unreachable } from '../../errors.ts';
import type { Action } from './flow.ts';

export function wordsOf(action: Action): string {
  switch (action.kind) {
    case 'create':
      return `${action.upsert ? 'upsert' : 'create'} ${action.plan.type}`;
    case 'find':
      return `query ${action.plan.type}`;
    case 'change':
      return `update ${action.find.plan.type}`;
    case 'remove':
      return `delete ${action.find.plan.type}`;
    case 'change-alias':
      return `update ${action.target.join('.')}`;
    case 'record':
      return `make ${action.record.name}`;
    case 'call':
      return `call ${action.flow}`;
    case 'path':
      return `query ${action.further.at(-1)?.find.plan.type ?? action.start.plan.type}`;
    case 'report':
      return `query ${action.shape.table.name}`;
    case 'value':
      return action.value.kind === 'call' ? `call ${action.value.name.text}` : 'value';
    case 'later':
      return 'await';
    case 'for':
    case 'if':
    case 'match':
    case 'block':
    case 'return':
    case 'throw':
    case 'eval':
    case 'query':
    case 'rethrow':
      return action.kind;
    case 'handle':
      return `call ${action.event}`;
    case 'unavailable':
      return action.what;
    default:
      return unreachable(action);
  }
}
