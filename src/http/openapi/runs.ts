// What can be done about runs of agents, in an OpenAPI document.

import type { JsonSchema } from '../../model/types/attribute-type.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Components } from './components.ts';
import { type Form, json } from './form.ts';
import { closedObject } from './schemas/attribute.ts';

const actions = {
  approve: 'Approve of the call that a run waits for',
  reject: 'Reject the call that a run waits for; the run goes on without it',
  cancel: 'Cancel a run',
  resume: 'Take up a run that was left, or give the data that it waits for',
} as const;

const callNamed = {
  ...closedObject(
    {
      call: { type: 'string', description: 'The identifier of the call.' },
      step: { type: 'integer', description: 'The number of its step.' },
    },
    [],
  ),
  description: 'The call that is decided about, as it was seen: where the run waits for another one by now, nothing is done.',
};

const bodies: Readonly<Record<string, JsonSchema>> = {
  approve: callNamed,
  reject: callNamed,
  resume: closedObject({ data: { description: 'What a run waits for that a resolver has suspended.' } }, []),
};

/** Nothing where no runs are kept. */
export function runItems(plan: Plan, surfaces: readonly Form[]): Readonly<Record<string, JsonSchema>> {
  const items = surfaces.flatMap((form) => {
    const type = form.prefix === '' ? 'platform.ai/Run' : 'Platform.Core/Run';
    const run = plan.entities.get(type);
    if (run === undefined || plan.agents === undefined) return [];
    const { name } = run.identifier;
    const parameters = [{ name, in: 'path', required: true, description: 'The run.', schema: { type: 'string', format: 'uuid' } }];
    return Object.entries(actions).map(([action, summary]): readonly [string, JsonSchema] => [
      `${form.prefix}/${type}/{${name}}/${action}`,
      {
        parameters,
        post: {
          operationId: `${form.namespace}${action}-run`,
          tags: [type],
          summary,
          description: 'For the user of the run and for admins. The answer is the run as it is then.',
          ...(bodies[action] === undefined ? {} : { requestBody: { required: false, content: json(bodies[action]) } }),
          responses: {
            ...form.answers.acted(run),
            ...form.failures(400, 404, 405, 409, 413, 415, 422, ...(action === 'cancel' ? [] : [429]), 503),
          },
        },
      },
    ]);
  });
  return Object.fromEntries(items);
}

/** What a message, or an event, is answered with that has to wait for somebody. */
export function waitingAnswer(components: Components, waitsFor: 'approval' | 'data'): JsonSchema {
  const text = { type: 'string' };
  const answer = (waitingFor: JsonSchema): JsonSchema =>
    closedObject({ runId: { type: 'string', format: 'uuid' }, status: { const: 'waiting' }, waitingFor }, [
      'runId',
      'status',
      'waitingFor',
    ]);
  const step = { type: 'integer' };
  if (waitsFor === 'data') {
    const schema = components.use('schemas', 'event-waiting', () => answer(closedObject({ step, type: text }, ['step', 'type'])));
    return { description: 'A resolver has suspended it: its run waits until it is resumed with data.', content: json(schema) };
  }
  const schema = components.use('schemas', 'agent-waiting', () =>
    answer(closedObject({ step, call: text, tool: text, arguments: {} }, ['step', 'call', 'tool', 'arguments'])),
  );
  return { description: 'Its run waits until somebody approves of a call.', content: json(schema) };
}
