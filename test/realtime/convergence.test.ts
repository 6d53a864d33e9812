// Streams converge: whoever writes what at once, and whoever comes and goes, what was told makes up the list as it is, of states that were committed and could be read.

import { expect, test } from 'vitest';
import { type Person, personOf, withAccess, world } from '../access/people.ts';
import { Random } from '../applications/random.ts';
import { type Served, serve } from '../support/app.ts';
import { folderForTest } from '../support/folder.ts';
import { isLarge, seed } from '../support/form.ts';
import { storeOfRun } from '../support/store.ts';
import { pause } from '../support/time.ts';
import { History } from './convergence/history.ts';
import { model } from './convergence/model.ts';
import { writePast } from './convergence/other-program.ts';
import { type Target, Viewer } from './convergence/viewer.ts';
import { type Made, operations, sealedPosts, type Writing } from './convergence/writers.ts';
import { looked } from './support.ts';

const seeds = Array.from({ length: isLarge ? 10 : 1 }, (_, index) => seed + index);
const size = isLarge
  ? { writers: 4, rounds: 60, viewers: 60, others: 3, pauses: [50, 800] as const }
  : { writers: 4, rounds: storeOfRun() === 'sqlite' ? 40 : 25, viewers: 36, others: 2, pauses: [5, 60] as const };

const posts = { type: 'Post', field: 'post', instance: 'id likes public stamp' };
const targets: readonly Target[] = [
  ...[
    '/m/Post',
    '/m/Post?public=true',
    '/m/Post?likes[gte]=4',
    '/m/Post?@select=stamp',
    '/m/Post/1',
    '/m/Post/91',
    '/m/Tag/a/PostTag/Post',
  ].map((list) => ({ type: 'Post', list })),
  ...['/m/Comment', '/m/Comment?hot[gt]=3', '/m/Post/1/PostComment/Comment', '/m/Post/91/PostComment/Comment'].map((list) => ({
    type: 'Comment',
    list,
  })),
  ...['/m/Reply', '/m/Post/1/PostComment/Comment/1/CommentReply/Reply'].map((list) => ({ type: 'Reply', list })),
  ...['/m/Task', '/m/Task?open=true', '/m/Task?lead=bob@example.com', '/m/Task?team=1&open=false', '/m/Task/1'].map((list) => ({
    type: 'Task',
    list,
  })),
  ...['/m/Tag', '/m/Tag?uses[lt]=3', '/m/Post/1/PostTag/Tag', '/m/Post/2/PostTag/Tag'].map((list) => ({ type: 'Tag', list })),
  ...['/m/PostTag', '/m/TeamPost', '/m/Team/1/TeamPost/Post?@select=stamp', '/m/Team'].map((list) => ({
    type: list.includes('Post?') ? 'Post' : 'Team',
    list,
  })),
  { type: 'Post', list: { ...posts, where: '' } },
  { type: 'Post', list: { ...posts, where: '{likes: {gt: 3}}' } },
  { type: 'Comment', list: { field: 'comment', where: '', instance: '_path id hot stamp' } },
  { type: 'Task', list: { field: 'task', where: '{or: [{open: {eq: true}}, {team: {eq: 2}}]}', instance: 'id team lead open stamp' } },
];

