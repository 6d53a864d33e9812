// Cells about links between two instances that the caller sees: links that are hidden, that may not be made, changed or removed, and one's own.

import { type Around, asks, type Cell, get, hiddenIn, likeMissing } from './guarded-cells.ts';
import { type EntityName, type Entry, everyRow, pathOf, placeOf, type Tie } from './guarded-rows.ts';
import { type Ask, eventRequests, type Request, type Tree } from './guarded-world.ts';
import { created, sender, type Writing } from './guarded-writes.ts';

type Made = Omit<Cell, 'surface' | 'entity'>;
type LinkName = Tie['type'];

/** Those that join any number of instances. */
const links = ['TaskLabel', 'OrgPerson'] as const;

/** A link from one of its ends: what it is reached from, and what it leads to. */
interface Side {
  readonly from: Entry;
  readonly to: Entry;
}

const sidesOf = ({ ends: [one, other] }: Tie): readonly Side[] => [
  { from: one, to: other },
  { from: other, to: one },
];

/** Both ends are found at their places. */
const isBetweenSeen = ({ ends }: Tie, { sight }: Around): boolean =>
  ends.every((each) => hiddenIn(each, sight) === undefined && each.id % 1000 !== 777);

const nested = ({ from, to }: Side, type: LinkName, id: number | string = to.id): string => `${placeOf(from)}/${type}/${to.type}/${id}`;
const ofLink = (type: EntityName, attributes: object, rest: object = {}): Tree => ({ type, attributes: { ...rest, '@link': attributes } });

/** As a link at a path of its own names what it joins. */
const named = (entry: Entry): number | string => (entry.parent === undefined ? entry.id : pathOf(entry));

function endsOf(type: LinkName, [one, other]: readonly [Entry, Entry], rest: object): Tree {
  return { type, attributes: { [one.type]: named(one), [other.type]: named(other), text: 'made', ...rest } };
}

export function hiddenLinks(around: Around): readonly Cell[] {
  const { surface, sight } = around;
  return links.flatMap((type) => {
    const tie = sight.hidden.ties.find((each) => each.type === type && isBetweenSeen(each, around));
    if (tie === undefined) return [];
    const made = [...sidesOf(tie).flatMap((side) => atSide(side, tie, around)), ...atOwnPath(tie, around), ...inFlows(tie, around)];
    return made.map((each) => ({ ...each, surface: surface.name, entity: type }));
  });
}

/** What a hidden link leads to is not found by it, and nothing below that is. */
function atSide(side: Side, { type, text }: Tie, around: Around): readonly Made[] {
  const { surface } = around;
  const send = sender(around);
  const below = side.to.type === 'Person' || side.to.type === 'Org' ? 'OrgPerson/Person' : 'TaskLabel/Task';
  const ways: readonly (readonly [path: string, make: (place: string) => Request])[] = [
    ['read by a hidden link', (place) => send('GET', place)],
    ['read by a hidden link', (place) => send('HEAD', place)],
    ['read by a hidden link', (place) => send('GET', `${place}?@select=rank`)],
    ['read by a hidden link', (place) => get(surface.tree(place))],
    ['read below a hidden link', (place) => send('GET', `${place}/${below}`)],
    ['update by a hidden link', (place) => send('PUT', place, { type: side.to.type, attributes: { rank: 4 } })],
    ['update by a hidden link', (place) => send('PUT', place, { type: side.to.type, attributes: { rank: 4 } }, { 'if-match': '*' })],
    ['update of a hidden link', (place) => send('PUT', place, ofLink(side.to.type, { text: 'x' }))],
    ['update of a hidden link', (place) => send('PATCH', place, ofLink(side.to.type, { text: 'x' }, { rank: 4 }))],
    ['unlink of a hidden link', (place) => send('DELETE', place)],
    ['unlink of a hidden link', (place) => send('DELETE', place, undefined, { 'if-match': '*' })],
  ];
  const collection = `${placeOf(side.from)}/${type}/${side.to.type}`;
  return [
    ...ways.map(([path, make]) => ({
      path,
      ...likeMissing(side.to.id, (id) => asks(make(nested(side, type, id)))),
      status: [404],
    })),
    ...[`@count=true&id=${side.to.id}`, `${type}.text=${text}&@count=true`, `@include=${type}&@limit=1`].map((query) => ({
      path: 'list by hidden links',
      run: asks(send('GET', `${collection}?${query}`)),
      status: [200],
    })),
  ];
}

