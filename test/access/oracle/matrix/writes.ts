// Paths that write: updates, creates of every kind, moves, and the same in workflows and generated events. What is denied would write rank 77.

import { eventRequests, type Request, type Tree } from '../../../scenarios/guarded-world.ts';
import { canRead, type Decision, decide, decideCreate, type Row } from '../oracle.ts';
import { type Around, type Cell, statusOf } from './cells.ts';
import { type Caller, callers, levels, pathOf, placeOf, relationshipTo } from './rows.ts';

/** Nothing is stored with it. */
export const deniedRank = 77;

export function writeCells(around: Around): readonly Cell[] {
  const { facts } = around.world;
  const ids = newIds(around);
  return [
    ...facts.rows.flatMap((row) => [...updates(row, around), ...flowUpdates(row, around), ...refusedDeletes(row, around)]),
    ...facts.rows.flatMap((row) => children(row, around, ids)),
    ...roots(around, ids),
    ...moves(around),
  ];
}

/** Each caller has numbers of their own. */
function newIds({ caller }: Around): () => number {
  let last = 100_000 * (callers.indexOf(caller) + 1);
  return () => {
    last += 1;
    return last;
  };
}

const cell = (path: string, request: Request, status: number | readonly number[], shows: readonly string[] = []): Cell => ({
  path,
  request,
  status,
  shows,
  decides: 1,
});

function createdStatus(decision: Decision, { world: { surface } }: Around): number {
  return decision === 'allowed' && surface.name === 'current' ? 201 : statusOf[decision];
}

export function updates(row: Row, { caller, world: { surface, facts } }: Around): readonly Cell[] {
  return (['flat', 'nested'] as const).flatMap((path) => {
    if (path === 'nested' && row.parent === undefined) return [];
    const decision = decide(caller, 'update', row, path, facts);
    const isAllowed = decision === 'allowed';
    const target = surface.at(path === 'flat' ? `${row.type}/${row.id}` : placeOf(row));
    const body = surface.body({ type: row.type, attributes: { rank: isAllowed ? 5 : deniedRank } });
    return [cell(`update, ${path}`, { method: 'PUT', target, body }, statusOf[decision], isAllowed ? [row.text] : [])];
  });
}

/** A workflow finds what its caller may read, and fails on what they may not write. */
function flowUpdates(row: Row, { caller, world: { surface, facts } }: Around): readonly Cell[] {
  const decision = decide(caller, 'update', row, 'flat', facts);
  const isAllowed = decision === 'allowed';
  const rank = isAllowed ? 5 : deniedRank;
  const found = statusOf[decision === 'not found' ? 'allowed' : decision];
  const shows = isAllowed ? [row.text] : [];
  const all = (path: string, name: string, attributes: object, status: number | readonly number[]): readonly Cell[] =>
    eventRequests(surface, name, { ...attributes }).map((request) => cell(path, request, status, shows));
  return [
    ...all('flow that updates', `change${row.type}`, { id: row.id, rank }, found),
    ...(surface.name === 'earlier' ? all('generated event', `Update_${row.type}`, { id: row.id, Data: { rank } }, [found, 404]) : []),
    ...(row.type === 'A' && surface.name === 'current'
      ? all(
          'flow that upserts',
          'putA',
          { id: row.id, rank, text: `${row.text} common`, ...(row.boss === undefined ? {} : { boss: row.boss }) },
          decision === 'not found' ? [403, 409] : found,
        )
      : []),
  ];
}

export function refusedDeletes(row: Row, { caller, world: { surface, facts } }: Around): readonly Cell[] {
  const refused = (['flat', 'nested'] as const).flatMap((path): readonly Cell[] => {
    const decision = decide(caller, 'delete', row, path, facts);
    if (decision === 'allowed' || (path === 'nested' && row.parent === undefined)) return [];
    const target = surface.at(path === 'flat' ? `${row.type}/${row.id}` : placeOf(row));
    return [cell(`delete, ${path}`, { method: 'DELETE', target }, statusOf[decision])];
  });
  const decision = decide(caller, 'delete', row, 'flat', facts);
  if (decision === 'allowed') return refused;
  const found = decision === 'not found' ? 200 : statusOf[decision];
  return [
    ...refused,
    ...eventRequests(surface, `drop${row.type}`, { id: row.id }).map((request) => cell('flow that deletes', request, found)),
    ...(surface.name === 'earlier'
      ? eventRequests(surface, `Delete_${row.type}`, { id: row.id }).map((request) => cell('generated event', request, [found, 404]))
      : []),
  ];
}

