// What an agent does is done as its caller: events and agents that the caller may not run are not run for them by a tool or a step of a flow.

import { expect, test } from 'vitest';
import { instances, type Person, world } from '../access/people.ts';
import { modelServer, type ServerReply } from '../support/model-server.ts';

const press = `module press

entity Post { id Int @id, title String, @meta {"audit": true}, @rbac [(roles: [writer, editor], allow: [create, read, update])] }
event publish { id Int, @rbac [(roles: [editor], allow: [create])] }
workflow publish { {Post {id publish.id, title "published"}} @as post; post.title }

@public agent desk { instruction "Do it.", tools [publish, Post] }
agent chief @rbac [(roles: [editor], allow: [create])] { instruction "Answer." }
agent reader { instruction "Read." }

@public agent asking { instruction "Go.", delegates [chief] }

@public agent routed { instruction "Go." }
flow routed { reader --> publishing
  publishing --> chief }
workflow publishing { {publish {id 6}} }

event review { @rbac [(roles: [editor], allow: [create])] }
workflow review {
  {reader {message "x"}} @as said;
  {Post {id 7, title said}}
}

@public agent handed { instruction "Go." }
flow handed { reader --> chief }
`;

interface Case {
  readonly title: string;
  readonly ask: string;
  readonly replies: readonly ServerReply[];
  readonly writer: { readonly status: number; readonly posts: readonly number[] };
  readonly editor: { readonly status: number; readonly posts: readonly number[] };
}

const cases: readonly Case[] = [
  {
    title: 'an event that is a tool',
    ask: 'desk',
    replies: [{ tool: 'press_publish', arguments: { id: 4 } }, 'Done.'],
    // The model is told that it is refused, and says what it likes.
    writer: { status: 200, posts: [] },
    editor: { status: 200, posts: [4] },
  },
  {
    // Of logic nobody is asked whether they may run it.
    title: 'an event that a workflow runs, which is a step',
    ask: 'routed',
    replies: ['read', 'Fine.'],
    writer: { status: 200, posts: [6] },
    editor: { status: 200, posts: [6] },
  },
  {
    title: 'an agent that is a step',
    ask: 'handed',
    replies: ['read', 'Fine.'],
    writer: { status: 200, posts: [] },
    editor: { status: 200, posts: [] },
  },
  {
    title: 'an agent that is a tool of another',
    ask: 'asking',
    replies: [{ tool: 'press_chief', arguments: { message: 'Well?' } }, 'Fine.', 'Done.'],
    writer: { status: 200, posts: [] },
    editor: { status: 200, posts: [] },
  },
];

for (const { title, ask, replies, ...expected } of cases) {
  for (const role of ['writer', 'editor'] as const) {
    test(`${title}, and has rules for editors, is asked about where it is a tool, and not where it is logic: by a ${role}`, async () => {
      const server = await modelServer();
      const { join, admin } = await world(press, 'current', { llm: server.settings, audit: {} });
      const person = await join('ann', role);
      server.says(...replies);
      const { status } = await person.create(`/press/${ask}`, { message: 'go' });
      expect({ status, posts: await postsOf(admin) }).toEqual(expected[role]);
    });
  }
}

test('whoever loses the right to run a workflow while it asks an agent does not run what is behind that', async () => {
  const server = await modelServer();
  const { join, admin } = await world(press, 'current', { llm: server.settings });
  const ann = await join('ann', 'editor', 'writer');
  server.says('read');
  const release = server.hold();
  const reviewing = ann.create('/press/review', {});
  // The workflow's first part, and the agent that it asks.
  await expect.poll(async () => instances(await admin.read('/platform.ai/Step'))).toHaveLength(2);
  const roles = instances(await admin.read(`${admin.at('RoleAssignment')}?role=editor`));
  for (const { id } of roles) await admin.remove(admin.at('RoleAssignment', String(id)));
  release();
  expect({ status: (await reviewing).status, roles: roles.length, posts: await postsOf(admin) }).toEqual({
    status: 403,
    roles: 1,
    posts: [],
  });
});

async function postsOf(admin: Person): Promise<readonly unknown[]> {
  const { body } = await admin.read('/press/Post');
  if (!Array.isArray(body)) throw new Error('no list');
  return body.map(({ id }) => id);
}
