// Cells that read: one instance, lists and their parameters, nested paths, trees, includes, links from both ends, query objects, generated events.

import type { Answer } from '../support/app.ts';
import { type Around, asks, type Cell, get, hiddenIn, likeMissing, placesOf, placeWith, samples } from './guarded-cells.ts';
import { containedBy, type EntityName, type Entry, pathOf, placeOf, type Tie } from './guarded-rows.ts';
import { eventRequests, type Request } from './guarded-world.ts';

type Made = Omit<Cell, 'surface' | 'entity'>;

/** Three levels, along both kinds of relationship and in both directions. */
const includes: Readonly<Record<EntityName, readonly string[]>> = {
  Org: ['OrgTeam', 'OrgTeam.TeamTask.TaskLabel', 'OrgPerson.OrgPerson.OrgTeam'],
  Team: ['OrgTeam', 'TeamTask.TaskLabel.TaskLabel', 'OrgTeam.OrgPerson.OrgPerson'],
  Task: ['TeamTask', 'TeamTask.OrgTeam.OrgPerson', 'TaskLabel.TaskLabel.TeamTask'],
  Person: ['OrgPerson', 'OrgPerson.OrgTeam.TeamTask', 'OrgPerson.OrgPerson.OrgPerson'],
  Label: ['TaskLabel', 'TaskLabel.TeamTask.OrgTeam', 'TaskLabel.TaskLabel.TaskLabel'],
};

export function readsOf(type: EntityName, around: Around): readonly Cell[] {
  const { surface } = around;
  const { seen, hidden } = samples(type, around);
  const made = [
    ...seen.flatMap((entry) => singleReads(entry, around)),
    ...hidden.flatMap((entry) => singleReads(entry, around)),
    ...lists(type, around),
    ...[...seen, ...hidden].flatMap((entry) => nestedLists(entry, around)),
    ...generated(type, [...seen, ...hidden], around),
    ...(surface.name === 'earlier' ? queries(type, hidden, around) : []),
  ];
  return made.map((each) => ({ ...each, surface: surface.name, entity: type }));
}

function singleReads(entry: Entry, { surface, sight }: Around): readonly Made[] {
  const isFree = sight.visible.entries.length > 0;
  const ways: readonly (readonly [path: string, make: (place: string) => Cell['run']])[] = [
    ['read', (place) => asks(get(surface.at(place)))],
    ['read of the head', (place) => asks({ method: 'HEAD', target: surface.at(place) })],
    ['read in transit', (place) => asks(get(surface.at(place), { accept: 'application/transit+json' }))],
    ['select', (place) => asks(get(`${surface.at(place)}?@select=rank`))],
    ['tree', (place) => asks(get(surface.tree(place)))],
    ['If-None-Match of any version', (place) => asks(get(surface.at(place), { 'if-none-match': '*' }))],
    ['If-None-Match of its version', (place) => withVersion(entry, surface.at(place), 'if-none-match')],
    ...includes[entry.type].map((path) => [`include`, (place: string) => asks(get(`${surface.at(place)}?@include=${path}`))] as const),
    ['a sub-path that is not there', (place) => asks(get(surface.at(`${place}/Nothing/Task`)))],
  ];
  const shows = new Set(ways.filter(([path]) => ['read', 'read in transit', 'tree', 'include'].includes(path)).map(([, make]) => make));
  return ways.flatMap(([path, make]) => placesOf(entry).map((place) => ({ path, ...at(entry, place, make) })));

  function at(own: Entry, place: string, make: (place: string) => Cell['run']): Omit<Made, 'path'> {
    const obstacle = place === placeOf(own) ? hiddenIn(own, sight) : sight.hidden.entries.find((each) => each === own);
    if (obstacle === undefined) return { run: make(place), ...(shows.has(make) && { status: [200], shows: [own.text] }) };
    const placed = (id: number | string) => (place === placeOf(own) ? placeWith(own, obstacle, id) : `${own.type}/${id}`);
    return { ...likeMissing(obstacle.id, (id) => make(placed(id))), status: [isFree ? 404 : 403, 404] };
  }
}

