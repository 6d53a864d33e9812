// Another program that writes to the same database: transactions of several statements that stay open, overlap, and are rolled back now and then.

import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Served } from '../../support/app.ts';
import { otherTransaction } from '../../support/postgres.ts';
import { pause } from '../../support/time.ts';
import type { OpenTransaction } from './history.ts';
import { commentOf, email, type Made, posts, postValues, sealedPosts, tags, taskValues, teams, type Writing } from './writers.ts';

export interface OtherProgram {
  readonly served: Served;
  readonly writing: Writing;
  readonly made: Made;
  /** Milliseconds between two statements. */
  readonly pauses: readonly [shortest: number, longest: number];
}

interface Transaction extends OtherProgram {
  readonly open: OpenTransaction;
  /** How many rows were changed. */
  query(sql: string, values?: readonly unknown[]): Promise<number>;
  /** What is known to others when it has ended. */
  readonly whenEnded: ((isCommitted: boolean) => void)[];
}

const steps: readonly (readonly [weight: number, step: (transaction: Transaction) => Promise<void>])[] = [
  [8, updatePost],
  [4, insertPost],
  [3, deletePost],
  [5, updateComment],
  [4, insertComment],
  [2, deleteComment],
  [6, updateTask],
  [3, insertTask],
  [2, deleteTask],
  [3, updateTeam],
  [3, linkTag],
  [2, unlinkTag],
  [5, takeBack],
];
/** A deadlock, a row that stands in the way, one that others refer to, a lock that took too long. */
const refusals = ['40P01', '23505', '23503', '55P03'];
const separator = '\u0001';
const assignmentTables = ['InstancePrivilegeAssignment', 'OwnershipAssignment'].map((name) => `"platform.rbac/${name}"`);

/** Transactions one after the other, until nothing more is to be written. */
export async function writePast(program: OtherProgram, isOver: () => boolean): Promise<void> {
  const client = await otherTransaction(program.served);
  await client.query('ROLLBACK');
  while (!isOver()) {
    await writeOnce(program, client);
    await waited(program);
  }
}

async function writeOnce(program: OtherProgram, client: pg.Client): Promise<void> {
  const { random, history } = program.writing;
  const open = history.open();
  const whenEnded: Transaction['whenEnded'] = [];
  const query = async (sql: string, values: readonly unknown[] = []): Promise<number> =>
    (await client.query(sql, [...values])).rowCount ?? 0;
  const transaction: Transaction = { ...program, open, whenEnded, query };
  let isCommitted = false;
  await query('BEGIN');
  try {
    // Some have a number long before they write.
    if (random.chance(0.5)) await query('SELECT pg_current_xact_id()');
    for (let left = random.integer(1, 4); left > 0; left -= 1) {
      await waited(program);
      await random.weighted(steps)(transaction);
    }
    await waited(program);
    isCommitted = random.chance(0.8);
  } catch (thrown) {
    if (!refusals.includes(String(Reflect.get(Object(thrown), 'code')))) throw thrown;
  }
  await open.end(isCommitted, () => query(isCommitted ? 'COMMIT' : 'ROLLBACK'));
  for (const each of whenEnded) each(isCommitted);
}

function waited({ writing: { random }, pauses: [shortest, longest] }: OtherProgram): Promise<void> {
  return pause(random.integer(shortest, longest));
}

/** As identifiers stand in keys. */
function keyOf(id: number): string {
  return (0x8000000000000000n + BigInt(id)).toString(16);
}

function postKey(id: number): string {
  return ['m/Post', keyOf(id)].join(separator);
}

function commentKey(post: number, id: number): string {
  return [postKey(post), 'm/PostComment', keyOf(id)].join(separator);
}

