// Runs of others, and runs of one's own that are tampered with: guessed, watched, approved, repeated, taken up with rights that are gone.

import { expect, test } from 'vitest';
import { type Person, type World, world } from '../../access/people.ts';
import { password, tokenOf } from '../../identity/accounts.ts';
import { serve } from '../../support/app.ts';
import { modelServer, type ServerReply } from '../../support/model-server.ts';

const desk = `module desk

entity Refund { id Int @id, amount Int, @rbac [(roles: [clerk, chief], allow: [create, read])], @meta {"approve": ["create"]} }
entity Note { id Int @id, text String, @rbac [(roles: [clerk, chief], allow: [create, read])] }
@public agent helper { instruction "Help.", tools [desk/Refund, desk/Note] }
@public agent senior @rbac [(roles: [chief], allow: [create])] { instruction "Help.", tools [desk/Refund, desk/Note] }
workflow consult @rbac [(roles: [chief], allow: [create])] { {senior {message "go"}} }
`;

const refund = (amount: number, id = amount): ServerReply => ({ tool: 'desk_Refund_create', arguments: { id, amount } });

async function opened(...replies: readonly ServerReply[]): Promise<World & { readonly asked: () => number }> {
  const model = await modelServer();
  const opened = await world(desk, 'current', { llm: model.settings });
  model.says(...replies);
  return { ...opened, asked: () => model.asked().length };
}

async function waitingRun(person: Person, agent = 'helper'): Promise<string> {
  const answer = await person.create(`/desk/${agent}`, { message: 'canary of ann' });
  expect([answer.status, answer.text]).toMatchObject([202, expect.stringContaining('waiting')]);
  return answer.headers['platform-run-id'] ?? '';
}

const amounts = async ({ admin }: World): Promise<readonly number[]> => {
  const { body } = await admin.read('/desk/Refund');
  return Array.isArray(body) ? body.map(({ amount }) => Number(amount)) : [];
};

test('a run of somebody else is not there: not its steps, calls and lists, and nothing can be done about it', async () => {
  const desk = await opened(refund(50), 'Done.');
  const [ann, bob] = [await desk.join('ann', 'clerk'), await desk.join('bob', 'clerk')];
  const run = await waitingRun(ann);
  const unknown = '01900000-0000-7000-8000-000000000000';
  for (const action of ['approve', 'reject', 'resume', 'cancel']) {
    const [theirs, nobodys] = [
      await bob.create(`/platform.ai/Run/${run}/${action}`, {}),
      await bob.create(`/platform.ai/Run/${unknown}/${action}`, {}),
    ];
    expect([action, theirs.status, theirs.text]).toEqual([action, 404, nobodys.text.replaceAll(unknown, run)]);
  }
  for (const path of [`Run/${run}`, `Run/${run}/RunStep/Step`, `Run/${run}/RunStep/Step/1/StepToolCall/ToolCall`])
    expect([path, (await bob.read(`/platform.ai/${path}`)).status]).toEqual([path, 404]);
  for (const type of ['Run', 'Step', 'ToolCall']) {
    const list = await bob.read(`/platform.ai/${type}?@count=true`);
    expect([type, list.status, list.text, list.headers['x-total-count']]).toEqual([type, 200, '[]', '0']);
  }
  expect(await amounts(desk)).toEqual([]);
  expect((await ann.create(`/platform.ai/Run/${run}/approve`, {})).body).toMatchObject({ status: 'succeeded' });
  expect(await amounts(desk)).toEqual([50]);
});

