// GraphQL as one more path of the matrix: what each query must show, and each mutation do, by the oracle.

import { canRead, type Decision, decide, decideCreate, type Row } from '../oracle.ts';
import { type Around, shown, statusOf } from './cells.ts';
import { callers, canaries, childrenOf, type Level, levels, pathOf, types } from './rows.ts';
import { deniedRank } from './writes.ts';

export interface GraphqlCell {
  readonly path: string;
  readonly query: string;
  /** Texts of the rows that are seen; in their order with `ordered`. */
  readonly shows: readonly string[];
  readonly ordered?: boolean;
  /** What `x` is, where that is a number. */
  readonly count?: number;
  /** Of the error; nothing where there is none. */
  readonly refused?: readonly number[];
  readonly decides: number;
}

const lower = (type: string): string => `${type.charAt(0).toLowerCase()}${type.slice(1)}`;

export function graphqlReads(around: Around): readonly GraphqlCell[] {
  const { facts } = around.world;
  return [
    ...types.flatMap((type) => lists(type, around)),
    ...levels.flatMap((level) => [...related(level, around), linked(level, around)]),
    ...facts.rows.flatMap((row) => single(row, around)),
  ];
}

function lists(type: string, around: Around): readonly GraphqlCell[] {
  const { shows, decides } = shown(around, type);
  const sorted = [...shows].sort();
  const list = (path: string, given: string, rest: Partial<GraphqlCell> = {}): GraphqlCell => ({
    path,
    query: `{ x: ${lower(type)}List(limit: 1000${given}) { id text _version _cursor } }`,
    shows,
    decides,
    ...rest,
  });
  return [
    list('list', ''),
    list('sort', ', orderBy: [{text: ASC}]', { shows: sorted, ordered: true }),
    list('sort', ', orderBy: [{text: DESC}]', { shows: [...sorted].reverse(), ordered: true }),
    list('filter', ', where: {text: {like: "canary%"}}'),
    list('filter', ', where: {or: [{rank: {gte: 0}}, {boss: {null: true}}]}'),
    list('filter', ', where: {not: {text: {eq: "x"}}}'),
    list('filter by what nobody has', ', where: {rank: {gt: 99}}', { shows: [] }),
    list('offset', ', orderBy: [{text: ASC}], offset: 1', { shows: sorted.slice(1), ordered: true }),
    { path: 'count', query: `{ x: ${lower(type)}Count }`, shows: [], count: shows.length, decides },
    { path: 'count', query: `{ x: ${lower(type)}Count(where: {text: {like: "canary%"}}) }`, shows: [], count: shows.length, decides },
  ];
}

/** What is hidden is not there, nor what is asked for only through it. */
function related(level: Level, around: Around): readonly GraphqlCell[] {
  const { caller, world } = around;
  const { facts } = world;
  const { shows, decides } = shown(around, level);
  const at = levels.indexOf(level);
  const own = facts.rows.filter((row) => row.type === level && shows.includes(row.text));
  const isSeen = (row: Row): boolean => canRead(caller, row, facts);
  const below = (row: Row): readonly Row[] => [row, ...childrenOf(row, facts).filter(isSeen).flatMap(below)];
  const above = (row: Row): readonly Row[] => [row, ...(row.parent !== undefined && isSeen(row.parent) ? above(row.parent) : [])];
  const nest = (names: readonly string[], given: string): string =>
    names.reduceRight((inner, name) => `text ${name}${given} { ${inner} }`, 'text');
  const down = levels.slice(at, -1).map((each, index) => `${each}${levels[at + index + 1]}`);
  const up = levels
    .slice(0, at)
    .map((each, index) => `${each}${levels[index + 1]}`)
    .reverse();
  const cell = (path: string, given: string, fields: string, rows: readonly Row[]): GraphqlCell => ({
    path,
    query: `{ x: ${lower(level)}List(limit: 40${given}) { ${fields} } }`,
    shows: rows.map(({ text }) => text),
    decides,
  });
  const [child, parent] = [down[0], up[0]];
  const withChild = own.filter((row) => childrenOf(row, facts).some(isSeen));
  const withParent = own.filter((row) => row.parent !== undefined && isSeen(row.parent));
  const anyText = '{text: {like: "canary%"}}';
  return [
    cell('related, downwards', '', nest(down, '(limit: 6)'), own.flatMap(below)),
    cell('related, upwards', '', nest(up, ''), own.flatMap(above)),
    ...(child === undefined ? [] : [cell('filter by children', `, where: {${child}: ${anyText}}`, 'text', withChild)]),
    ...(parent === undefined
      ? []
      : [
          cell('filter by the parent', `, where: {${parent}: ${anyText}}`, 'text', withParent),
          cell('sort by the parent', `, orderBy: [{${parent}: {text: DESC}}]`, 'text', own),
        ]),
  ];
}

/** Links, and what is at their other ends. */
function linked(level: Level, around: Around): GraphqlCell {
  const { caller, world } = around;
  const { facts } = world;
  const { shows, decides } = shown(around, level);
  const teams = facts.links
    .filter(({ type, ends: [row, team] }) => type === `${level}Team` && shows.includes(row.text) && canRead(caller, team, facts))
    .flatMap(({ text, ends: [, team] }) => [text, team.text]);
  const query = `{ x: ${lower(level)}List(limit: 100) { text ${level}Team(limit: 50) { text } ${level}TeamLinks(limit: 50) { text Team { text } ${level} { text } } } }`;
  return { path: 'links', query, shows: [...shows, ...teams], decides };
}

