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
  resume: 'Take up a run that was left',
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

/** Nothing where the model has no agents. */
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
          ...(action === 'approve' || action === 'reject' ? { requestBody: { required: false, content: json(callNamed) } } : {}),
          responses: { ...form.answers.read(run), ...form.failures(400, 404, 405, 409, 413, 415, 422, 503) },
        },
      },
    ]);
  });
  return Object.fromEntries(items);
}

/** What a message is answered with that has to wait for somebody. */
export function waitingAnswer(components: Components): JsonSchema {
  const text = { type: 'string' };
  const schema = components.use('schemas', 'agent-waiting', () =>
    closedObject(
      {
        runId: { type: 'string', format: 'uuid' },
        status: { const: 'waiting' },
        waitingFor: closedObject({ step: { type: 'integer' }, call: text, tool: text, arguments: {} }, [
          'step',
          'call',
          'tool',
          'arguments',
        ]),
      },
      ['runId', 'status', 'waitingFor'],
    ),
  );
  return { description: 'Its run waits until somebody approves of a call.', content: json(schema) };
}
