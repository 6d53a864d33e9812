// Tools of agents as one more path of the matrix: what each call must give by the oracle, and a model that makes the calls it is told to.

import { LLMock } from '@copilotkit/aimock';
import type { Options } from '../../../support/app.ts';
import { type Decision, decide, decideCreate, type Row, visible } from '../oracle.ts';
import type { Around } from './cells.ts';
import { callers, canaries, levels, pathOf, types } from './rows.ts';
import { deniedRank } from './writes.ts';

export interface ToolCell {
  readonly path: string;
  /** Of the type whose agent is asked. */
  readonly type: string;
  readonly tool: string;
  readonly given: Readonly<Record<string, unknown>>;
  /** Texts of the rows that the model is shown. */
  readonly shows: readonly string[];
  /** Codes, one of which the model is told; none where the call is done. */
  readonly refused?: readonly string[];
  readonly decides: number;
}

/** One agent for each type, which has all that there is for it. */
export const agents = types
  .map((E) => {
    const events = ['all', 'by', 'where', 'count', 'loop', 'find', 'change', 'drop'].map((each) => `m/${each}${E}`);
    return `@public agent works${E} { instruction "Work.", tools [m/${E}, ${events.join(', ')}] }`;
  })
  .join('\n');

export function toolReads(around: Around): readonly ToolCell[] {
  return [...types.flatMap((type) => wholeType(type, around)), ...around.world.facts.rows.flatMap((row) => oneRow(row, around))];
}

function wholeType(type: string, { caller, world: { facts } }: Around): readonly ToolCell[] {
  const rows = facts.rows.filter((each) => each.type === type);
  const seen = visible(caller, rows, facts);
  const texts = seen.map(({ text }) => text);
  const sorted = [...texts].sort();
  const cell = (path: string, tool: string, given: object, shows = texts): ToolCell => ({
    path,
    type,
    tool,
    given: { ...given },
    shows,
    decides: rows.length,
  });
  const bosses = [...new Set(rows.flatMap(({ boss }) => boss ?? []))];
  return [
    cell('read', `m_${type}_read`, { limit: 50 }),
    ...bosses.map((boss) =>
      cell(
        'read by an attribute',
        `m_${type}_read`,
        { boss, limit: 50 },
        seen.filter((each) => each.boss === boss).map(({ text }) => text),
      ),
    ),
    cell('event that queries', `m_all${type}`, {}),
    cell('event that queries', `m_where${type}`, {}),
    cell('event that aggregates', `m_count${type}`, {}, [...new Set([...sorted.slice(0, 1), ...sorted.slice(-1)])]),
    cell('event that loops', `m_loop${type}`, {}),
    cell('event that searches', `m_find${type}`, { q: 'common' }),
  ];
}

function oneRow(row: Row, { caller, world: { facts } }: Around): readonly ToolCell[] {
  const { type, id, text } = row;
  const shows = decide(caller, 'read', row, 'flat', facts) === 'allowed' ? [text] : [];
  const cell = (path: string, tool: string, given: object): ToolCell => ({ path, type, tool, given: { ...given }, shows, decides: 1 });
  return [
    cell('read by the identifier', `m_${type}_read`, { id }),
    cell('read by the text', `m_${type}_read`, { text: `${text} common` }),
    cell('event that finds', `m_by${type}`, { id }),
    ...(row.parent === undefined ? [] : [cell('read by the path', `m_${type}_read`, { __path__: pathOf(row) })]),
  ];
}

export function toolWrites(around: Around): readonly ToolCell[] {
  const { caller, world } = around;
  const { facts } = world;
  let id = 6_000_000 + 100_000 * (callers.indexOf(caller) + 1);
  const next = (): number => {
    id += 1;
    return id;
  };
  return [...facts.rows.flatMap((row) => [...changes(row, around), ...children(row, around, next)]), ...roots(around, next)];
}

function changes(row: Row, { caller, world: { facts } }: Around): readonly ToolCell[] {
  const { type, id } = row;
  const update = (path: 'flat' | 'nested', given: object): ToolCell => {
    const decision = decide(caller, 'update', row, path, facts);
    const isAllowed = decision === 'allowed';
    return {
      path: `update, ${path}`,
      type,
      tool: `m_${type}_update`,
      given: { ...given, rank: isAllowed ? 5 : deniedRank },
      shows: isAllowed ? [row.text] : [],
      ...refusal(decision),
      decides: 1,
    };
  };
  // A workflow finds what its caller may read: nothing is changed, and nobody is told why.
  const byFlow = (operation: 'update' | 'delete', tool: string, given: object): ToolCell => {
    const decision = decide(caller, operation, row, 'flat', facts);
    const isAllowed = decision === 'allowed';
    const refused = decision === 'forbidden' ? refusal(decision) : {};
    return { path: `event: ${operation}`, type, tool, given: { ...given }, shows: isAllowed ? [row.text] : [], ...refused, decides: 1 };
  };
  const mayChange = decide(caller, 'update', row, 'flat', facts) === 'allowed';
  const mayDelete = decide(caller, 'delete', row, 'flat', facts) === 'allowed';
  return [
    update('flat', { id }),
    ...(row.parent === undefined ? [] : [update('nested', { __path__: pathOf(row) })]),
    byFlow('update', `m_change${type}`, { id, rank: mayChange ? 5 : deniedRank }),
    ...(mayDelete ? [] : [byFlow('delete', `m_drop${type}`, { id })]),
  ];
}