function single(row: Row, { caller, world: { facts } }: Around): readonly GraphqlCell[] {
  const shows = decide(caller, 'read', row, 'flat', facts) === 'allowed' ? [row.text] : [];
  const cell = (path: string, given: string): GraphqlCell => ({
    path,
    query: `{ x: ${lower(row.type)}(${given}) { id text } }`,
    shows,
    decides: 1,
  });
  return [cell('single, by the identifier', `id: ${row.id}`), ...(row.parent === undefined ? [] : [byPath(row, facts, caller, cell)])];
}

/** A path leads through what may be read. */
function byPath(
  row: Row,
  facts: Around['world']['facts'],
  caller: Around['caller'],
  cell: (path: string, given: string) => GraphqlCell,
): GraphqlCell {
  const shows = decide(caller, 'read', row, 'nested', facts) === 'allowed' ? [row.text] : [];
  return { ...cell('single, by the path', `path: "${pathOf(row)}"`), shows };
}

export function graphqlWrites(around: Around): readonly GraphqlCell[] {
  const { facts } = around.world;
  let id = 2_000_000 + 100_000 * (callers.indexOf(around.caller) + 1);
  const next = (): number => {
    id += 1;
    return id;
  };
  return [...facts.rows.flatMap((row) => [...changes(row, around), ...children(row, around, next)]), ...roots(around, next)];
}

function changes(row: Row, { caller, world: { facts } }: Around): readonly GraphqlCell[] {
  const cell = (operation: 'update' | 'delete', path: 'flat' | 'nested', given: string): GraphqlCell => {
    const decision = decide(caller, operation, row, path, facts);
    const isAllowed = decision === 'allowed';
    const change = operation === 'update' ? `, changes: {rank: ${isAllowed ? 5 : deniedRank}}` : '';
    return {
      path: `${operation}, ${path}`,
      query: `mutation { x: ${operation}${row.type}(${given}${change}) { text } }`,
      shows: isAllowed ? [row.text] : [],
      ...refusal(decision),
      decides: 1,
    };
  };
  const names = [['flat', `id: ${row.id}`] as const, ...(row.parent === undefined ? [] : [['nested', `path: "${pathOf(row)}"`] as const])];
  return names.flatMap(([path, given]) => {
    const mayDelete = decide(caller, 'delete', row, path, facts) === 'allowed';
    return [cell('update', path, given), ...(mayDelete ? [] : [cell('delete', path, given)])];
  });
}

function children(row: Row, { caller, world: { facts } }: Around, id: () => number): readonly GraphqlCell[] {
  const type = levels[levels.findIndex((level) => level === row.type) + 1];
  if (row.type === 'Team' || type === undefined) return [];
  const boss = caller.email ?? 'nobody';
  const decision = decideCreate(caller, type, { boss }, row, facts, 'nested');
  const rank = decision === 'allowed' ? 5 : deniedRank;
  const input = `{id: ${id()}, text: "made", rank: ${rank}, boss: "${boss}"}`;
  const query = `mutation { x: create${type}(parent: "${pathOf(row)}", input: ${input}) { id } }`;
  return [{ path: 'create under a parent', query, shows: [], ...refusal(decision), decides: 1 }];
}

function roots({ caller, world: { facts } }: Around, id: () => number): readonly GraphqlCell[] {
  return (['A', 'Team'] as const).flatMap((type) =>
    [caller.email, 'other@example.com', undefined].map((boss): GraphqlCell => {
      const decision = decideCreate(caller, type, boss === undefined ? {} : { boss }, undefined, facts);
      const rank = decision === 'allowed' ? 5 : deniedRank;
      const named = boss === undefined ? '' : `, boss: "${boss}"`;
      const query = `mutation { x: create${type}(input: {id: ${id()}, text: "made", rank: ${rank}${named}}) { id } }`;
      return { path: 'create', query, shows: [], ...refusal(decision), decides: 1 };
    }),
  );
}

function refusal(decision: Decision): Pick<GraphqlCell, 'refused'> {
  return decision === 'allowed' ? {} : { refused: [statusOf[decision]] };
}

/** What differs from the oracle, in words. */
export async function graphqlFault(cell: GraphqlCell, { caller, world }: Around): Promise<string | undefined> {
  const request = { method: 'POST', target: '/graphql', body: { query: cell.query } };
  const { status, body, text } = await world.ask(caller, request);
  const wrong = (what: string): string => `${cell.path}, ${caller.name}: ${what}\n    ${cell.query}\n    ${status} ${text.slice(0, 300)}`;
  if (caller.email === undefined) return status === 401 && !canaries.test(text) ? undefined : wrong('is not 401');
  const refused: unknown = Reflect.get(Object(Reflect.get(Object(Reflect.get(Object(body), 'errors')), 0)), 'extensions');
  const code: unknown = Reflect.get(Object(refused), 'status');
  if (cell.refused === undefined ? refused !== undefined : !cell.refused.some((each) => each === code))
    return wrong(`${String(code)} in place of ${cell.refused?.join(' or ') ?? 'success'}`);
  const value: unknown = Reflect.get(Object(Reflect.get(Object(body), 'data')), 'x');
  if (cell.count !== undefined && value !== cell.count) return wrong(`counts ${String(value)} in place of ${cell.count}`);
  const found = text.match(canaries) ?? [];
  const [expected, seen] = [new Set(cell.shows), new Set<string>(found)];
  const [hidden, absent] = [[...seen].filter((each) => !expected.has(each)), [...expected].filter((each) => !seen.has(each))];
  if (hidden.length > 0) return wrong(`shows ${hidden.length} hidden rows`);
  if (absent.length > 0) return wrong(`lacks ${absent.length} of ${expected.size} rows`);
  return cell.ordered === true && found.join() !== cell.shows.join() ? wrong('is in another order') : undefined;
}
