// Those who write: people with different rights, and workflows that change rows several times.

import type { Person } from '../../access/people.ts';
import type { Random } from '../../applications/random.ts';
import type { Answer } from '../../support/app.ts';
import type { History } from './history.ts';

export interface Writing {
  readonly history: History;
  readonly random: Random;
  /** The same people at each instance; the first one is the admin, the second owns what nobody else may ever see. */
  readonly people: readonly (readonly Person[])[];
}

/** What one writer, or several, have made, to be taken back. */
export interface Made {
  readonly grants: { readonly id: string; readonly taken: () => void }[];
  readonly teamLinks: { readonly id: string; readonly taken: () => void }[];
  role: { readonly id: string; readonly taken: () => void } | undefined;
}

export const posts = [1, 2, 3, 4, 5];
/** Owned by one user, and never to be read by those who have no role for it. */
export const sealedPosts = [91, 92];
export const tags = ['a', 'b', 'c'];
export const teams = [1, 2];

type Operation = (writing: Writing, made: Made) => Promise<unknown>;

export const operations: readonly (readonly [weight: number, operation: Operation])[] = [
  [8, createPost],
  [12, updatePost],
  [3, deletePost],
  [6, (writing) => runOnPost(writing, 'Churn')],
  [3, (writing) => runOnPost(writing, 'Replace')],
  [6, (writing) => runOnPost(writing, 'Peek')],
  [2, ({ random, people }) => admin(people, random).create('/m/Blink', { id: random.integer(50, 52) })],
  [2, ({ random, people }) => admin(people, random).create('/m/Undone', { id: random.pick([...posts, ...sealedPosts]) })],
  [3, lead],
  [8, assign],
  [6, takeBack],
  [1, changeRole],
  [8, createComment],
  [5, updateComment],
  [6, moveComment],
  [2, deleteComment],
  [4, reply],
  [6, link],
  [4, unlink],
  [2, ({ random, people }) => admin(people, random).create('/m/Relink', { id: random.pick(posts), tag: random.pick(tags) })],
  [3, tag],
  [4, linkTeam],
  [3, unlinkTeam],
  [5, createTasks],
  [6, updateTask],
  [2, deleteTask],
  [3, updateTeam],
];

function admin(people: Writing['people'], random: Random): Person {
  return somebody(people, random, 0);
}

function somebody(people: Writing['people'], random: Random, at: number): Person {
  const person = random.pick(people)[at];
  if (person === undefined) throw new Error('nobody');
  return person;
}

function isDone({ status }: Answer): boolean {
  return status < 300;
}

/** Of a post: those that are sealed are never for everybody, and have few likes. */
export function postValues({ random, history }: Writing, id: number) {
  const isSealed = sealedPosts.includes(id);
  const values = { likes: random.integer(0, isSealed ? 4 : 8), public: !isSealed && random.chance(0.4) };
  return { ...values, stamp: history.stamp(values, isSealed ? 'sealed' : '') };
}

async function createPost(writing: Writing): Promise<void> {
  const { random, people, history } = writing;
  const id = random.pick([...posts, ...sealedPosts]);
  const values = postValues(writing, id);
  const person = somebody(people, random, sealedPosts.includes(id) ? 1 : random.integer(0, 4));
  const right = history.right(person.email, `Post/${id}`);
  const isMade = await history.write([[`Post/${id}`, values.stamp]], async () => isDone(await person.create('/m/Post', { id, ...values })));
  right.given(isMade);
}

async function updatePost(writing: Writing): Promise<void> {
  const { random, people, history } = writing;
  const id = random.pick([...posts, ...sealedPosts]);
  const values = postValues(writing, id);
  const person = somebody(people, random, random.chance(0.5) ? 0 : random.integer(0, 4));
  await history.write([[`Post/${id}`, values.stamp]], async () => isDone(await person.change(`/m/Post/${id}`, values)));
}

async function deletePost({ random, people, history }: Writing): Promise<void> {
  const id = random.pick([...posts, ...sealedPosts]);
  const person = somebody(people, random, random.chance(0.7) ? 0 : random.integer(0, 4));
  await history.write([[`Post/${id}`]], async () => isDone(await person.remove(`/m/Post/${id}`)));
}