/** The version that is stored, whoever may know it. */
function withVersion(entry: Entry, target: string, header: string): Cell['run'] {
  return async (ask) => {
    const { headers } = await ask(get(`/m/${placeOf(entry)}`), 'system');
    return [await ask(get(target, { [header]: headers['etag'] ?? '"0"' }))];
  };
}

function lists(type: EntityName, { surface, sight }: Around): readonly Made[] {
  const mine = sight.visible.entries.filter((each) => each.type === type);
  const other = sight.hidden.entries.find((each) => each.type === type);
  const isFree = sight.visible.entries.length > 0;
  const list = (query: string) => asks(get(`${surface.at(type)}?${query}`));
  const shown = { shows: mine.map(({ text }) => text) };
  const queries: readonly (readonly [path: string, query: string])[] = [
    ['sort', '@sort=rank,-text'],
    ['sort', '@sort=-owner,text&@limit=3'],
    ['filter', 'text[like]=canary%25'],
    ['filter', 'rank[gt]=3&@count=true'],
    ['filter', 'owner=dan&@count=true'],
    ['filter', 'owner[ne]=ann&@count=true'],
    ['filter', 'id[between]=1002,5003'],
    ['filter', 'code[null]=false&@select=code'],
    ['count', '@count=true&@limit=1'],
    ['count', '@count=true&@offset=2&@limit=2'],
    ['select', '@select=text&@sort=text'],
    ['select', '@select=owner'],
    ...includes[type].map((path) => ['include', `@include=${path}`] as const),
    ['include', `@include=${includes[type].join(',')}&@select=rank&@limit=2`],
    ['a filter that does not fit', 'rank=x'],
    ['a filter of what is not there', 'nothing=1'],
    ...(other === undefined
      ? []
      : ([
          ['filter by what is hidden', `text=${other.text}&@count=true`],
          ['filter by what is hidden', `code[in]=${other.code},x&@count=true`],
          ['filter by what is hidden', `id=${other.id}&@count=true`],
          ['filter by what is hidden', `text[gte]=${other.text}&text[lte]=${other.text}`],
          ['filter by what is hidden', `__path__=${encodeURIComponent(pathOf(other))}`],
        ] as const)),
  ];
  const whole = isFree ? { status: [200], ...shown } : {};
  return [
    { path: 'list', run: list(''), ...whole },
    { path: 'count', run: list('@count=true'), ...(isFree ? { count: mine.length } : {}) },
    { path: 'cursor', run: pages(`${surface.at(type)}?@limit=2`) },
    { path: 'cursor', run: pages(`${surface.at(type)}?@limit=1&@sort=-rank,text`) },
    { path: 'cursor', run: pages(`${surface.at(type)}?@limit=2&@sort=owner&@count=true`) },
    ...queries.map(([path, query]) => ({ path, run: list(query) })),
    ...(containedBy[type] === undefined
      ? []
      : [{ path: 'an identifier of several', run: asks(get(surface.at(`${type}/${type === 'Team' ? 2777 : 3777}`))) }]),
  ];
}

/** Page after page, as far as the answers lead. */
export function pages(target: string): Cell['run'] {
  return async (ask) => {
    const answers: Answer[] = [];
    let next: string | undefined = target;
    while (next !== undefined && answers.length < 60) {
      const answer = await ask(get(next));
      answers.push(answer);
      next = /<([^>]*)>/.exec(answer.headers['link'] ?? '')?.[1];
    }
    return answers;
  };
}

const ways: readonly (readonly [from: EntityName, relationship: string, to: EntityName])[] = [
  ['Org', 'OrgTeam', 'Team'],
  ['Team', 'TeamTask', 'Task'],
  ['Task', 'TaskLabel', 'Label'],
  ['Label', 'TaskLabel', 'Task'],
  ['Org', 'OrgPerson', 'Person'],
  ['Person', 'OrgPerson', 'Org'],
];