/** Rule 4: the parent is owned, whatever the caller's roles say of the child. */
function children(row: Row, around: Around, id: () => number): readonly Cell[] {
  const { caller, world } = around;
  const { surface, facts } = world;
  const type = levels[levels.findIndex((level) => level === row.type) + 1];
  if (row.type === 'Team' || type === undefined) return [];
  const boss = caller.email ?? 'nobody';
  const decision = decideCreate(caller, type, { boss }, row, facts);
  const rank = decision === 'allowed' ? 5 : deniedRank;
  const target = surface.at(`${placeOf(row)}/${relationshipTo(type)}/${type}`);
  const born = (): Tree => ({ type, attributes: { id: id(), text: 'made', rank, boss } });
  const status = createdStatus(decision, around);
  return [
    cell('create under a parent', { method: 'POST', target, body: surface.body(born()) }, status),
    cell('create of several', { method: 'POST', target, body: [surface.body(born()), surface.body(born())] }, status),
  ];
}

/** By role; whoever creates a root owns it, and so creates below it. The condition of a rule holds for the new row. */
function roots(around: Around, id: () => number): readonly Cell[] {
  const { caller, world } = around;
  const { surface, facts } = world;
  const target = surface.at('A');
  const cells = [caller.email, 'other@example.com', undefined].flatMap((boss): readonly Cell[] => {
    const decision = decideCreate(caller, 'A', boss === undefined ? {} : { boss }, undefined, facts);
    const rank = decision === 'allowed' ? 5 : deniedRank;
    const born = (type = 'A', related: Tree['related'] = {}): Tree => ({
      type,
      attributes: { id: id(), text: 'made', rank, ...(boss === undefined ? {} : { boss }) },
      related,
    });
    const deep = (): Tree => born('A', { AB: [born('B', { BC: [born('C', { CD: [born('D'), born('D')] })] })] });
    const status = createdStatus(decision, around);
    return [
      cell('create', { method: 'POST', target, body: surface.body(born()) }, status),
      cell('nested create', { method: 'POST', target, body: surface.body(deep()) }, status),
      cell('create of several', { method: 'POST', target, body: [surface.body(born()), surface.body(deep())] }, status),
      ...(surface.name === 'current' && caller.email !== undefined
        ? eventRequests(surface, 'putA', { id: id(), rank, text: 'made', ...(boss === undefined ? {} : { boss }) }).map((request) =>
            cell('flow that upserts', request, statusOf[decision]),
          )
        : []),
    ];
  });
  const teams = decideCreate(caller, 'Team', {}, undefined, facts);
  const team = surface.body({ type: 'Team', attributes: { id: id(), text: 'made', rank: teams === 'allowed' ? 5 : deniedRank } });
  return [...cells, cell('create', { method: 'POST', target: surface.at('Team'), body: team }, createdStatus(teams, around))];
}

/** Rights are those of a delete there and a create here. Only what is refused is asked: every row stays where it is. */
function moves(around: Around): readonly Cell[] {
  const { caller, world } = around;
  const { surface, facts } = world;
  return facts.rows.flatMap((row, at): readonly Cell[] => {
    const parents = facts.rows.filter((each) => each.type === row.parent?.type && each !== row.parent);
    const parent = parents[(at * 7) % Math.max(1, parents.length)];
    if (parent === undefined) return [];
    const request = {
      method: 'PUT',
      target: surface.at(`${row.type}/${row.id}`),
      body: surface.body({ type: row.type, attributes: { '@parent': pathOf(parent) } }),
    };
    const decision = decide(caller, 'delete', row, 'flat', facts);
    if (decision === 'not found' || decision === 'unauthenticated') return [cell('move', request, statusOf[decision])];
    if (!canRead(caller, parent, facts)) return [cell('move to a hidden parent', request, [422, 403])];
    const arrival = decideCreate(caller, row.type, row, parent, facts);
    if (decision === 'allowed' && (arrival === 'allowed' || arrival === 'not found')) return [];
    return [cell('move', request, 403)];
  });
}

/** In each chain one row goes first, with all below it, whoever may do what with those; then what it stands in, each deleted by one of those who may. */
export function deletions({ facts, surface }: Around['world']): readonly { readonly caller: Caller; readonly cell: Cell }[] {
  const chains = facts.rows.filter((row) => row.type === 'D').map(chainOf);
  return chains.flatMap((chain, nth) =>
    chain
      .slice(0, ((nth + Math.floor(nth / levels.length)) % levels.length) + 1)
      .reverse()
      .flatMap((row, at) => {
        const path = at % 2 === 0 ? 'flat' : 'nested';
        const able = callers.filter((caller) => decide(caller, 'delete', row, path, facts) === 'allowed');
        const caller = able[(nth + at) % able.length];
        if (caller === undefined) return [];
        const target = surface.at(path === 'flat' ? `${row.type}/${row.id}` : placeOf(row));
        return [{ caller, cell: cell('delete that is allowed', { method: 'DELETE', target }, 200, [row.text]) }];
      }),
  );
}

function chainOf(row: Row): readonly Row[] {
  return row.parent === undefined ? [row] : [...chainOf(row.parent), row];
}
