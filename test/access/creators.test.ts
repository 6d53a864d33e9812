// Who makes an instance of an entity with `creatorOwns: false` does not own it, and is told of it no more than where it stands, at every door.

import { describe, expect, onTestFinished, test } from 'vitest';
import type { Answer } from '../support/app.ts';
import { callingModel } from './oracle/matrix/tools.ts';
import { instances, type Person, surfaces, world } from './people.ts';

const sources = {
  current: `module desk
entity Ticket { id Int @id, text String, state String @default("secret"), @meta {"creatorOwns": false},
  @rbac [(roles: [customer], allow: [create]), (roles: [clerk], allow: [create, read, update])] }
entity Remark { id Int @id, text String, @rbac [(roles: [customer], allow: [create])] }
entity Plain { id Int @id, text String, @rbac [(roles: [customer], allow: [create])] }
relationship TicketRemark contains(Ticket, Remark) @rbac [(roles: [customer], allow: [create])]
event open { id Int, text String }
workflow open { {Ticket {id open.id, text open.text}} }
event openAll { ids Int[] }
workflow openAll { for each in openAll.ids { {Ticket {id each, text "in a list"}} } }
event openInside { id Int }
workflow openInside { {Ticket {id openInside.id, text "deep"}} @as made; {"first": made, "all": [made], "note": "done"} }
event openChanged { id Int }
workflow openChanged { {Ticket {id openChanged.id, text "one"}} @as made; {Plain {id openChanged.id, text made.text + made.state}} }
event openAsking { id Int, ask String }
workflow openAsking { {Ticket {id openAsking.id, text "asked"}} @as made; {clerk {message openAsking.ask}}; made }
@public agent clerk { instruction "Work.", tools [desk/Ticket, desk/open] }
`,
  earlier: `(component :desk)
(entity :Ticket {:id {:type :Int :guid true} :text :String :state {:type :String :default "secret"}
  :meta {:creator-owns false} :rbac [{:roles ["customer"] :allow [:create]} {:roles ["clerk"] :allow [:create :read :update]}]})
(entity :Remark {:id {:type :Int :guid true} :text :String :rbac [{:roles ["customer"] :allow [:create]}]})
(entity :Plain {:id {:type :Int :guid true} :text :String :rbac [{:roles ["customer"] :allow [:create]}]})
(relationship :TicketRemark {:meta {:contains [:Ticket :Remark]} :rbac [{:roles ["customer"] :allow [:create]}]})
(event :open {:id :Int :text :String})
(dataflow :open {:Ticket {:id :open.id :text :open.text}})
`,
};

const shown = (answer: Answer): readonly object[] => instances(answer).map((each) => withoutTags(each));

function withoutTags(each: object): object {
  return Object.fromEntries(Object.entries(each).filter(([name]) => !name.includes('*')));
}

describe.each(surfaces)('on the %s surface', (surface) => {
  const made = surface === 'current' ? 201 : 200;

  async function staged(options = {}) {
    const opened = await world(surface === 'current' ? sources.current : { 'desk.platform': sources.earlier }, surface, options);
    return { ...opened, ann: await opened.join('ann', 'customer'), ben: await opened.join('ben', 'clerk', 'customer') };
  }

  const counts = async (person: Person): Promise<readonly number[]> =>
    Promise.all(['Ticket', 'Remark', 'Plain'].map(async (type) => instances(await person.read(`/desk/${type}`)).length));

  test('who makes an instance does not own it, and is answered its identifier alone where they may not read it', async () => {
    const { ann, ben, admin } = await staged();
    const one = await ann.create('/desk/Ticket', { id: 1, text: 'x' });
    expect([one.status, shown(one), one.headers['etag']]).toEqual([made, [{ id: 1 }], undefined]);
    expect(one.text).not.toContain('secret');
    const several = await ann.create('/desk/Ticket', [
      { id: 2, text: 'x' },
      { id: 3, text: 'y' },
    ]);
    expect([several.status, shown(several)]).toEqual([made, [{ id: 2 }, { id: 3 }]]);
    // Who may read it is told all of it, by the rule and not as its owner.
    const own = await ben.create('/desk/Ticket', { id: 4, text: 'z' });
    expect([own.status, shown(own)]).toEqual([made, [{ id: 4, text: 'z', state: 'secret' }]]);
    expect((await ben.remove('/desk/Ticket/4')).status).toBe(403);
    expect((await ann.read('/desk/Ticket/1')).status).toBe(404);
    expect((await ann.change('/desk/Ticket/1', { text: 'y' })).status).toBe(404);
    expect(await counts(ann)).toEqual([0, 0, 0]);
    // Another entity is owned by who makes it.
    expect(shown(await ann.create('/desk/Plain', { id: 1, text: 'x' }))).toEqual([{ id: 1, text: 'x' }]);
    expect(await counts(ann)).toEqual([0, 0, 1]);
    expect(instances(await admin.read(admin.at('OwnershipAssignment')))).toHaveLength(1);
    // What an admin says stays.
    await admin.assign('OwnershipAssignment', { resource: 'desk/Ticket', resourceId: '1', assignee: ann.email });
    expect((await ann.read('/desk/Ticket/1')).status).toBe(200);
  });

  test('what is made in its body is told by itself, and what a workflow gives back is told so too', async () => {
    const { ann } = await staged();
    const nested = surface === 'current' ? { TicketRemark: [{ id: 7, text: 'mine' }] } : {};
    const answer = await ann.create('/desk/Ticket', { id: 1, text: 'x', ...nested });
    expect([answer.status, answer.text.includes('mine')]).toEqual([made, surface === 'current']);
    expect(answer.text).not.toMatch(/secret|"x"/);
    const run = await ann.createAs('/desk/open', surface === 'current' ? { id: 2, text: 'x' } : { 'desk/open': { id: 2, text: 'x' } });
    expect([run.status, run.text.includes('2')]).toEqual([200, true]);
    expect(run.text).not.toMatch(/secret|"x"/);
  });

  test('an equal request is told the same, and a stream tells its maker nothing', async () => {
    const { ann, served, ben } = await staged();
    const target = surface === 'current' ? '/desk/Ticket' : '/api/desk/Ticket';
    const values = surface === 'current' ? { id: 1, text: 'x' } : { 'desk/Ticket': { id: 1, text: 'x' } };
    const headers = { ...ann.headers, 'idempotency-key': 'one' };
    const first = await served.post(target, values, headers);
    const again = await served.post(target, values, headers);
    expect([first.status, again.status, shown(again)]).toEqual([made, made, [{ id: 1 }]]);
    expect(await counts(ben)).toEqual([1, 0, 0]);
  });
});