function nestedLists(entry: Entry, { surface, sight }: Around): readonly Made[] {
  const obstacle = hiddenIn(entry, sight);
  const make = (rest: string) => (id: number | string) => {
    const place = obstacle === undefined ? placeOf(entry) : placeWith(entry, obstacle, id);
    return rest.includes('@limit') ? pages(surface.at(`${place}/${rest}`)) : asks(get(surface.at(`${place}/${rest}`)));
  };
  return ways
    .filter(([from]) => from === entry.type)
    .flatMap(([, relationship, to]) => {
      const collection = `${relationship}/${to}`;
      const path = containedBy[to]?.relationship === relationship ? 'nested list' : 'links from an end';
      const rests = ['', '?@count=true', '?@sort=-text&@limit=1', '?rank[gte]=0&@select=text', `?@include=${includes[to][1] ?? ''}`];
      // One of what is related, seen and not.
      const related = [...sight.visible.entries, ...sight.hidden.entries].filter(
        (each) => each.type === to && isRelated(each, relationship),
      );
      const shown = related.filter((each) => sight.visible.entries.includes(each) && isSeen(each, relationship)).map(({ text }) => text);
      const all = rests.map((rest): Made => {
        const run = make(`${collection}${rest}`);
        if (obstacle !== undefined) return { path, ...likeMissing(obstacle.id, run), status: [404, 403] };
        return { path, run: run(0), status: [200], ...(rest.includes('@limit') ? {} : { shows: shown }) };
      });
      const some = [
        related.find((each) => sight.hidden.entries.includes(each)),
        related.find((each) => !sight.hidden.entries.includes(each)),
      ];
      return [
        ...all,
        ...some.flatMap((each) => {
          if (each === undefined || each.id % 1000 === 777) return [];
          const isHidden = sight.hidden.entries.includes(each) && obstacle === undefined;
          const one = (id: number | string) => asks(get(surface.at(`${placeOf(entry)}/${collection}/${id}`)));
          return [{ path: `one of a ${path}`, ...(isHidden ? { ...likeMissing(each.id, one), status: [404] } : { run: one(each.id) }) }];
        }),
      ];
    });

  function isRelated(other: Entry, relationship: string): boolean {
    return isSeen(other, relationship) || sight.hidden.ties.some((tie) => joins(tie, other, relationship));
  }

  function isSeen(other: Entry, relationship: string): boolean {
    if (other.parent === entry && containedBy[other.type]?.relationship === relationship) return true;
    return sight.visible.ties.some((tie) => joins(tie, other, relationship));
  }

  function joins({ type, ends }: Tie, other: Entry, relationship: string): boolean {
    return type === relationship && ends.includes(entry) && ends.includes(other);
  }
}