test('what is kept of runs is written by the service alone, also where it is one’s own', async () => {
  const desk = await opened(refund(50), 'Done.');
  const ann = await desk.join('ann', 'clerk');
  const run = await waitingRun(ann);
  const body = { id: '01900000-0000-7000-8000-000000000001', agent: 'desk/helper', kind: 'agent', status: 'waiting' };
  for (const person of [ann, desk.admin]) {
    expect((await person.create('/platform.ai/Run', body)).status).toBeGreaterThanOrEqual(403);
    expect((await person.change(`/platform.ai/Run/${run}`, { status: 'succeeded' })).status).toBeGreaterThanOrEqual(403);
    expect((await person.remove(`/platform.ai/Run/${run}`)).status).toBeGreaterThanOrEqual(403);
    const call = `/platform.ai/Run/${run}/RunStep/Step/1/StepToolCall/ToolCall`;
    const { body: calls } = await ann.read(call);
    const [{ id }] = Array.isArray(calls) ? calls : [{}];
    expect(
      (await person.change(`${call}/${id}`, { status: 'approved', arguments: { id: 1, amount: 9999 } })).status,
    ).toBeGreaterThanOrEqual(403);
  }
  expect((await ann.read(`/platform.ai/Run/${run}`)).body).toMatchObject({ status: 'waiting' });
});

test('an approval is of one call: one that takes its number later waits for its own', async () => {
  const model = await modelServer();
  const desk2 = await world(desk, 'current', { llm: model.settings });
  let count = 0;
  model.peer.clearFixtures();
  // Each reply numbers its calls from the beginning.
  model.peer.on({ predicate: () => true }, () => {
    count += 1;
    const amount = count === 1 ? 5 : 5000;
    if (count > 2) return { content: 'Done.' };
    return { toolCalls: [{ name: 'desk_Refund_create', arguments: JSON.stringify({ id: amount, amount }), id: 'call_number_1' }] };
  });
  const ann = await desk2.join('ann', 'clerk');
  const run = await waitingRun(ann);
  expect((await ann.create(`/platform.ai/Run/${run}/approve`, {})).body).toMatchObject({ status: 'waiting' });
  expect(await amounts(desk2)).toEqual([5]);
  expect((await ann.create(`/platform.ai/Run/${run}/approve`, {})).body).toMatchObject({ status: 'succeeded' });
  expect(await amounts(desk2)).toEqual([5, 5000]);
});

test('calls that have the same number in each reply are all done, each once', async () => {
  const model = await modelServer();
  const desk2 = await world(desk, 'current', { llm: model.settings });
  let count = 0;
  model.peer.clearFixtures();
  model.peer.on({ predicate: () => true }, () => {
    count += 1;
    if (count > 3) return { content: 'Done.' };
    return { toolCalls: [{ name: 'desk_Note_create', arguments: JSON.stringify({ id: count, text: 'a' }), id: 'call_number_1' }] };
  });
  const ann = await desk2.join('ann', 'clerk');
  expect((await ann.create('/desk/helper', { message: 'go' })).status).toBe(200);
  expect((await ann.read('/desk/Note')).body).toMatchObject([{ id: 1 }, { id: 2 }, { id: 3 }]);
});