async function updatePost({ writing, open, query }: Transaction): Promise<void> {
  const id = writing.random.pick([...posts, ...sealedPosts]);
  const values = postValues(writing, id);
  const sql = `UPDATE "m/Post" SET "likes" = $2, "public" = $3, "stamp" = $4, "__version" = "__version" + 1 WHERE "id" = $1`;
  if ((await query(sql, [id, values.likes, values.public, values.stamp])) === 0) return;
  open.write(`Post/${id}`, values.stamp);
  await query(`UPDATE "m/Comment" SET "hot" = $2, "__version" = "__version" + 1 WHERE "__parent_m$PostComment" = $1 AND "hot" <> $2`, [
    id,
    values.likes,
  ]);
}

async function insertPost({ writing, open, query, whenEnded }: Transaction): Promise<void> {
  const { random, history } = writing;
  const id = random.pick([...posts, ...sealedPosts]);
  const values = postValues(writing, id);
  const sql = `INSERT INTO "m/Post" ("id", "likes", "public", "stamp", "__version") VALUES ($1, $2, $3, $4, 1) ON CONFLICT DO NOTHING`;
  if ((await query(sql, [id, values.likes, values.public, values.stamp])) === 0) return;
  open.write(`Post/${id}`, values.stamp);
  const owner = sealedPosts.includes(id) ? 'ann@example.com' : email(random);
  const right = history.right(owner, `Post/${id}`);
  whenEnded.push(right.given);
  await query(
    `INSERT INTO "platform.rbac/OwnershipAssignment" ("id", "resource", "resourceId", "assignee", "__version", "__target") VALUES ($1, 'm/Post', $2, $3, 1, $4) ON CONFLICT DO NOTHING`,
    [randomUUID(), String(id), owner, postKey(id)],
  );
}

/** With all that the service would delete with it. */
async function deletePost({ writing, open, query }: Transaction): Promise<void> {
  const id = writing.random.pick([...posts, ...sealedPosts]);
  const below = postKey(id) + separator;
  await query(`DELETE FROM "m/Reply" WHERE starts_with("__key", $1)`, [below]);
  await query(`DELETE FROM "m/Comment" WHERE "__parent_m$PostComment" = $1`, [id]);
  await query('DELETE FROM "m/PostTag" WHERE "Post" = $1', [id]);
  await countUses(query);
  await query('DELETE FROM "m/TeamPost" WHERE "Post" = $1', [id]);
  for (const table of assignmentTables)
    await query(`DELETE FROM ${table} WHERE "__target" = $1 OR starts_with("__target", $2)`, [postKey(id), below]);
  if ((await query('DELETE FROM "m/Post" WHERE "id" = $1', [id])) > 0) open.write(`Post/${id}`);
}

async function countUses(query: Transaction['query']): Promise<void> {
  const uses = '(SELECT count(*) FROM "m/PostTag" AS l WHERE l."Tag" = t."name")';
  await query(`UPDATE "m/Tag" AS t SET "uses" = ${uses}, "__version" = "__version" + 1 WHERE "uses" <> ${uses}`);
}

async function updateComment({ writing, open, query }: Transaction): Promise<void> {
  const { post, id, row } = commentOf(writing.random);
  const stamp = writing.history.stamp({}, sealedPosts.includes(post) ? 'sealed' : '');
  const sql = `UPDATE "m/Comment" SET "stamp" = $2, "__version" = "__version" + 1 WHERE "__key" = $1`;
  if ((await query(sql, [commentKey(post, id), stamp])) > 0) open.write(row, stamp);
}

async function insertComment({ writing, open, query }: Transaction): Promise<void> {
  const { post, id, row } = commentOf(writing.random);
  const stamp = writing.history.stamp({}, sealedPosts.includes(post) ? 'sealed' : '');
  const path = `path://m$Post/${post}/m$PostComment/m$Comment/${id}`;
  const sql = `INSERT INTO "m/Comment" ("id", "hot", "stamp", "__version", "__key", "__path__", "__parent_m$PostComment") SELECT $1, "likes", $2, 1, $3, $4, "id" FROM "m/Post" WHERE "id" = $5 ON CONFLICT DO NOTHING`;
  if ((await query(sql, [id, stamp, commentKey(post, id), path, post])) > 0) open.write(row, stamp);
}

