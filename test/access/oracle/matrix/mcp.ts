// Tools and resources of assistants as one more path of the matrix: what each call must give by the oracle.

import { type Decision, decide, decideCreate, type Row, visible } from '../oracle.ts';
import type { Around } from './cells.ts';
import { callers, canaries, levels, pathOf, types } from './rows.ts';
import { deniedRank } from './writes.ts';

export interface McpCell {
  readonly path: string;
  readonly method: 'tools/call' | 'resources/read';
  readonly params: Readonly<Record<string, unknown>>;
  /** Texts of the rows that are seen. */
  readonly shows: readonly string[];
  /** Statuses, one of which is told; none where the call is done. */
  readonly refused?: readonly number[];
  readonly decides: number;
}

type Told = Pick<McpCell, 'shows' | 'decides'> & { readonly refused?: readonly number[] };

function tool(path: string, name: string, given: object, told: Told): McpCell {
  return { path, method: 'tools/call', params: { name, arguments: given }, ...told };
}

export function mcpReads(around: Around): readonly McpCell[] {
  return [...types.flatMap((type) => wholeType(type, around)), ...around.world.facts.rows.flatMap((row) => oneRow(row, around))];
}

function wholeType(type: string, { caller, world: { facts } }: Around): readonly McpCell[] {
  const rows = facts.rows.filter((each) => each.type === type);
  const seen = visible(caller, rows, facts);
  const [texts, decides] = [seen.map(({ text }) => text), rows.length];
  const sorted = [...texts].sort();
  const list = (path: string, given: object, shows = texts): McpCell =>
    tool(path, `m_${type}_list`, { limit: 100, ...given }, { shows, decides });
  const event = (name: string, given: object, shows = texts): McpCell =>
    tool(`event ${name}`, `m_${name}${type}`, given, { shows, decides });
  const bosses = [...new Set(rows.flatMap(({ boss }) => boss ?? []))];
  return [
    list('list', {}),
    list('list in an order', { orderBy: ['-rank', 'id'] }),
    ...bosses.map((boss) =>
      list(
        'list by an attribute',
        { where: { boss } },
        seen.filter((each) => each.boss === boss).map(({ text }) => text),
      ),
    ),
    event('all', {}),
    event('where', {}),
    event('count', {}, [...new Set([...sorted.slice(0, 1), ...sorted.slice(-1)])]),
    event('loop', {}),
    event('find', { q: 'common' }),
  ];
}

function oneRow(row: Row, { caller, world: { facts } }: Around): readonly McpCell[] {
  const { type, id, text } = row;
  const read = (path: 'flat' | 'nested'): Told => {
    const decision = decide(caller, 'read', row, path, facts);
    return { shows: decision === 'allowed' ? [text] : [], ...refusal(decision), decides: 1 };
  };
  const shows = decide(caller, 'read', row, 'flat', facts) === 'allowed' ? [text] : [];
  const uri = `platform://m/${type}/${id}`;
  return [
    tool('read by the identifier', `m_${type}_read`, { id }, read('flat')),
    tool('list by the text', `m_${type}_list`, { where: { text: `${text} common` } }, { shows, decides: 1 }),
    tool('event by', `m_by${type}`, { id }, { shows, decides: 1 }),
    { path: 'resource', method: 'resources/read', params: { uri }, ...read('flat') },
    ...(row.parent === undefined ? [] : [tool('read by the path', `m_${type}_read`, { path: pathOf(row) }, read('nested'))]),
  ];
}

