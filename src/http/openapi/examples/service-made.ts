// Examples of what the service itself writes: entries of the audit trail, runs, pending calls, timers. They tell of the application's own types.

import { auditEntry, pendingCall } from '../../../model/builtin.ts';
import type { Attribute } from '../../../model/model.ts';
import { timerType } from '../../../model/timers/timers.ts';
import { isReached } from '../../../plan/names.ts';
import type { EntityPlan, Plan } from '../../../plan/plan.ts';
import type { Value } from '../../../values/value.ts';
import { type ExampleObject, exampleTime, exampleUuid } from './values.ts';

/** What such an example is about: an instance of the application. */
interface About {
  readonly type: string;
  readonly id: string;
  readonly instance: ExampleObject;
}

interface Made {
  /** As the current surface names the attributes. */
  readonly shown: ExampleObject;
  /** What a request sends to make it, where one can. */
  readonly sent?: readonly string[];
}

const user = 'ann@example.com';
const tokens = { inputTokens: 11, outputTokens: 7, cost: null };
const times = { started: exampleTime, ended: exampleTime };

function madeOf(stored: string, plan: Plan, { type, id, instance }: About): Made | undefined {
  const [agent = 'desk/clerk'] = plan.model.agents.keys();
  const event = [...plan.model.events.values()].find((each) => isReached(each) && each.attributes.every(isOptional))?.name;
  const resolver = [...plan.model.resolvers.values()].find((each) => each.compose)?.name ?? '';
  const change = { type, instance: id, operation: 'create', before: null, after: instance };
  const tool = `${type.replace('/', '_')}_create`;
  switch (stored) {
    case auditEntry:
      return {
        shown: { id: exampleUuid, time: exampleTime, user, ...change, requestId: exampleUuid, outcome: 'done', run: null, toolCall: null },
      };
    case pendingCall:
      return { shown: { id: exampleUuid, resolver, ...change, since: exampleTime, attempts: 1, error: null } };
    case 'platform.ai/Run':
      return {
        shown: {
          ...{ id: exampleUuid, agent, kind: 'agent', status: 'succeeded', user, ...times, message: 'Hello', result: 'Good day.' },
          ...{ error: null, ...tokens, documents: null },
        },
      };
    case 'platform.ai/Step':
      return {
        shown: {
          ...{ no: 1, name: agent, kind: 'agent', status: 'succeeded', input: 'Hello', result: 'Good day.', label: null, method: null },
          ...{ model: 'gpt-5-mini', ...tokens, ...times, documents: null },
        },
      };
    case 'platform.ai/ToolCall':
      return { shown: { id: 'toolcall-1', no: 1, tool, arguments: instance, result: instance, status: 'done' } };
    case timerType:
      if (event === undefined) return undefined;
      return {
        sent: ['name', 'duration', 'unit', 'trigger'],
        shown: {
          ...{ name: 'timer-1', duration: 5, unit: 'minute', trigger: event, repeat: true, schedule: null, user },
          ...{ created: exampleTime, due: exampleTime, last: null, runs: 0, error: null },
        },
      };
    default:
      return undefined;
  }
}

function isOptional(attribute: Attribute): boolean {
  return attribute.optional || attribute.default !== undefined;
}

interface ServiceMade {
  readonly sent: ExampleObject;
  readonly shown: ReadonlyMap<string, Value>;
}

export function isServiceMade({ entity }: EntityPlan): boolean {
  const { stored = '' } = entity.system ?? {};
  return [auditEntry, pendingCall, timerType].includes(stored) || stored.startsWith('platform.ai/');
}

/** In the names of the surface that the type belongs to: the attributes stand in the same order on both. */
export function serviceMade({ entity, attributes }: EntityPlan, plan: Plan, about: About): ServiceMade | undefined {
  const { stored = '' } = entity.system ?? {};
  const made = madeOf(stored, plan, about);
  const names = plan.entities.get(stored)?.attributes.map((each) => each.name) ?? [];
  if (made === undefined) return undefined;
  const values = (isTold: (name: string) => boolean): [string, Value][] =>
    attributes.flatMap(({ name }, index): [string, Value][] => {
      const own = names[index] ?? '';
      const value = made.shown[own];
      return value === undefined || !isTold(own) ? [] : [[name, value]];
    });
  return {
    sent: Object.fromEntries(values((name) => made.sent?.includes(name) === true)),
    shown: new Map(values(() => true)),
  };
}