test('approved by several at the same moment, a call is made once', async () => {
  const desk = await opened(refund(50), 'Done.');
  const ann = await desk.join('ann', 'clerk');
  const run = await waitingRun(ann);
  const answers = await Promise.all(
    [ann, desk.admin, ann, desk.admin, ann].map((each) => each.create(`/platform.ai/Run/${run}/approve`, {})),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
  expect(await amounts(desk)).toEqual([50]);
});

test('a run of somebody who was disabled meanwhile does not go on, whoever approves of it', async () => {
  const desk = await opened(refund(50), 'Done.');
  const ann = await desk.join('ann', 'clerk');
  const run = await waitingRun(ann);
  expect((await desk.admin.create('/platform.auth/DisabledUser', { user: ann.email })).status).toBe(201);
  expect((await desk.admin.create(`/platform.ai/Run/${run}/approve`, {})).status).toBe(409);
  expect((await desk.admin.read(`/platform.ai/Run/${run}`)).body).toMatchObject({ status: 'interrupted' });
  expect(await amounts(desk)).toEqual([]);
});

test('the same request with the same key at the same moment is one run; for another user it is another', async () => {
  const desk = await opened({ tool: 'desk_Note_create', arguments: { id: 1, text: 'canary of ann' } }, 'Done.');
  const [ann, bob] = [await desk.join('ann', 'clerk'), await desk.join('bob', 'clerk')];
  const send = (person: Person) =>
    desk.served.post('/desk/helper', { message: 'go' }, { ...person.headers, 'idempotency-key': 'the same' });
  const answers = await Promise.all(Array.from({ length: 6 }, () => send(ann)));
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(1);
  expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
  const again = await send(ann);
  const theirs = await send(bob);
  expect((await ann.read('/desk/Note')).body).toHaveLength(1);
  expect([again.status, again.headers['platform-run-id']]).toEqual([200, expect.any(String)]);
  expect(theirs.headers['platform-run-id']).not.toBe(again.headers['platform-run-id']);
});

test('whoever may not run an agent any more does not go on with it', async () => {
  const desk = await opened(refund(50), 'Done.');
  const ann = await desk.join('ann', 'clerk', 'chief');
  const run = await waitingRun(ann, 'senior');
  const { body } = await desk.admin.read(`${desk.admin.at('RoleAssignment')}?role=chief&assignee=${ann.email}`);
  const [{ id }] = Array.isArray(body) ? body : [{}];
  expect((await desk.admin.remove(desk.admin.at('RoleAssignment', id))).status).toBe(200);
  const before = desk.asked();
  const answer = await ann.create(`/platform.ai/Run/${run}/approve`, {});
  expect(answer.body).toMatchObject({ status: 'failed', error: { code: 'access-denied' } });
  expect([await amounts(desk), desk.asked() - before]).toEqual([[], 0]);
});

test('a workflow asks no agent for those who may not run it', async () => {
  const desk = await opened('Done.');
  const [ann, eve] = [await desk.join('ann', 'clerk'), await desk.join('eve', 'chief')];
  expect((await ann.create('/desk/senior', { message: 'go' })).status).toBe(403);
  expect([(await ann.create('/desk/consult', {})).status, desk.asked()]).toEqual([403, 0]);
  expect((await eve.create('/desk/consult', {})).status).toBe(200);
});

test('who has lost the right to write loses it for the run that waits, too', async () => {
  const desk = await opened(refund(50), 'Done.');
  const ann = await desk.join('ann', 'clerk');
  const run = await waitingRun(ann);
  const { body } = await desk.admin.read(`${desk.admin.at('RoleAssignment')}?role=clerk&assignee=${ann.email}`);
  const [{ id }] = Array.isArray(body) ? body : [{}];
  await desk.admin.remove(desk.admin.at('RoleAssignment', id));
  const answer = await desk.admin.create(`/platform.ai/Run/${run}/approve`, {});
  expect(answer.body).toMatchObject({ status: 'succeeded', user: ann.email });
  expect(await amounts(desk)).toEqual([]);
});

test('a key with fewer roles does not approve of what was asked for with all of them', async () => {
  const desk = await opened(refund(50), 'Done.');
  const ann = await desk.join('ann', 'clerk', 'chief');
  const key = async (roles: readonly string[]): Promise<Readonly<Record<string, string>>> => {
    const { body } = await desk.served.post('/platform.auth/ApiKey', { name: roles.join(), roles }, ann.headers);
    return { authorization: `Bearer ${String(Reflect.get(Object(body), 'key'))}` };
  };
  const run = await waitingRun(ann);
  const narrow = await key(['clerk']);
  for (const action of ['approve', 'reject']) {
    const answer = await desk.served.post(`/platform.ai/Run/${run}/${action}`, {}, narrow);
    expect([action, answer.status]).toEqual([action, 403]);
  }
  expect(await amounts(desk)).toEqual([]);
  expect((await ann.create(`/platform.ai/Run/${run}/approve`, {})).body).toMatchObject({ status: 'succeeded' });
});

const odd: readonly [title: string, given: string, error: string][] = [
  ['__proto__', '{"__proto__": {"id": 1, "text": "x"}}', 'attributes-invalid'],
  ['__proto__ beside what fits', '{"id": 1, "text": "x", "__proto__": {"admin": true}}', 'attributes-invalid'],
  ['a constructor', '{"id": 1, "text": "x", "constructor": {"prototype": {}}}', 'attributes-invalid'],
  ['nothing but a list', '[]', 'body-unreadable'],
  ['null', 'null', 'body-unreadable'],
  ['the same key twice', '{"id": 1, "id": 2, "text": "x"}', 'body-unreadable'],
  ['a very deep value', `{"id": 1, "text": ${'['.repeat(5000)}${']'.repeat(5000)}}`, 'body-unreadable'],
  ['very many keys', `{${Array.from({ length: 5000 }, (_, at) => `"k${at}": 1`).join()}}`, 'body-unreadable'],
  ['a number that is no identifier', '{"id": 1e400, "text": "x"}', 'attributes-invalid'],
  ['a zero byte', '{"id": 1, "text": "a\\u0000b"}', 'attributes-invalid'],
];
for (const [title, given, error] of odd)
  test(`arguments of a tool that have ${title} are refused with ${error}, and nothing is written`, async () => {
    const desk = await opened({ tool: 'desk_Note_create', arguments: given }, 'Done.');
    const ann = await desk.join('ann', 'clerk');
    const answer = await ann.create('/desk/helper', { message: 'go' });
    expect([answer.status, answer.text]).toEqual([200, '"Done."']);
    expect((await ann.read('/desk/Note')).body).toEqual([]);
    const calls = await ann.read(`/platform.ai/Run/${answer.headers['platform-run-id']}/RunStep/Step/1/StepToolCall/ToolCall`);
    expect(calls.body).toMatchObject([{ status: 'refused', result: { error } }]);
    expect(Reflect.get({}, 'admin')).toBeUndefined();
  });

test('a reply with what no store keeps is an answer without it', async () => {
  const desk = await opened({ tool: 'desk_Note\0_create', arguments: {} }, 'a\0b\ud800c');
  const ann = await desk.join('ann', 'clerk');
  const answer = await ann.create('/desk/helper', { message: 'go' });
  expect([answer.status, answer.body]).toEqual([200, 'ab\ufffdc']);
  expect((await ann.read(`/platform.ai/Run/${answer.headers['platform-run-id']}`)).body).toMatchObject({ status: 'succeeded' });
});

test('arguments of eight megabytes end in a refusal, and the service goes on', async () => {
  const desk = await opened({ tool: 'desk_Note_create', arguments: { id: 'x'.repeat(8_000_000), text: 'x' } }, 'Done.');
  const ann = await desk.join('ann', 'clerk');
  const answer = await ann.create('/desk/helper', { message: 'go' });
  expect([200, 422, 429, 502]).toContain(answer.status);
  expect((await ann.read('/desk/Note')).body).toEqual([]);
  expect(desk.served.failures).toEqual([]);
});

test('with authentication but without access control, a run that waits goes on for its user', async () => {
  const model = await modelServer();
  const app = await serve(
    'module desk\nentity Refund { id Int @id, amount Int, @meta {"approve": ["create"]} }\n@public agent helper { instruction "Help.", tools [desk/Refund] }\n',
    {
      llm: model.settings,
      auth: {},
    },
  );
  model.says(refund(50), 'Done.');
  const account = { email: 'ann@example.com', password };
  await app.post('/platform.auth/signup', account);
  const signedIn = await app.post('/platform.auth/login', account);
  const headers = { authorization: `Bearer ${tokenOf(signedIn, 'id-token')}` };
  const { status, headers: told } = await app.post('/desk/helper', { message: 'go' }, headers);
  expect(status).toBe(202);
  expect((await app.post(`/platform.ai/Run/${told['platform-run-id']}/approve`, {}, headers)).body).toMatchObject({ status: 'succeeded' });
});