/** By the path of the parent, and by its identifier. */
function children(row: Row, { caller, world: { facts } }: Around, id: () => number): readonly ToolCell[] {
  const type = levels[levels.findIndex((level) => level === row.type) + 1];
  if (row.type === 'Team' || type === undefined) return [];
  const boss = caller.email ?? 'nobody';
  return (['flat', 'nested'] as const).map((path): ToolCell => {
    const decision = decideCreate(caller, type, { boss }, row, facts, path);
    const rank = decision === 'allowed' ? 5 : deniedRank;
    const parent = path === 'flat' ? String(row.id) : pathOf(row);
    const given = { id: id(), text: 'made', rank, boss, parent };
    return { path: `create under a parent, ${path}`, type, tool: `m_${type}_create`, given, shows: [], ...refusal(decision), decides: 1 };
  });
}

function roots({ caller, world: { facts } }: Around, id: () => number): readonly ToolCell[] {
  return (['A', 'Team'] as const).flatMap((type) =>
    [caller.email, 'other@example.com', undefined].map((boss): ToolCell => {
      const named = boss === undefined ? {} : { boss };
      const decision = decideCreate(caller, type, named, undefined, facts);
      const given = { id: id(), text: 'made', rank: decision === 'allowed' ? 5 : deniedRank, ...named };
      return { path: 'create', type, tool: `m_${type}_create`, given, shows: [], ...refusal(decision), decides: 1 };
    }),
  );
}

/** Who may never create something has no tool for it. */
function refusal(decision: Decision): Pick<ToolCell, 'refused'> {
  if (decision === 'allowed') return {};
  return { refused: decision === 'not found' ? ['instance-not-found', 'path-unknown'] : ['access-denied', 'path-unknown'] };
}

export interface CallingModel {
  readonly llm: Options['llm'];
  /** What the model was told of each call. */
  told(call: string): string | undefined;
  close(): Promise<unknown>;
}

/** Makes the calls that stand in the message, all at once. */
export async function callingModel(): Promise<CallingModel> {
  const peer = await LLMock.create({ port: 0, logLevel: 'silent' });
  const told = new Map<string, string>();
  peer.on({ predicate: () => true }, ({ messages }) => {
    const results = messages.filter(({ role }) => role === 'tool');
    for (const each of results) told.set(String(each.tool_call_id), String(each.content));
    if (results.length > 0) return { content: 'Done.' };
    peer.clearRequests();
    return { toolCalls: JSON.parse(String(messages.at(-1)?.content)) };
  });
  const plenty = { message: 1e6, tokens: 1e12, dailyTokens: 1e12, writes: 1e6 };
  return {
    llm: { provider: 'openai', model: 'calls', baseUrl: `${peer.url}/v1`, limits: plenty },
    told: (call) => told.get(call),
    close: () => peer.stop(),
  };
}

const width = 40;

/** What differs from the oracle, in words. */
export async function toolFaults(all: readonly ToolCell[], { caller, world }: Around, model: CallingModel): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const type of types) {
    const own = all.filter((each) => each.type === type);
    for (let at = 0; at < own.length; at += width) {
      const cells = own.slice(at, at + width);
      const idOf = (index: number): string => `call_${caller.name}_${type}_${at + index}`;
      const calls = cells.map(({ tool, given }, index) => ({ name: tool, arguments: JSON.stringify(given), id: idOf(index) }));
      const body = { message: JSON.stringify(calls) };
      const { status, text } = await world.ask(caller, { method: 'POST', target: world.surface.at(`works${type}`), body });
      if (status !== 200) throw new Error(`${caller.name}: ${status} ${text}`);
      cells.forEach((cell, index) => {
        const wrong = differenceOf(cell, model.told(idOf(index)) ?? '');
        if (wrong !== undefined)
          faults.push(
            `${cell.path}, ${caller.name}: ${wrong}\n    ${cell.tool} ${JSON.stringify(cell.given)}\n    ${model.told(idOf(index))}`,
          );
      });
    }
  }
  return faults;
}

function differenceOf({ shows, refused }: ToolCell, told: string): string | undefined {
  const error: unknown = Reflect.get(Object(told === '' ? null : JSON.parse(told)), 'error');
  if (refused === undefined ? error !== undefined : !refused.includes(String(error)))
    return `${String(error)} in place of ${refused?.join(' or ') ?? 'success'}`;
  const [expected, seen] = [new Set(shows), new Set(told.match(canaries) ?? [])];
  const [hidden, absent] = [[...seen].filter((each) => !expected.has(each)), [...expected].filter((each) => !seen.has(each))];
  if (hidden.length > 0) return `shows ${hidden.length} hidden rows`;
  return absent.length > 0 ? `lacks ${absent.length} of ${expected.size} rows` : undefined;
}