function atOwnPath({ type, id: own, text, ends }: Tie, around: Around): readonly Made[] {
  const { surface } = around;
  const send = sender(around);
  const change = { type, attributes: { text: 'x' } };
  const query = (where: readonly unknown[]): Request => ({ method: 'POST', target: '/q', body: { Query: { from: `m/${type}`, where } } });
  const made: readonly Made[] = [
    { path: 'update of a hidden link', ...likeMissing(own, (id) => asks(send('PUT', `${type}/${id}`, change))), status: [404] },
    {
      path: 'update of a hidden link',
      ...likeMissing(own, (id) => asks(send('PUT', `${type}/${id}`, change, { 'if-match': '*' }))),
      status: [404],
    },
    { path: 'delete of a hidden link', ...likeMissing(own, (id) => asks(send('DELETE', `${type}/${id}`))), status: [404] },
    { path: 'list of links', run: asks(send('GET', `${type}?text=${text}&@count=true`)), status: [200], count: 0 },
    { path: 'list of links', run: asks(send('GET', `${type}?${ends[1].type}=${ends[1].id}&@count=true`)), status: [200] },
  ];
  return surface.name === 'current' ? made : [...made, { path: '/q', run: asks(query(['=', 'text', text])), status: [200] }];
}

function inFlows({ type, text }: Tie, { surface }: Around): readonly Made[] {
  if (type !== 'OrgPerson') return [];
  return ['retie', 'untie'].flatMap((name) => {
    const requests = (given: number | string) => eventRequests(surface, name, { text: given });
    return requests(text).map((_, at) => ({
      path: 'flow that writes a hidden link',
      ...likeMissing(text, (given) => asks(...requests(given).slice(at, at + 1))),
      status: [200],
    }));
  });
}

/** Links that may not be made: `dan` is none of the callers. And those that may be read, but not changed or removed. */
export function deniedLinks(around: Around, isDenied: (tie: Tie) => boolean, isClosed: boolean): readonly Cell[] {
  const { surface } = around;
  return links.flatMap((type) => {
    const tie = around.sight.visible.ties.find((each) => each.type === type && isDenied(each) && isBetweenSeen(each, around));
    const own = around.sight.visible.ties.find((each) => each.type === type && !isDenied(each) && isBetweenSeen(each, around));
    const made = [
      ...deniedCreates(type, around).map((run) => ({ path: 'denied link', run })),
      ...(tie === undefined ? [] : deniedChanges(tie, around).map((run) => ({ path: 'denied change of a link', run }))),
      // Where no link may be made at all, it is not told that there is one.
      ...(tie === undefined || !isClosed ? [] : madeAgain(tie, around).map((run) => ({ path: 'denied link', run }))),
      ...(own === undefined ? [] : giveAway(own, around).map((run) => ({ path: 'link that is given away', run }))),
    ];
    return made.map((each) => ({ ...each, status: [403], surface: surface.name, entity: type }));
  });
}

/** What is linked is linked once more: at the path of the links, and from each end. */
function madeAgain({ type, ends, ...tie }: Tie, around: Around): readonly Cell['run'][] {
  const send = sender(around);
  return [
    send('POST', type, endsOf(type, ends, {})),
    ...sidesOf({ type, ends, ...tie }).map(({ from, to }) =>
      send('POST', `${placeOf(from)}/${type}/${to.type}`, ofLink(to.type, { text: 'made' }, { id: to.id })),
    ),
  ].map((request) => asks(request));
}