/** Links at paths of their own. */
export function linkReads(around: Around): readonly Cell[] {
  const { surface, sight } = around;
  const isFree = sight.visible.entries.length > 0;
  return (['TaskLabel', 'OrgPerson'] as const).flatMap((type) => {
    const first = (ties: readonly Tie[]) => ties.find((each) => each.type === type);
    const [seen, hidden] = [first(sight.visible.ties), first(sight.hidden.ties)];
    const mine = sight.visible.ties.filter((each) => each.type === type);
    const [from, to] = type === 'TaskLabel' ? (['Task', 'Label'] as const) : (['Org', 'Person'] as const);
    const list = (query: string) => asks(get(`${surface.at(type)}?${query}`));
    const named = ({ parent, id }: Entry, entry: Entry) => encodeURIComponent(parent === undefined ? String(id) : pathOf(entry));
    const ends = (tie: Tie | undefined) =>
      tie === undefined
        ? []
        : [
            `${from}=${named(tie.ends[0], tie.ends[0])}`,
            `${to}=${named(tie.ends[1], tie.ends[1])}&@count=true`,
            `${to}[in]=${tie.ends[1].id}`,
          ];
    const made: readonly Made[] = [
      { path: 'list of links', run: list(''), ...(isFree ? { status: [200], shows: mine.map(({ text }) => text) } : {}) },
      { path: 'list of links', run: list('@count=true&@limit=2'), ...(isFree ? { count: mine.length } : {}) },
      { path: 'list of links', run: pages(`${surface.at(type)}?@limit=5&@sort=-text`) },
      { path: 'list of links', run: list(`@sort=${to}`) },
      { path: 'list of links', run: list('@select=text&@count=true') },
      ...[...ends(seen), ...ends(hidden)].map((query) => ({ path: 'links by their ends', run: list(query) })),
      ...(seen === undefined ? [] : [{ path: 'a link', run: asks(get(surface.at(`${type}/${seen.id}`))), shows: [seen.text] }]),
      ...(hidden === undefined
        ? []
        : [{ path: 'a link', ...likeMissing(hidden.id, (id) => asks(get(surface.at(`${type}/${id}`)))), status: [404, 403] }]),
    ];
    return made.map((each) => ({ ...each, surface: surface.name, entity: type }));
  });
}

/** `/q`. */
function queries(type: EntityName, hidden: readonly Entry[], around: Around): readonly Made[] {
  const query = (rest: object): Request => ({ method: 'POST', target: '/q', body: { Query: { from: `m/${type}`, ...rest } } });
  const all = query({});
  const mine = around.sight.visible.entries.filter((each) => each.type === type).map(({ text }) => text);
  const shows = around.sight.visible.entries.length > 0 ? { shows: mine } : {};
  const wheres = [
    ['>', 'rank', 3],
    ['or', ['like', 'text', 'canary%'], ['=', 'owner', 'dan']],
    ['not', ['=', 'owner', 'ann']],
    ['and', ['between', 'rank', 0, 9], ['<>', 'owner', 'bob']],
    ...hidden.flatMap(({ text, code }) => [
      ['=', 'text', text],
      ['in', 'code', code, 'x'],
    ]),
  ];
  return [
    { path: '/q', run: asks(all), ...shows },
    { path: '/q', run: asks(query({ 'order-by': ['rank', 'text'], limit: 3, offset: 1 })) },
    ...wheres.map((where) => ({ path: '/q', run: asks(query({ where, 'order-by': ['text'] })) })),
    ...hidden.map(({ id }) => ({ path: '/q', ...likeMissing(id, (each) => asks(query({ where: ['=', 'id', each] }))) })),
  ];
}

function generated(type: EntityName, entries: readonly Entry[], { surface, sight }: Around): readonly Made[] {
  if (surface.name === 'current') return [];
  const mine = sight.visible.entries.filter((each) => each.type === type).map(({ text }) => text);
  const all = eventRequests(surface, `LookupAll_${type}`);
  const one = (attributes: object) => eventRequests(surface, `Lookup_${type}`, { ...attributes });
  return [
    ...all.map((request) => ({
      path: 'generated events',
      run: asks(request),
      ...(sight.visible.entries.length > 0 ? { shows: mine } : {}),
    })),
    ...entries.flatMap((entry) => {
      const obstacle = sight.hidden.entries.includes(entry);
      return one({}).map((_, at): Made => {
        const run = (id: number | string) => asks(...one({ id }).slice(at, at + 1));
        return { path: 'generated events', ...(obstacle ? likeMissing(entry.id, run) : { run: run(entry.id) }) };
      });
    }),
    ...entries
      .filter(({ parent }) => parent !== undefined)
      .flatMap((entry) => [
        { path: 'generated events', run: asks(...one({ __path__: pathOf(entry) })) },
        {
          path: 'generated events',
          run: asks(...eventRequests(surface, `LookupAll_${type}`, { __path__: `${pathOf(entry.parent ?? entry)}/%` })),
        },
      ]),
  ];
}
