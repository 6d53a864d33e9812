// A service with access control and the rows of the matrix, asked by each of its callers; everything it logs is kept.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { createLog } from '../../../../src/http/server/log.ts';
import { type Reading, watch } from '../../../realtime/support.ts';
import { type Request, surfaces, type Tree, type Surface as WireForm } from '../../../scenarios/guarded-world.ts';
import type { Answer, Options } from '../../../support/app.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { type Person, type Surface, world } from '../../people.ts';
import { linkRules, type Row } from '../oracle.ts';
import { endName, projectOf } from '../rules.ts';
import { type Caller, childrenOf, type MatrixFacts, referenceOf } from './rows.ts';

export interface MatrixWorld {
  readonly surface: WireForm;
  readonly facts: MatrixFacts;
  ask(caller: Caller, request: Request): Promise<Answer>;
  /** A stream of changes; with a body, of a subscription. */
  watch(caller: Caller, target: string, body?: object): Promise<Reading>;
  /** All that was logged, at every level. */
  logged(): string;
  readonly failures: readonly unknown[];
  close(): Promise<void>;
}

export interface Setting {
  readonly facts: MatrixFacts;
  readonly callers: readonly Caller[];
  /** Workflows of the model, in the syntax of the surface. */
  readonly flows?: string;
  /** What agents of the model use. */
  readonly llm?: Options['llm'];
  readonly mcp?: boolean;
  readonly graphql?: boolean;
  /** Types that a resolver keeps in memory, and not the store. */
  readonly elsewhere?: readonly string[];
}

export async function openMatrix(name: Surface, setting: Setting): Promise<MatrixWorld> {
  const { facts, callers, flows = '', llm, mcp = false, graphql = false, elsewhere = [] } = setting;
  const surface = surfaces.find((each) => each.name === name);
  if (surface === undefined) throw new Error(`there is no surface ${name}`);
  const folder = temporaryFolder();
  const logFile = join(folder, 'log');
  const log = await createLog({ level: 'debug', pretty: false, destination: logFile });
  const {
    served,
    admin,
    join: joinAs,
    enter,
  } = await world(projectOf(facts.model, name, flows), name, {
    log,
    isOpen: true,
    mcp,
    ...(llm === undefined ? {} : { llm }),
    graphql,
    ...(elsewhere.length === 0
      ? {}
      : { resolvers: [{ name: 'm/elsewhere', kind: 'memory', types: elsewhere.map((each) => `m/${each}`) }] }),
    // Includes over three levels with all their conditions take long on a busy machine.
    postgres: { statementTimeout: 300 },
  });
  const people = new Map<string, Person>([['admin', admin]]);
  for (const { name: user, roles, email } of callers)
    if (email !== undefined && user !== 'admin') people.set(user, await joinAs(user, ...roles));
  await load(admin, surface, facts);
  let entered = Date.now();
  /** Tokens last a quarter of an hour, a long run on a busy machine longer. */
  const renew = async (): Promise<void> => {
    if (Date.now() - entered < 600_000) return;
    entered = Date.now();
    for (const user of people.keys()) people.set(user, await enter(user));
  };
  return {
    surface,
    facts,
    failures: served.failures,
    async ask({ name: user }, { method, target, body, headers = {} }) {
      await renew();
      const typed = body === undefined ? {} : { 'content-type': 'application/json' };
      const text = body === undefined ? {} : { text: JSON.stringify(body) };
      return served.ask({ method, target, headers: { ...typed, ...headers, ...people.get(user)?.headers }, ...text });
    },
    watch: ({ name: user }, target, body) => watch(served, target, { headers: people.get(user)?.headers ?? {}, body }),
    logged() {
      log.flush();
      const seen = inspect([served.failures, served.warnings, served.lines], { depth: 8, maxArrayLength: null, maxStringLength: null });
      return seen + readFileSync(logFile, 'utf8');
    },
    async close() {
      await served.close();
      log.flush();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Admin makes all of it, and owners and grants besides. */
async function load(admin: Person, surface: WireForm, facts: MatrixFacts): Promise<void> {
  const done = ({ status, text }: Answer): void => {
    if (status >= 300) throw new Error(text);
  };
  const post = async (type: string, trees: readonly Tree[]): Promise<void> => {
    if (trees.length > 0) done(await admin.createAs(`/m/${type}`, trees.map(surface.body)));
  };
  const roots = facts.rows.filter(({ parent }) => parent === undefined);
  for (const { name } of facts.model.entities)
    await post(
      name,
      roots.filter((each) => each.type === name).map((row) => treeOf(row, facts)),
    );
  for (const link of facts.links) {
    const [from, to] = linkRules(link.type, facts.model).ends;
    const named = { [endName(from)]: nameOf(link.ends[0]), [endName(to)]: nameOf(link.ends[1]) };
    await post(link.type, [{ type: link.type, attributes: { ...named, text: link.text } }]);
  }
  const resource = (row: Row) => ({ resource: `m/${row.type}`, resourceId: referenceOf(row) });
  const owners = facts.owners.map(({ row, assignee }) => ({ ...resource(row), assignee }));
  const grants = facts.grants.map(({ row, assignee, actions }) => ({ ...resource(row), assignee, actions }));
  if (owners.length > 0) done(await admin.assign('OwnershipAssignment', owners));
  if (grants.length > 0) done(await admin.assign('InstancePrivilegeAssignment', grants));
}

/** As links name it. */
export function nameOf(row: Row): number | string {
  return row.parent === undefined ? row.id : referenceOf(row);
}

function treeOf(row: Row, facts: MatrixFacts): Tree {
  const { type, id, text, boss, pin } = row;
  const given = { ...(boss === undefined ? {} : { boss }), ...(pin === undefined ? {} : { pin }) };
  const attributes = { id, text: `${text} common`, rank: id % 7, ...given };
  const children = childrenOf(row, facts);
  const related = [...new Set(children.map((each) => each.type))].map((child) => [
    `${type}${child}`,
    children.filter((each) => each.type === child).map((each) => treeOf(each, facts)),
  ]);
  return { type, attributes, related: Object.fromEntries(related) };
}