/** Two that nothing links. */
function freePair(type: LinkName, { sight }: Around): readonly [Entry, Entry] | undefined {
  const [start, end] = type === 'TaskLabel' ? (['Task', 'Label'] as const) : (['Org', 'Person'] as const);
  const seen = (name: EntityName) =>
    sight.visible.entries.filter((each) => each.type === name && hiddenIn(each, sight) === undefined && each.id % 1000 !== 777);
  for (const one of seen(start))
    for (const other of seen(end))
      if (!everyRow.ties.some((each) => each.type === type && each.ends[0] === one && each.ends[1] === other)) return [one, other];
  return undefined;
}

function deniedCreates(type: LinkName, around: Around): readonly Cell['run'][] {
  const { surface } = around;
  const pair = freePair(type, around);
  if (pair === undefined) return [];
  const [one, other] = pair;
  const send = sender(around);
  const owned = { text: 'made', owner: 'dan' };
  const several = (place: string, tree: Tree): Request => ({ method: 'POST', target: surface.at(place), body: [surface.body(tree)] });
  const sides = [
    { from: one, to: other },
    { from: other, to: one },
  ];
  const newborn: Tree = {
    type: other.type,
    attributes: { id: 6001, owner: 'ann', text: 'made', rank: 1 },
    related: { [type]: [ofLink(one.type, owned, { id: one.id })] },
  };
  return [
    send('POST', type, endsOf(type, pair, { owner: 'dan' })),
    send('POST', type, endsOf(type, pair, {})),
    several(type, endsOf(type, pair, { owner: 'dan' })),
    ...sides.flatMap(({ from, to }) => {
      const place = `${placeOf(from)}/${type}/${to.type}`;
      const tree = ofLink(to.type, owned, { id: to.id });
      return [send('POST', place, tree), several(place, tree)];
    }),
    send('POST', other.type, newborn),
    several(other.type, newborn),
    ...(type === 'OrgPerson' ? linkingEvents(one.id, other.id, around) : []),
  ].map((request) => asks(request));
}

/** Workflows that link what they find, what they make, and what they put. */
function linkingEvents(org: number, person: number, { surface }: Around): readonly Request[] {
  return [
    ...eventRequests(surface, 'tie', { org, person }),
    ...eventRequests(surface, 'relink', { org, person }),
    ...eventRequests(surface, 'enlist', { org, id: 6001 }),
  ];
}

function deniedChanges(tie: Tie, around: Around): readonly Cell['run'][] {
  const { type, id, text } = tie;
  const send = sender(around);
  return [
    ...sidesOf(tie).flatMap((side) => [
      send('PUT', nested(side, type), ofLink(side.to.type, { text: 'x' })),
      send('DELETE', nested(side, type)),
    ]),
    send('PUT', `${type}/${id}`, { type, attributes: { text: 'x' } }),
    send('DELETE', `${type}/${id}`),
    ...(type === 'OrgPerson' ? ['retie', 'untie'].flatMap((name) => eventRequests(around.surface, name, { text })) : []),
  ].map((request) => asks(request));
}

/** What is the caller's own before must be so after. */
function giveAway(tie: Tie, around: Around): readonly Cell['run'][] {
  const { type, id } = tie;
  const send = sender(around);
  return [
    ...sidesOf(tie).map((side) => send('PUT', nested(side, type), ofLink(side.to.type, { owner: 'dan' }))),
    send('PUT', `${type}/${id}`, { type, attributes: { owner: 'dan' } }),
  ].map((request) => asks(request));
}

/** Links of one's own are made, changed and removed beside those of others. They change the store, and are asked in this order. */
export function linkWrites(writings: readonly Writing[]): readonly Cell[] {
  const all = (make: (type: LinkName, writing: Writing) => readonly Made[]): readonly Cell[] =>
    writings.flatMap((writing) =>
      links.flatMap((type) => make(type, writing).map((each) => ({ ...each, surface: writing.surface.name, entity: type }))),
    );
  return [...all(taken), ...all(ownWrites), ...all(listed)];
}