export function mcpWrites({ caller, world: { facts } }: Around): readonly McpCell[] {
  let id = 4_000_000 + 100_000 * (callers.indexOf(caller) + 1);
  const next = (): number => {
    id += 1;
    return id;
  };
  const changes = facts.rows.flatMap((row): readonly McpCell[] => {
    const { type } = row;
    const update = (path: 'flat' | 'nested', address: object): McpCell => {
      const decision = decide(caller, 'update', row, path, facts);
      const isAllowed = decision === 'allowed';
      const told = { shows: isAllowed ? [row.text] : [], ...refusal(decision), decides: 1 };
      return tool(`update, ${path}`, `m_${type}_update`, { ...address, changes: { rank: isAllowed ? 5 : deniedRank } }, told);
    };
    // Only what is denied: what is deleted would be missed by the cells behind.
    const remove = (path: 'flat' | 'nested', address: object): readonly McpCell[] => {
      const decision = decide(caller, 'delete', row, path, facts);
      return decision === 'allowed'
        ? []
        : [tool(`delete, ${path}`, `m_${type}_delete`, address, { shows: [], ...refusal(decision), decides: 1 })];
    };
    const nested = { path: pathOf(row) };
    return [
      update('flat', { id: row.id }),
      ...remove('flat', { id: row.id }),
      ...(row.parent === undefined ? [] : [update('nested', nested), ...remove('nested', nested)]),
      ...children(row),
    ];
  });
  function children(row: Row): readonly McpCell[] {
    const type = levels[levels.findIndex((level) => level === row.type) + 1];
    if (row.type === 'Team' || type === undefined) return [];
    const boss = caller.email ?? 'nobody';
    return (['flat', 'nested'] as const).map((path) => {
      const decision = decideCreate(caller, type, { boss }, row, facts, path);
      const parent = path === 'flat' ? String(row.id) : pathOf(row);
      const given = { id: next(), text: 'made', rank: decision === 'allowed' ? 5 : deniedRank, boss, '@under': parent };
      return tool(`create under a parent, ${path}`, `m_${type}_create`, given, { shows: [], ...refusal(decision), decides: 1 });
    });
  }
  const roots = (['A', 'Team'] as const).flatMap((type) =>
    [caller.email, 'other@example.com', undefined].map((boss) => {
      const named = boss === undefined ? {} : { boss };
      const decision = decideCreate(caller, type, named, undefined, facts);
      const given = { id: next(), text: 'made', rank: decision === 'allowed' ? 5 : deniedRank, ...named };
      return tool('create', `m_${type}_create`, given, { shows: [], ...refusal(decision), decides: 1 });
    }),
  );
  return [...changes, ...roots];
}

function refusal(decision: Decision): { readonly refused?: readonly number[] } {
  if (decision === 'allowed') return {};
  return { refused: [decision === 'not found' ? 404 : 403] };
}

/** What differs from the oracle, in words. */
export async function mcpFault(cell: McpCell, { caller, world }: Around): Promise<string | undefined> {
  const { method, params } = cell;
  const headers = { accept: 'application/json, text/event-stream' };
  const body = { jsonrpc: '2.0', id: 1, method, params };
  const { status, text } = await world.ask(caller, { method: 'POST', target: '/mcp', body, headers });
  if (status !== 200) return `${cell.path}, ${caller.name}: ${status} ${text}`;
  const wrong = differenceOf(cell, text);
  return wrong && `${cell.path}, ${caller.name}: ${wrong}\n    ${JSON.stringify(params)}\n    ${text.slice(0, 300)}`;
}

const missing = -32_002;
const noTool = -32_602;

function differenceOf({ shows, refused, params }: McpCell, text: string): string | undefined {
  const { result, error } = JSON.parse(text);
  // Who may never create something has no tool for it.
  const isAbsent = error?.code === noTool && String(params['name']).endsWith('_create');
  const said =
    error?.code === missing ? 404 : isAbsent ? 403 : result?.isError === true ? JSON.parse(result.content[0].text).status : error?.code;
  const isRefused = isAbsent ? refused !== undefined : refused?.includes(said) === true;
  if (refused === undefined ? said !== undefined : !isRefused) return `${String(said)} in place of ${refused?.join(' or ') ?? 'success'}`;
  const asked = new Set(JSON.stringify(params).match(canaries) ?? []);
  const [expected, seen] = [new Set(shows), new Set(text.match(canaries) ?? [])];
  const hidden = [...seen].filter((each) => !expected.has(each) && !(said !== undefined && asked.has(each)));
  const absent = [...expected].filter((each) => !seen.has(each));
  if (hidden.length > 0) return `shows ${hidden.length} hidden rows`;
  return absent.length > 0 ? `lacks ${absent.length} of ${expected.size} rows` : undefined;
}
