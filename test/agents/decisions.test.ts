// Decisions and patterns as steps of flows: expressions are decided by the service, words by one question, and patterns see what came before.

import { expect, test } from 'vitest';
import { type Answer, type Served, serve } from '../support/app.ts';
import { modelServer, type ServerReply } from '../support/model-server.ts';

const desk = `module desk

entity Ticket { id Int @id, text String, state String @default("open") }
entity Mark { id UUID @id @default(uuid()), text String }

agent read { instruction "Read it." }
agent answer { instruction "Answer." }
agent apologize { instruction "Apologize." }
event ask { text String }
workflow ask {
  {Mark {text "asked"}};
  {answer {message ask.text}} @as said;
  {Mark {text said}};
  said
}

decision size {
  case (amount > 100 and kind == "refund") { Large }
  case ("the customer is angry") { Angry, Urgent }
  default { Small }
}

@public agent sizing { instruction "Decide." }
flow sizing {
  read --> size
  size --> "Large" apologize
  size --> "Urgent" answer
}

@public agent plain { role "x" }
decision even {
  case (read == "two") { Two }
  case (message == "go") { Go }
}
flow plain {
  read --> even
  even --> "Two" apologize
  even --> "Go" answer
}

@public agent making { role "x" }
flow making {
  read --> {Ticket {id 1, text making.message}} @as made
  made --> {made {state "closed"}} @as closed
  closed --> answer
}

@public agent asking { role "x" }
flow asking {
  read --> {ask {text read}} @as asked
  asked --> "fine" apologize
}
`;

interface Case {
  readonly title: string;
  readonly agent: string;
  readonly replies: readonly ServerReply[];
  /** Name, kind and label of each step. */
  readonly steps: readonly (readonly [name: string, kind: string, label: string | null])[];
  readonly answer: unknown;
}

const cases: readonly Case[] = [
  {
    title: 'a case that is an expression is decided over the attributes of what the step before gave',
    agent: 'sizing',
    replies: ['{"amount": 150, "kind": "refund"}', 'Sorry'],
    steps: [
      ['desk/read', 'agent', null],
      ['desk/size', 'decision', 'Large'],
      ['desk/apologize', 'agent', null],
    ],
    answer: 'Sorry',
  },
  {
    title: 'cases in words are decided by one question, and of several results the one that leads on is taken',
    agent: 'sizing',
    replies: ['{"amount": 5}', '{"label": "Angry"}', 'Fine'],
    steps: [
      ['desk/read', 'agent', null],
      ['desk/size', 'decision', 'Urgent'],
      ['desk/answer', 'agent', null],
    ],
    answer: 'Fine',
  },
  {
    title: 'where no case fits the default is the result, and without an edge for it the flow ends',
    agent: 'sizing',
    replies: ['{"amount": 5}', 'none'],
    steps: [
      ['desk/read', 'agent', null],
      ['desk/size', 'decision', null],
    ],
    answer: 'Small',
  },
  {
    title: 'a decision sees results by the names of their steps, and what was asked',
    agent: 'plain',
    replies: ['three', 'Fine'],
    steps: [
      ['desk/read', 'agent', null],
      ['desk/even', 'decision', 'Go'],
      ['desk/answer', 'agent', null],
    ],
    answer: 'Fine',
  },
  {
    title: 'a pattern is a step, and what it made can be changed by a later one',
    agent: 'making',
    replies: ['read', 'Fine'],
    steps: [
      ['desk/read', 'agent', null],
      ['made', 'workflow', null],
      ['closed', 'workflow', null],
      ['desk/answer', 'agent', null],
    ],
    answer: 'Fine',
  },
  {
    title: 'a workflow that asks an agent is a step, with steps of its own',
    agent: 'asking',
    replies: ['question', 'fine', 'Sorry'],
    steps: [
      ['desk/read', 'agent', null],
      ['asked', 'workflow', 'fine'],
      ['desk/asking asked', 'workflow', null],
      ['desk/answer', 'agent', null],
      ['desk/asking asked', 'workflow', null],
      ['desk/apologize', 'agent', null],
    ],
    answer: 'Sorry',
  },
];

for (const { title, agent, replies, steps, answer } of cases) {
  test(`${title}; the model is asked ${replies.length} times`, async () => {
    const server = await modelServer();
    const app = await serve(desk, { llm: server.settings });
    server.says(...replies);
    const given = await app.post(`/desk/${agent}`, { message: 'go' });
    expect(given).toMatchObject({ status: 200, body: answer });
    expect(await stepsOf(app, given)).toEqual(steps);
    expect(server.asked()).toHaveLength(replies.length);
  });
}

test('what patterns of a flow made is there, once', async () => {
  const server = await modelServer();
  const app = await serve(desk, { llm: server.settings });
  server.says('read', 'Fine');
  await app.post('/desk/making', { message: 'the parcel' });
  expect((await app.get('/desk/Ticket')).body).toEqual([{ id: 1, text: 'the parcel', state: 'closed' }]);
});

async function stepsOf(app: Served, { headers }: Answer): Promise<readonly unknown[]> {
  const { body } = await app.get(`/platform.ai/Run/${headers['platform-run-id']}/RunStep/Step`);
  if (!Array.isArray(body)) throw new Error('no steps');
  return body.map(({ name, kind, label }) => [name, kind, label]);
}