function listed(type: LinkName, { surface }: Writing): readonly Made[] {
  return [{ path: 'links after writes', run: asks(get(`${surface.at(type)}?@count=true`)), status: [200] }];
}

function ownWrites(type: LinkName, writing: Writing): readonly Made[] {
  const { caller, sight, surface } = writing;
  const send = sender(writing);
  const mine = sight.visible.ties.filter((each) => each.type === type && each.owner === caller && isBetweenSeen(each, writing));
  // Not those of the other surface.
  const [tie, other] = mine.filter((_, at) => at % 2 === (surface.name === 'current' ? 0 : 1));
  const pair = freePair(type, writing);
  const [side, back] = tie === undefined ? [] : sidesOf(tie);
  const made: Made[] = [];
  const add = (path: string, request: Request, status: readonly number[]): void => {
    made.push({ path, run: asks(request), status });
  };
  if (tie !== undefined && side !== undefined && back !== undefined) {
    add('update of an own link', send('PUT', nested(side, type), ofLink(side.to.type, { text: 'mine' })), [200]);
    add('update of an own link', send('PUT', nested(back, type), ofLink(back.to.type, { text: 'mine too' })), [200]);
    add('update of an own link', send('PUT', `${type}/${tie.id}`, { type, attributes: { text: 'still mine' } }), [200]);
    add('unlink of an own link', send('DELETE', nested(side, type)), [200]);
    add('read by a link that was removed', send('GET', nested(side, type)), [404]);
    add('link', send('POST', type, endsOf(type, tie.ends, { owner: caller })), created(writing));
    add('unlink of an own link', send('DELETE', nested(back, type)), [200]);
  }
  if (other !== undefined) add('delete of an own link', send('DELETE', `${type}/${other.id}`), [200]);
  if (pair !== undefined) {
    const [one, end] = pair;
    const place = `${placeOf(one)}/${type}/${end.type}`;
    add('link', send('POST', place, ofLink(end.type, { text: 'made', owner: caller }, { id: end.id })), created(writing));
    add('unlink of an own link', send('DELETE', `${place}/${end.id}`), [200]);
  }
  return made;
}

/** Where a link is already, it is refused in the same words, whoever sees it. */
function taken(type: LinkName, writing: Writing): readonly Made[] {
  const { sight, caller, surface } = writing;
  const send = sender(writing);
  const first = (ties: readonly Tie[]) => ties.findLast((each) => each.type === type && isBetweenSeen(each, writing));
  const [known, hidden] = [first(sight.visible.ties), first(sight.hidden.ties)];
  if (known === undefined || hidden === undefined) return [];
  const same = (make: (tie: Tie) => Request): Made => ({
    path: '409 of a link',
    admitted: true,
    status: [409],
    run: async (ask: Ask) => {
      const [seen, unseen] = [await ask(make(known)), await ask(make(hidden))];
      // An error names the path that was asked.
      const [one, other] = [seen, unseen].map(({ status, text }) => `${status} ${text.replace(/"instance":"[^"]*"/, '')}`);
      if (one !== other) throw new Error(`${one} is not ${other}`);
      return [unseen];
    },
  });
  return [
    same(({ ends }) => send('POST', type, endsOf(type, ends, { owner: caller }))),
    same((tie) => {
      const [one, other] = tie.ends;
      return send('POST', `${placeOf(one)}/${type}/${other.type}`, ofLink(other.type, { text: 'made', owner: caller }, { id: other.id }));
    }),
    ...(type === 'OrgPerson'
      ? eventRequests(surface, 'relink', { org: hidden.ends[0].id, person: hidden.ends[1].id }).map((request) => ({
          path: 'flow that puts a hidden link',
          run: asks(request),
          status: [403],
        }))
      : []),
  ];
}