test.each(seeds)('what streams have told is what is there, and nothing else, with the seed %i', { timeout: 600_000 }, async (seed) => {
  const started = performance.now();
  const random = new Random(seed);
  const history = new History();
  const { services, people } = await begin(history);
  const writing = (number: number): Writing => ({ history, random: new Random(seed * 100 + number), people });
  await fill(writing(99));
  const watching = { services, history, random };
  const everybody = people[0]?.slice() ?? [];
  const viewers = Array.from(
    { length: size.viewers },
    (_, at) => new Viewer(random.pick(everybody), targets[at % targets.length] ?? random.pick(targets), watching),
  );
  for (const each of viewers) await each.step();
  const made: Made = { grants: [], teamLinks: [], role: undefined };
  let isWritten = false;
  const written = Promise.all(Array.from({ length: size.writers }, (_, number) => write(writing(number), made))).finally(() => {
    isWritten = true;
  });
  const isOver = (): boolean => isWritten;
  const others = services
    .slice(1)
    .flatMap((served) =>
      Array.from({ length: size.others }, (_, number) =>
        writePast({ served, writing: writing(50 + number), made, pauses: size.pauses }, isOver),
      ),
    );
  // An opening may wait for transactions that are under way: it holds up nobody else.
  const watched = viewers.map(async (each) => {
    for (; !isWritten; await pause(10)) if (random.chance(0.7)) await each.step();
  });
  await Promise.all([written, ...others, ...watched]);
  await converged(viewers, history, services.length);
  for (const each of viewers) {
    each.check();
    if (isShut(each.email)) expect(each.told(), each.title).not.toMatch(new RegExp(`sealed|"Post":(${sealedPosts.join('|')})\\b`));
    expect(each.told(), each.title).not.toContain('between');
  }
  expect(history.faults.slice(0, 5).join('\n\n')).toBe('');
  expect(services.flatMap(({ failures }) => failures)).toEqual([]);
  const count = (of: (viewer: Viewer) => number): number => viewers.reduce((sum, each) => sum + of(each), 0);
  console.log(
    `seed ${seed}: ${viewers.length} streams, ${count(({ events }) => events)} events, ${count(({ drops }) => drops)} drops, ${Math.round((performance.now() - started) / 1000)} s`,
  );
});

function isShut(email: string): boolean {
  return email === 'bob@example.com' || email === 'eve@example.com';
}

interface Begun {
  readonly services: readonly Served[];
  /** At each instance. */
  readonly people: readonly (readonly Person[])[];
}

async function begin(history: History): Promise<Begun> {
  const options = { folder: folderForTest(), graphql: true };
  const { served, admin, join } = await world(model, 'current', options);
  const services = storeOfRun() === 'sqlite' ? [served] : [served, await serve(model, withAccess('current', options))];
  const users = ['ann', 'bob', 'eve', 'cem'].map((name) => join(name, 'user'));
  const all = [admin, ...(await Promise.all([...users, join('dee', 'user', 'auditor')]))];
  history.right('dee@example.com', 'auditor').given(true);
  return { services, people: services.map((each) => all.map(({ email, headers }) => personOf(each, 'current', email, headers))) };
}

/** The teams, who owns them, and something to begin with. */
async function fill(writing: Writing): Promise<void> {
  const admin = writing.people[0]?.[0];
  if (admin === undefined) throw new Error('nobody');
  for (const [id, lead] of [
    [1, 'ann@example.com'],
    [2, 'eve@example.com'],
  ] as const) {
    const stamp = writing.history.stamp();
    await writing.history.write([[`Team/${id}`, stamp]], async () => (await admin.create('/m/Team', { id, lead, stamp })).status === 201);
    const owner = await admin.assign('OwnershipAssignment', { resource: 'm/Team', resourceId: String(id), assignee: lead });
    expect(owner.status).toBe(201);
  }
  await write(writing, { grants: [], teamLinks: [], role: undefined }, 60, 0);
}

async function write(writing: Writing, made: Made, rounds = size.rounds, longest = 20): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await writing.random.weighted(operations)(writing, made);
    await pause(writing.random.integer(0, longest));
  }
}

/** When all are the same as what they watch, and stay so. */
async function converged(viewers: readonly Viewer[], history: History, services: number): Promise<void> {
  const patience = performance.now() + 30_000;
  for (let calm = 0; calm < 3; ) {
    for (const each of viewers) await each.step(true);
    await looked(services);
    for (const each of viewers) await each.step(true);
    const different = (await Promise.all(viewers.map((each) => each.difference()))).filter((each) => each !== undefined);
    calm = different.length === 0 ? calm + 1 : 0;
    if (performance.now() < patience) continue;
    history.faults.push(...different);
    return;
  }
}
