// Attacks by an agent, which has the rights of the one it works for, wherever it is asked.

import { expect } from 'vitest';
import { modelServer, type ServerReply } from '../../support/model-server.ts';
import { openStage, type Stage } from './stage.ts';

const stage: Stage = {
  title: 'agents',
  model: `module law
entity File { id Int @id, text String, shut String @optional @rbac [(roles: [auditor], allow: [read, update])], @rbac [(roles: [auditor], allow: [read]), (roles: [reader], allow: [read])] }
entity Mark { id Int @id, @rbac [(roles: [*], allow: [create, read])] }
@internal event hidden { text String }
workflow hidden { {File {id 50, text hidden.text}} }
event mighty { text String }
@runAs(system) workflow mighty { {File {id 51, text mighty.text}} }
@public agent clerk { instruction "Look.", tools [law/File, law/Mark] }
@public agent whole { instruction "Look.", tools [law] }
@public agent naming { instruction "Look.", tools [law/hidden, law/File] }
agent inner { instruction "Look.", tools [law/File] }
event within { @rbac [(roles: [*], allow: [create])] }
@runAs(system) workflow within { {inner {message "go"}} @as said; said }
workflow @after create:Mark { {inner {message "a mark"}} }
`,
  people: { eve: {}, reader: { roles: ['reader'] }, auditor: { roles: ['auditor'] } },
  prepare: [{ who: 'admin', ask: 'POST /law/File', body: { id: 1, text: 'canary', shut: 'SHUT-1' } }],
  secrets: ['SHUT-1'],
  attacks: [],
};

export interface AgentAttack {
  readonly title: string;
  readonly who: string;
  readonly ask: string;
  readonly body?: object;
  readonly replies: readonly ServerReply[];
  /** What the model is told of, and is not. */
  readonly told?: readonly string[];
  readonly lacks: readonly string[];
}

const read = { tool: 'law_File_read', arguments: {} };

export const agentAttacks: readonly AgentAttack[] = [
  {
    title: 'its tools find nothing that its caller may not read',
    who: 'eve',
    ask: 'clerk',
    replies: [read, 'Done.'],
    lacks: ['canary', 'SHUT-1'],
  },
  {
    title: 'its tools show its caller’s rows without what is hidden',
    who: 'reader',
    ask: 'clerk',
    replies: [read, 'Done.'],
    told: ['canary'],
    lacks: ['SHUT-1'],
  },
  {
    title: 'its tools show what its caller may see',
    who: 'auditor',
    ask: 'clerk',
    replies: [read, 'Done.'],
    told: ['canary', 'SHUT-1'],
    lacks: [],
  },
  {
    title: 'by its tools it asks for nothing hidden',
    who: 'reader',
    ask: 'clerk',
    replies: [{ tool: 'law_File_read', arguments: { shut: 'SHUT-1' } }, 'Done.'],
    lacks: ['canary'],
  },
  {
    title: 'in a workflow that runs as the system it has the rights of who asked',
    who: 'eve',
    ask: 'within',
    replies: [read, 'Done.'],
    lacks: ['canary', 'SHUT-1'],
  },
  {
    title: 'a module among its tools gives it no event that runs as the system',
    who: 'eve',
    ask: 'whole',
    replies: [{ tool: 'law_mighty', arguments: { text: 'x' } }, 'Done.'],
    lacks: ['canary'],
  },
  {
    title: 'a module among its tools gives it no internal event',
    who: 'eve',
    ask: 'whole',
    replies: [{ tool: 'law_hidden', arguments: { text: 'x' } }, 'Done.'],
    lacks: ['canary'],
  },
  {
    title: 'an internal event that its tools name runs with the rights of who asked',
    who: 'eve',
    ask: 'naming',
    replies: [{ tool: 'law_hidden', arguments: { text: 'x' } }, 'Done.'],
    lacks: ['canary'],
  },
];

export async function attempt({ who, ask, body = { message: 'go' }, replies, told = [], lacks }: AgentAttack): Promise<void> {
  const server = await modelServer();
  const opened = await openStage({ ...stage, options: { llm: server.settings } });
  try {
    server.says(...replies);
    const { text, status } = await opened.served.post(`/law/${ask}`, ask === 'within' ? {} : body, opened.headersOf(who));
    expect(status, text).toBeLessThan(500);
    const asked = JSON.stringify(server.asked());
    for (const each of told) expect(asked).toContain(each);
    for (const each of lacks) expect(`${asked} ${text}`).not.toContain(each);
    await opened.take({ who: 'admin', ask: 'GET /law/File?id[gte]=50', is: [] });
  } finally {
    await opened.served.close();
  }
}