/** By the admin, who may do all that the workflow does. */
async function runOnPost(writing: Writing, event: 'Churn' | 'Replace' | 'Peek'): Promise<void> {
  const { random, people, history } = writing;
  const id = random.pick([...posts, ...sealedPosts]);
  const values = postValues(writing, id);
  const comments = history.stamp({}, sealedPosts.includes(id) ? 'sealed' : '');
  const more = { Churn: { comments }, Replace: {}, Peek: { who: 'bob@example.com' } }[event];
  const row = `Post/${id}`;
  const rows: (readonly [string, string?])[] = [[row, values.stamp]];
  if (event === 'Churn') rows.push([`Churned/${comments}`, comments]);
  if (event === 'Replace') rows.unshift([row]);
  await history.write(rows, async () => isDone(await admin(people, random).create(`/m/${event}`, { id, ...values, ...more })));
}

async function lead({ random, people, history }: Writing): Promise<void> {
  const team = random.pick(teams);
  const [stamp, tasks] = [history.stamp(), history.stamp({ open: false })];
  const values = { team, other: random.pick(teams), lead: email(random), stamp, tasks };
  const rows: (readonly [string, string?])[] = [
    [`Team/${team}`, stamp],
    [`Led/${tasks}`, tasks],
  ];
  await history.write(rows, async () => isDone(await admin(people, random).create('/m/Lead', values)));
}

export function email(random: Random): string {
  return random.pick(['ann@example.com', 'bob@example.com', 'eve@example.com', 'cem@example.com', 'nobody@example.com']);
}

async function assign({ random, people, history }: Writing, made: Made): Promise<void> {
  const [id, assignee] = [random.pick(posts), email(random)];
  const type = random.chance(0.6) ? 'InstancePrivilegeAssignment' : 'OwnershipAssignment';
  const values = { resource: 'm/Post', resourceId: String(id), assignee };
  const right = history.right(assignee, `Post/${id}`);
  const person = admin(people, random);
  const answer = await person.assign(type, type === 'OwnershipAssignment' ? values : { ...values, actions: ['read'] });
  right.given(isDone(answer));
  if (isDone(answer)) made.grants.push({ id: person.at(type, idIn(answer)), taken: right.taken });
}

function idIn({ text }: Answer): string {
  return /"(?:id|__Id__)":"([0-9a-f-]{36})"/.exec(text)?.[1] ?? '';
}

async function takeBack({ random, people }: Writing, { grants }: Made): Promise<void> {
  const [grant] = grants.splice(random.integer(0, Math.max(0, grants.length - 1)), 1);
  // What is not there any more has been taken already.
  if (grant !== undefined && (await admin(people, random).remove(grant.id)).status < 500) grant.taken();
}

async function changeRole({ random, people, history }: Writing, made: Made): Promise<void> {
  const person = admin(people, random);
  const { role } = made;
  made.role = undefined;
  if (role !== undefined) {
    if (isDone(await person.remove(person.at('RoleAssignment', role.id)))) role.taken();
    return;
  }
  const right = history.right('cem@example.com', 'auditor');
  const answer = await person.assign('RoleAssignment', { role: 'auditor', assignee: 'cem@example.com' });
  right.given(isDone(answer));
  if (isDone(answer)) made.role = { id: idIn(answer), taken: right.taken };
}

export function commentOf(random: Random): { readonly post: number; readonly id: number; readonly path: string; readonly row: string } {
  const [post, id] = [random.pick([...posts, ...sealedPosts]), random.integer(1, 3)];
  return { post, id, path: `/m/Post/${post}/PostComment/Comment`, row: `Comment/${post}/${id}` };
}

async function createComment({ random, people, history }: Writing): Promise<void> {
  const { post, id, path, row } = commentOf(random);
  const stamp = history.stamp({}, sealedPosts.includes(post) ? 'sealed' : '');
  await history.write([[row, stamp]], async () => isDone(await admin(people, random).create(path, { id, stamp })));
}

async function updateComment({ random, people, history }: Writing): Promise<void> {
  const { post, id, path, row } = commentOf(random);
  const stamp = history.stamp({}, sealedPosts.includes(post) ? 'sealed' : '');
  const person = somebody(people, random, random.chance(0.7) ? 0 : random.integer(0, 4));
  await history.write([[row, stamp]], async () => isDone(await person.change(`${path}/${id}`, { stamp })));
}

async function moveComment({ random, people, history }: Writing): Promise<void> {
  const { post, id, path, row } = commentOf(random);
  if (sealedPosts.includes(post)) return;
  const [to, stamp] = [random.pick(posts), history.stamp()];
  const values = { '@parent': `path://m$Post/${to}`, stamp };
  const rows: (readonly [string, string?])[] = to === post ? [[row, stamp]] : [[row], [`Comment/${to}/${id}`, stamp]];
  await history.write(rows, async () => isDone(await admin(people, random).change(`${path}/${id}`, values)));
}

