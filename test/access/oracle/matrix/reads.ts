// Paths that read: one instance, lists with all that they take, nested paths, trees, includes, links from both ends, queries and events.

import { eventRequests, type Request } from '../../../scenarios/guarded-world.ts';
import { canRead, decide, type Link, type Row, reaches } from '../oracle.ts';
import { type Around, type Cell, shown, statusOf } from './cells.ts';
import { childrenOf, type Level, levels, placeOf, relationshipTo, types } from './rows.ts';

const get = (target: string): Request => ({ method: 'GET', target });

export function readCells(around: Around): readonly Cell[] {
  const { facts } = around.world;
  return [
    ...types.flatMap((type) => lists(type, around)),
    ...levels.flatMap((level) => [...related(level, around), ...links(level, around)]),
    ...facts.rows.flatMap((row) => single(row, around)),
    ...facts.rows.flatMap((row) => nested(row, around)),
    ...types.flatMap((type) => events(type, around)),
  ];
}

export function lists(type: string, around: Around): readonly Cell[] {
  const all = shown(around, type);
  const { surface, facts } = around.world;
  const list = (path: string, query: string, rest: Partial<Cell> = {}): Cell => ({
    path,
    request: get(`${surface.at(type)}?${query}`),
    ...all,
    ...rest,
  });
  const texts = facts.rows.filter((each) => each.type === type).map(({ text }) => `${text}%20common`);
  const sorted = [...all.shows].sort();
  const none = { shows: [] };
  return [
    list('list', ''),
    list('sort', '@sort=text', { shows: sorted, ordered: true }),
    list('sort', '@sort=-text', { shows: [...sorted].reverse(), ordered: true }),
    list('filter', 'text[like]=canary%25'),
    list('filter', 'rank[gte]=0&text[ne]=x'),
    list('filter', '@or=(rank[gte]=0,boss[null]=true)'),
    list('filter by text', `text[in]=${texts.join()}`),
    list('filter by text', `text[ilike]=CANARY%25`),
    list('filter by what nobody has', 'rank[gt]=99&@count=true', { ...none, ...(all.status === 200 ? { count: 0 } : {}) }),
    list('count', '@count=true', all.status === 200 ? { count: all.shows.length } : {}),
    list('count', '@count=true&@limit=1&@sort=text', {
      shows: sorted.slice(0, 1),
      ...(all.status === 200 ? { count: sorted.length } : {}),
    }),
    list('cursor', '@limit=5', { pages: true }),
    list('cursor', '@limit=7&@sort=-text', { pages: true, shows: [...sorted].reverse(), ordered: true }),
    list('select', '@select=text'),
    list('select', '@select=rank', none),
    list('search', '@search=common'),
    list('search', '@search=common&@count=true&@limit=2&@sort=text', {
      shows: sorted.slice(0, 2),
      ...(all.status === 200 ? { count: sorted.length } : {}),
    }),
  ];
}

/** Along contains, in both directions: what is hidden is not there, nor what can be reached only through it. */
function related(level: Level, around: Around): readonly Cell[] {
  const { caller, world } = around;
  const { surface, facts } = world;
  const all = shown(around, level);
  const at = levels.indexOf(level);
  const [downwards, upwards] = [levels.slice(at + 1), levels.slice(0, at).reverse()];
  const own = facts.rows.filter((row) => row.type === level && all.shows.includes(row.text));
  const below = (row: Row): readonly Row[] => [
    row,
    ...childrenOf(row, facts)
      .filter((each) => canRead(caller, each, facts))
      .flatMap(below),
  ];
  const above = (row: Row): readonly Row[] => [
    row,
    ...(row.parent !== undefined && canRead(caller, row.parent, facts) ? above(row.parent) : []),
  ];
  const texts = (rows: readonly Row[]): readonly string[] => rows.map(({ text }) => text);
  const cell = (path: string, query: string, rows: readonly Row[]): Cell => ({
    path,
    request: get(`${surface.at(level)}?${query}`),
    ...all,
    shows: texts(rows),
  });
  const downPath = downwards.map(relationshipTo).join('.');
  const upPath = [level, ...upwards].map(relationshipTo).slice(0, upwards.length).join('.');
  const [child, parent] = [downwards[0], upwards[0]];
  return [
    ...(child === undefined
      ? []
      : [
          cell(
            'include',
            `@include=${relationshipTo(child)}`,
            own.flatMap((row) => below(row).filter((each) => each === row || each.parent === row)),
          ),
          cell('include', `@include=${downPath}`, own.flatMap(below)),
          cell(
            'filter along',
            `${relationshipTo(child)}.${child}.text[like]=canary%25`,
            own.filter((row) => below(row).length > 1),
          ),
        ]),
    ...(parent === undefined
      ? []
      : [
          cell('include', `@include=${upPath}`, own.flatMap(above)),
          cell(
            'filter along',
            `${relationshipTo(level)}.${parent}.text[like]=canary%25`,
            own.filter((row) => above(row).length > 1),
          ),
        ]),
    ...facts.rows
      .filter((row) => row.type === level)
      .map((row): Cell => {
        const decision = decide(caller, 'read', row, 'flat', facts);
        const isSeen = decision === 'allowed';
        const decides = isSeen ? below(row).length : 1;
        return {
          path: 'tree',
          request: get(surface.tree(`${level}/${row.id}`)),
          status: statusOf[decision],
          shows: isSeen ? texts(below(row)) : [],
          decides,
        };
      }),
  ];
}