async function deleteComment({ writing, open, query }: Transaction): Promise<void> {
  const { post, id, row } = commentOf(writing.random);
  const key = commentKey(post, id);
  await query(`DELETE FROM "m/Reply" WHERE "__parent_m$CommentReply" = $1`, [key]);
  for (const table of assignmentTables)
    await query(`DELETE FROM ${table} WHERE "__target" = $1 OR starts_with("__target", $2)`, [key, key + separator]);
  if ((await query('DELETE FROM "m/Comment" WHERE "__key" = $1', [key])) > 0) open.write(row);
}

async function updateTask({ writing, open, query }: Transaction): Promise<void> {
  const [id, values] = [writing.random.integer(1, 6), taskValues(writing)];
  const sql = `UPDATE "m/Task" SET "team" = $2, "lead" = (SELECT "lead" FROM "m/Team" WHERE "id" = $2), "open" = $3, "stamp" = $4, "__version" = "__version" + 1 WHERE "id" = $1`;
  if ((await query(sql, [id, values.team, values.open, values.stamp])) > 0) open.write(`Task/${id}`, values.stamp);
}

async function insertTask({ writing, open, query }: Transaction): Promise<void> {
  const [id, values] = [writing.random.integer(1, 6), taskValues(writing)];
  const sql = `INSERT INTO "m/Task" ("id", "team", "lead", "open", "stamp", "__version") SELECT $1, "id", "lead", $3, $4, 1 FROM "m/Team" WHERE "id" = $2 ON CONFLICT DO NOTHING`;
  if ((await query(sql, [id, values.team, values.open, values.stamp])) > 0) open.write(`Task/${id}`, values.stamp);
}

async function deleteTask({ writing, open, query }: Transaction): Promise<void> {
  const id = writing.random.integer(1, 6);
  for (const table of assignmentTables) await query(`DELETE FROM ${table} WHERE "__target" = $1`, [['m/Task', keyOf(id)].join(separator)]);
  if ((await query('DELETE FROM "m/Task" WHERE "id" = $1', [id])) > 0) open.write(`Task/${id}`);
}

async function updateTeam({ writing, open, query }: Transaction): Promise<void> {
  const [id, lead, stamp] = [writing.random.pick(teams), email(writing.random), writing.history.stamp()];
  await query(`UPDATE "m/Team" SET "lead" = $2, "stamp" = $3, "__version" = "__version" + 1 WHERE "id" = $1`, [id, lead, stamp]);
  open.write(`Team/${id}`, stamp);
  await query(`UPDATE "m/Task" SET "lead" = $2, "__version" = "__version" + 1 WHERE "team" = $1 AND "lead" <> $2`, [id, lead]);
}

async function linkTag({ writing: { random }, query }: Transaction): Promise<void> {
  const sql = `INSERT INTO "m/PostTag" ("Post", "Tag", "__Id__", "__version") SELECT p."id", t."name", $3, 1 FROM "m/Post" AS p, "m/Tag" AS t WHERE p."id" = $1 AND t."name" = $2 ON CONFLICT DO NOTHING`;
  await query(sql, [random.pick(posts), random.pick(tags), randomUUID()]);
  await countUses(query);
}

async function unlinkTag({ writing: { random }, query }: Transaction): Promise<void> {
  await query('DELETE FROM "m/PostTag" WHERE "Post" = $1 AND "Tag" = $2', [random.pick(posts), random.pick(tags)]);
  await countUses(query);
}

async function takeBack({ writing: { random }, made: { grants }, query, whenEnded }: Transaction): Promise<void> {
  const [taken] = grants.splice(random.integer(0, Math.max(0, grants.length - 1)), 1);
  if (taken === undefined) return;
  whenEnded.push((isCommitted) => {
    if (isCommitted) taken.taken();
    else grants.push(taken);
  });
  const id = taken.id.slice(taken.id.lastIndexOf('/') + 1);
  for (const table of assignmentTables) await query(`DELETE FROM ${table} WHERE "id" = $1`, [id]);
}