async function deleteComment({ random, people, history }: Writing): Promise<void> {
  const { id, path, row } = commentOf(random);
  await history.write([[row]], async () => isDone(await admin(people, random).remove(`${path}/${id}`)));
}

async function reply({ random, people, history }: Writing): Promise<void> {
  const { post, id, path } = commentOf(random);
  const stamp = history.stamp({}, sealedPosts.includes(post) ? 'sealed' : '');
  const [person, number] = [admin(people, random), random.integer(1, 2)];
  const below = `${path}/${id}/CommentReply/Reply`;
  await history.write([[`Reply/${stamp}`, stamp]], async () => {
    const made = await person.create(below, { id: number, stamp });
    return isDone(made.status === 409 ? await person.change(`${below}/${number}`, { stamp }) : made);
  });
}

async function link({ random, people }: Writing): Promise<void> {
  await admin(people, random).create('/m/PostTag', { Post: random.pick([...posts, ...sealedPosts]), Tag: random.pick(tags) });
}

async function unlink({ random, people }: Writing): Promise<void> {
  await admin(people, random).remove(`/m/Post/${random.pick(posts)}/PostTag/Tag/${random.pick(tags)}`);
}

async function tag({ random, people, history }: Writing): Promise<void> {
  const [name, stamp, person] = [random.pick(tags), history.stamp(), admin(people, random)];
  if (random.chance(0.2)) await person.remove(`/m/Tag/${name}`);
  await history.write([[`Tag/${name}`, stamp]], async () => {
    const made = await person.create('/m/Tag', { name, stamp });
    return isDone(made.status === 409 ? await person.change(`/m/Tag/${name}`, { stamp }) : made);
  });
}

/** Owners of the first team are those of what is sealed; of the second, somebody else. */
async function linkTeam({ random, people, history }: Writing, made: Made): Promise<void> {
  const team = random.pick(teams);
  const post = random.pick(team === 1 ? [...posts, ...sealedPosts] : posts);
  const right = history.right(team === 1 ? 'ann@example.com' : 'eve@example.com', `Post/${post}`);
  const answer = await admin(people, random).create('/m/TeamPost', { Team: team, Post: post });
  right.given(isDone(answer));
  if (isDone(answer)) made.teamLinks.push({ id: idIn(answer), taken: right.taken });
}

async function unlinkTeam({ random, people }: Writing, { teamLinks }: Made): Promise<void> {
  const [link] = teamLinks.splice(random.integer(0, Math.max(0, teamLinks.length - 1)), 1);
  if (link !== undefined && (await admin(people, random).remove(`/m/TeamPost/${link.id}`)).status < 500) link.taken();
}

export function taskValues({ random, history }: Writing) {
  const values = { open: random.chance(0.3) };
  return { ...values, team: random.pick(teams), stamp: history.stamp(values) };
}

async function createTasks(writing: Writing): Promise<void> {
  const { random, people, history } = writing;
  const ids = [1, 2, 3, 4, 5, 6].filter(() => random.chance(0.3));
  const tasks = ids.map((id) => ({ id, ...taskValues(writing) }));
  if (tasks.length === 0) return;
  await history.write(
    tasks.map(({ id, stamp }) => [`Task/${id}`, stamp] as const),
    async () => isDone(await admin(people, random).create('/m/Task', tasks)),
  );
}

async function updateTask(writing: Writing): Promise<void> {
  const { random, people, history } = writing;
  const [id, values] = [random.integer(1, 6), taskValues(writing)];
  const person = somebody(people, random, random.chance(0.6) ? 0 : random.integer(0, 4));
  await history.write([[`Task/${id}`, values.stamp]], async () => isDone(await person.change(`/m/Task/${id}`, values)));
}

async function deleteTask({ random, people, history }: Writing): Promise<void> {
  const id = random.integer(1, 6);
  await history.write([[`Task/${id}`]], async () => isDone(await admin(people, random).remove(`/m/Task/${id}`)));
}

async function updateTeam({ random, people, history }: Writing): Promise<void> {
  const [id, stamp] = [random.pick(teams), history.stamp()];
  const values = { lead: email(random), stamp };
  await history.write([[`Team/${id}`, stamp]], async () => isDone(await admin(people, random).change(`/m/Team/${id}`, values)));
}