export function single(row: Row, { caller, world: { surface, facts } }: Around): readonly Cell[] {
  return (['flat', 'nested'] as const).flatMap((path): readonly Cell[] => {
    if (path === 'nested' && row.parent === undefined) return [];
    const decision = decide(caller, 'read', row, path, facts);
    const target = surface.at(path === 'flat' ? `${row.type}/${row.id}` : placeOf(row));
    const [status, shows] = [statusOf[decision], decision === 'allowed' ? [row.text] : []];
    return [
      { path: `read, ${path}`, request: get(target), status, shows, decides: 1 },
      // Its text is dropped where it is sent, not where it is made.
      { path: `head, ${path}`, request: { method: 'HEAD', target }, status, shows, decides: 1 },
    ];
  });
}

/** Children of an instance, at its nested path. */
export function nested(row: Row, { caller, world: { surface, facts } }: Around): readonly Cell[] {
  const isOpen = reaches(caller, row, facts);
  const status = caller.email === undefined ? 401 : isOpen ? 200 : 404;
  return facts.model.entities.flatMap(({ name, within }) => {
    if (within?.parent !== row.type) return [];
    const target = surface.at(`${placeOf(row)}/${within.relationship}/${name}`);
    const children = childrenOf(row, facts).filter(({ type }) => type === name);
    const shows = isOpen ? children.filter((each) => canRead(caller, each, facts)).map(({ text }) => text) : [];
    return [
      { path: 'nested list', request: get(target), status, shows, decides: 1 },
      {
        path: 'nested list',
        request: get(`${target}?@count=true&text[like]=canary%25`),
        status,
        shows,
        decides: 1,
        ...(status === 200 ? { count: shows.length } : {}),
      },
    ];
  });
}

/** A link is seen where both of its ends are. */
function links(level: Level, { caller, world: { surface, facts } }: Around): readonly Cell[] {
  const type = `${level}Team`;
  const all = facts.links.filter((each) => each.type === type);
  const isSeen = ({ ends }: Link): boolean => ends.every((end) => canRead(caller, end, facts));
  const status = caller.email === undefined ? 401 : 200;
  const seen = all.filter(isSeen).map(({ text }) => text);
  const fromEnd = (row: Row, other: (link: Link) => Row, name: string): Cell => {
    const isOpen = reaches(caller, row, facts);
    const found = isOpen ? all.filter((each) => each.ends.includes(row) && isSeen(each)) : [];
    return {
      path: 'links from an end',
      request: get(surface.at(`${placeOf(row)}/${type}/${name}`)),
      status: caller.email === undefined ? 401 : isOpen ? 200 : 404,
      // A linked instance has the attributes of the link with it.
      shows: found.flatMap((each) => [other(each).text, each.text]),
      decides: 1,
    };
  };
  const rows = [...new Set(all.map(({ ends: [row] }) => row))];
  const teams = facts.rows.filter((each) => each.type === 'Team');
  return [
    { path: 'list of links', request: get(surface.at(type)), status, shows: seen, decides: all.length },
    {
      path: 'list of links',
      request: get(`${surface.at(type)}?@count=true&@sort=-text`),
      status,
      shows: [...seen].sort().reverse(),
      ordered: true,
      decides: all.length,
      ...(status === 200 ? { count: seen.length } : {}),
    },
    ...rows.map((row) => fromEnd(row, ({ ends }) => ends[1], 'Team')),
    ...teams.map((team) => fromEnd(team, ({ ends }) => ends[0], level)),
  ];
}

/** Workflows and dataflows run as their caller, generated events and query objects too. */
function events(type: string, around: Around): readonly Cell[] {
  const { surface } = around.world;
  const all = shown(around, type);
  const event = (path: string, name: string, attributes = {}, rest: Partial<Cell> = {}): readonly Cell[] =>
    eventRequests(surface, name, attributes).map((request) => ({ path, request, ...all, ...rest }));
  const sorted = [...all.shows].sort();
  const query = (rest: object): Request => ({ method: 'POST', target: '/q', body: { Query: { from: `m/${type}`, ...rest } } });
  // Whoever is signed in sees all that the system sees.
  const whole = all.status === 200 ? { shows: around.world.facts.rows.filter((each) => each.type === type).map(({ text }) => text) } : {};
  if (surface.name === 'earlier')
    return [
      ...event('dataflow that makes one that runs as the system', `sysBy${type}`, {}, whole),
      ...event('dataflow as the system that makes one that runs as its caller', `back${type}`),
      ...event('dataflow that queries', `all${type}`),
      ...event('dataflow that loops', `loop${type}`),
      ...event('generated event', `LookupAll_${type}`),
      { path: '/q', request: query({}), ...all },
      { path: '/q', request: query({ where: ['like', 'text', 'canary%'], 'order-by': ['text'] }), ...all, shows: sorted, ordered: true },
      {
        path: '/q',
        request: query({ where: ['not', ['=', 'rank', 99]], 'order-by': ['text'], limit: 3 }),
        ...all,
        shows: sorted.slice(0, 3),
      },
    ];
  return [
    ...event('workflow that runs as the system', `sys${type}`, {}, whole),
    ...event('workflow that makes one that runs as the system', `sysBy${type}`, {}, whole),
    ...event('workflow as the system that makes one that runs as its caller', `back${type}`),
    ...event('workflow that queries', `all${type}`),
    ...event('workflow that queries', `where${type}`, {}, { shows: sorted, ordered: true }),
    ...event('workflow that aggregates', `count${type}`, {}, { shows: [...new Set([...sorted.slice(0, 1), ...sorted.slice(-1)])] }),
    ...event('workflow that loops', `loop${type}`),
    ...event('workflow that searches', `find${type}`, { q: 'common' }),
  ];
}