describe('at the other doors', () => {
  async function staged(options = {}) {
    const opened = await world(sources.current, 'current', options);
    return { ...opened, ann: await opened.join('ann', 'customer'), ben: await opened.join('ben', 'clerk', 'customer') };
  }

  test('wherever it stands in what a workflow gives back, and it computes with what it made', async () => {
    const { ann, admin } = await staged();
    expect((await ann.create('/desk/openAll', { ids: [1, 2] })).body).toEqual([{ id: 1 }, { id: 2 }]);
    expect((await ann.create('/desk/openInside', { id: 3 })).body).toEqual({ first: { id: 3 }, all: [{ id: 3 }], note: 'done' });
    expect((await ann.create('/desk/openChanged', { id: 4 })).body).toEqual({ id: 4, text: 'onesecret' });
    expect((await admin.create('/desk/open', { id: 5, text: 'x' })).body).toEqual({ id: 5, text: 'x', state: 'secret' });
  });

  test('GraphQL tells the identifier, and nothing where the rest stood', async () => {
    const { ann, ben, served } = await staged({ graphql: true });
    const query = (id: number) => ({ query: `mutation { createTicket(input: {id: ${id}, text: "x"}) { id text state _version } }` });
    const asked = async (person: Person, id: number) => (await served.post('/graphql', query(id), person.headers)).body;
    expect(await asked(ann, 1)).toEqual({ data: { createTicket: { id: 1, text: null, state: null, _version: null } } });
    expect(await asked(ben, 2)).toEqual({ data: { createTicket: { id: 2, text: 'x', state: 'secret', _version: expect.any(Number) } } });
    const run = await served.post('/graphql', { query: 'mutation { open(input: {id: 3, text: "x"}) { id text state } }' }, ann.headers);
    expect(run.text).not.toMatch(/secret|"x"/);
    expect(run.body).toEqual({ data: { open: { id: 3, text: null, state: null } } });
  });

  test('MCP and the tools of agents tell the identifier', async () => {
    const model = await callingModel();
    onTestFinished(() => model.close().then(() => {}));
    const { ann, ben, served } = await staged({ mcp: true, llm: model.llm });
    const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };
    const call = (person: Person, name: string, given: object) =>
      served.post(
        '/mcp',
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
        { ...person.headers, ...headers },
      );
    const made = await call(ann, 'desk_Ticket_create', { id: 1, text: 'x' });
    expect(made.text).toContain('1');
    expect(made.text).not.toMatch(/secret|@version/);
    expect((await call(ben, 'desk_Ticket_create', { id: 2, text: 'x' })).text).toMatch(/secret/);
    expect((await call(ann, 'desk_open', { id: 3, text: 'x' })).text).not.toMatch(/secret|"x"/);
    const tools = ['desk_Ticket_create', 'desk_open'];
    const calls = tools.map((name, at) => ({ name, id: `call_${at}`, arguments: JSON.stringify({ id: 10 + at, text: 'x' }) }));
    const answered = await ann.create('/desk/clerk', { message: JSON.stringify(calls) });
    expect(answered.status).toBe(200);
    // Nor does the run of a workflow that asks agents.
    const asked = await ann.create('/desk/openAsking', {
      id: 20,
      ask: JSON.stringify(calls.slice(1).map((each) => ({ ...each, arguments: '{"id": 30, "text": "x"}' }))),
    });
    expect([asked.status, asked.body]).toEqual([200, { id: 20 }]);
    const steps = await ann.read('/platform.ai/Step');
    expect(steps.text).toContain('"made":{"id":20}');
    expect(steps.text).not.toMatch(/secret|"asked"/);
    const told = instances(await ann.read('/platform.ai/ToolCall')).map(({ result }) => result);
    expect(told).toEqual([{ id: 10 }, { id: 11 }, { id: 30 }]);
  });
});
