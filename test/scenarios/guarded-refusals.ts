// Cells that write what the caller does not see, below it, or with a reference or link to it: each is answered as if there were nothing, and
// changes nothing. And writes of what may be read only.

import { type Around, asks, type Cell, get, hiddenIn, likeMissing, placesOf, placeWith, samples } from './guarded-cells.ts';
import { containedBy, type EntityName, type Entry, pathOf, placeOf } from './guarded-rows.ts';
import { eventRequests, type Request, type Tree } from './guarded-world.ts';

type Made = Omit<Cell, 'surface' | 'entity'>;
type Ways = readonly (readonly [path: string, make: (place: string) => Cell['run']])[];

/** Ways to write an instance at its place; all of them succeed where the caller may. */
function writesAt(type: EntityName, entry: Entry, { surface }: Around): Ways {
  const body = surface.body({ type, attributes: { rank: 4 } });
  const request = (method: string, place: string, sent?: unknown, headers: Request['headers'] = {}): Request => ({
    method,
    target: surface.at(place),
    headers,
    ...(sent === undefined ? {} : { body: sent }),
  });
  return [
    ['update', (place) => asks(request('PUT', place, body))],
    ['update', (place) => asks(request('PATCH', place, body))],
    ['update with If-Match', (place) => withVersion(entry, (etag) => request('PUT', place, body, { 'if-match': etag }))],
    ['update with If-Match', (place) => asks(request('PUT', place, body, { 'if-match': '*' }))],
    ['delete', (place) => asks(request('DELETE', place))],
    ['delete with If-Match', (place) => withVersion(entry, (etag) => request('DELETE', place, undefined, { 'if-match': etag }))],
  ];
}

/** Ways that are refused whoever asks; what is refused first must not depend on whether there is something. */
function faultsAt(type: EntityName, { surface }: Around): Ways {
  const put = (place: string, attributes: Tree['attributes'], headers = {}) =>
    asks({ method: 'PUT', target: surface.at(place), body: surface.body({ type, attributes }), headers });
  return [
    ['update that does not fit', (place) => put(place, { rank: 'x' })],
    ['update that does not fit', (place) => put(place, { nothing: 1 })],
    ['update that does not fit', (place) => put(place, { id: 1 })],
    ['update that does not fit', (place) => asks({ method: 'PUT', target: surface.at(place), body: 7 })],
    ['update with If-Match', (place) => put(place, { rank: 4 }, { 'if-match': '"1"' })],
    ['delete with If-Match', (place) => asks({ method: 'DELETE', target: surface.at(place), headers: { 'if-match': '"1"' } })],
  ];
}

function withVersion(entry: Entry, make: (etag: string) => Request): Cell['run'] {
  return async (ask) => {
    const { headers } = await ask(get(`/m/${placeOf(entry)}`), 'system');
    return [await ask(make(headers['etag'] ?? '"0"'))];
  };
}

export function refusalsOf(type: EntityName, around: Around): readonly Cell[] {
  const { surface, sight } = around;
  const isFree = sight.visible.entries.length > 0;
  const { seen, hidden } = samples(type, around);
  // A visible instance below a hidden one is not found at its nested place.
  const outside = seen.filter((entry) => hiddenIn(entry, sight) !== undefined);
  const made: readonly Made[] = [
    ...hidden.flatMap((entry) => placesOf(entry).flatMap((place) => written(entry, place))),
    ...outside.flatMap((entry) => written(entry, placeOf(entry))),
    ...hidden.flatMap((entry) => generated(entry)),
    ...hidden.flatMap((entry) => byParent(entry, around)),
    ...hidden.flatMap((entry) => below(entry, around)),
    ...hidden.flatMap((entry) => references(entry, around)),
  ];
  return made.map((each) => ({ ...each, surface: surface.name, entity: type }));

  function written(entry: Entry, place: string): readonly Made[] {
    const obstacle = place === placeOf(entry) ? (hiddenIn(entry, sight) ?? entry) : entry;
    const placed = (id: number | string) => (place === placeOf(entry) ? placeWith(entry, obstacle, id) : `${entry.type}/${id}`);
    const all = (ways: Ways, status?: readonly number[]) =>
      ways.map(([path, make]) => ({ path, ...likeMissing(obstacle.id, (id) => make(placed(id))), ...(status && { status }) }));
    return [...all(writesAt(type, entry, around), isFree ? [404] : [403, 404]), ...all(faultsAt(type, around))];
  }

  function generated(entry: Entry): readonly Made[] {
    if (surface.name === 'current') return [];
    const made = (name: string, rest: object) =>
      eventRequests(surface, `${name}_${type}`, {}).map((_, at): Made => {
        const run = (id: number | string) => asks(...eventRequests(surface, `${name}_${type}`, { id, ...rest }).slice(at, at + 1));
        return { path: 'generated events that write', ...likeMissing(entry.id, run) };
      });
    return [...made('Update', { Data: { rank: 4 } }), ...made('Delete', {})];
  }
}

const newborn = (type: EntityName, caller: string, rest: object = {}): Tree => ({
  type,
  attributes: { id: 6001, owner: caller, text: 'made', rank: 1, ...rest },
});

const childOf: Partial<Record<EntityName, EntityName>> = { Org: 'Team', Team: 'Task' };

/** Creates under a hidden parent, and links from a hidden instance. */
function below(entry: Entry, { surface, sight, caller }: Around): readonly Made[] {
  const obstacle = hiddenIn(entry, sight) ?? entry;
  const post = (rest: string, tree: Tree) => (id: number | string) =>
    asks({ method: 'POST', target: surface.at(`${placeWith(entry, obstacle, id)}/${rest}`), body: surface.body(tree) });
  const made: Made[] = [];
  const child = childOf[entry.type];
  if (child !== undefined) {
    const rest = `${containedBy[child]?.relationship}/${child}`;
    made.push({
      path: 'create under a hidden parent',
      ...likeMissing(obstacle.id, post(rest, newborn(child, caller))),
      status: [404, 403],
    });
    const wrong = { type: child, attributes: { rank: 'x' } };
    made.push({ path: 'create under a hidden parent', ...likeMissing(obstacle.id, post(rest, wrong)) });
    if (surface.name === 'earlier') {
      const place = (id: number | string) => `/${placeWith(entry, obstacle, id)}/${containedBy[child]?.relationship}`;
      const body = (id: number | string) => ({ Instance: newborn(child, caller).attributes, __path__: place(id) });
      made.push({
        path: 'create under a hidden parent',
        ...likeMissing(obstacle.id, (id) => asks(...eventRequests(surface, `Create_${child}`, body(id)))),
      });
    }
  }
  for (const [relationship, to] of linksFrom[entry.type]) {
    const known = sight.visible.entries.find((each) => each.type === to && each.parent === undefined)?.id;
    for (const rest of [known, sight.hidden.entries.find((each) => each.type === to && each.parent === undefined)?.id]) {
      if (rest === undefined) continue;
      const place = `${relationship}/${to}`;
      const tree = { type: to, attributes: { id: rest, '@link': { text: 'made' } } };
      made.push({ path: 'link from a hidden instance', ...likeMissing(obstacle.id, post(place, tree)), status: [404, 403] });
      const unlink = (id: number | string) =>
        asks({ method: 'DELETE', target: surface.at(`${placeWith(entry, obstacle, id)}/${place}/${rest}`) });
      made.push({ path: 'unlink from a hidden instance', ...likeMissing(obstacle.id, unlink), status: [404, 403] });
    }
  }
  return made;
}

/** Workflows that name a hidden parent, to put something below it or to look for what stands there. */
function byParent(entry: Entry, { surface, sight, caller }: Around): readonly Made[] {
  if (entry.type !== 'Org' && entry.type !== 'Team') return [];
  const obstacle = hiddenIn(entry, sight) ?? entry;
  const path = (id: number | string) => `path://${placeWith(entry, obstacle, id).replaceAll(/(^|\/)(?=[A-Z])/g, '$1m$$')}`;
  const named = (id: number | string) => id;
  const ofRoot = [
    ['e/belowRoot', named],
    ['e/insideRoot', named],
  ] as const;
  const ofTeam = [
    ['e/belowPath', path],
    ['e/insidePath', path],
    // By its identifier alone, what is hidden around it does not matter.
    ...(obstacle === entry
      ? ([
          ['e/below', named],
          ['e/inside', named],
        ] as const)
      : []),
  ] as const;
  return (entry.type === 'Org' ? ofRoot : ofTeam).flatMap(([name, parent]) => {
    const isCreate = name.startsWith('e/below');
    const child = isCreate ? { id: 6001, owner: caller } : {};
    const requests = (id: number | string) => eventRequests(surface, name, { parent: parent(id), ...child });
    return requests(obstacle.id).map((_, at) => ({
      path: isCreate ? 'flow that creates below' : 'flow that finds below',
      ...likeMissing(obstacle.id, (id) => asks(...requests(id).slice(at, at + 1))),
    }));
  });
}

const linksFrom: Readonly<Record<EntityName, readonly (readonly [string, EntityName])[]>> = {
  Org: [['OrgPerson', 'Person']],
  Team: [],
  Task: [['TaskLabel', 'Label']],
  Person: [['OrgPerson', 'Org']],
  Label: [['TaskLabel', 'Task']],
};

/** References and link ends that are hidden, from what the caller sees. */
function references(entry: Entry, around: Around): readonly Made[] {
  const { surface, sight, caller } = around;
  const seen = (type: EntityName) =>
    sight.visible.entries.find((each) => each.type === type && hiddenIn(each, sight) === undefined && each.id % 1000 !== 777);
  const made: Made[] = [];
  const send = (method: string, place: string, tree: Tree): Request => ({ method, target: surface.at(place), body: surface.body(tree) });
  const add = (path: string, make: (id: number | string) => readonly Request[], status: readonly number[] = [422]): void => {
    for (const at of make(0).keys())
      made.push({ path, ...likeMissing(entry.id, (id) => asks(...make(id).slice(at, at + 1))), ...(status.length > 0 && { status }) });
  };
  for (const [relationship, to] of linksFrom[entry.type]) {
    const other = seen(to);
    if (other === undefined) continue;
    const named = ({ parent, id }: Entry) => (parent === undefined ? id : pathOf(other));
    const own = (id: number | string) => (entry.parent === undefined ? id : pathOf(entry).replace(/\d+$/, String(id)));
    const ends = (id: number | string) => ({ [entry.type]: own(id), [to]: named(other), text: 'made' });
    add('link with a hidden instance', (id) => [send('POST', relationship, { type: relationship, attributes: ends(id) })]);
    const nested = `${placeOf(other)}/${relationship}/${entry.type}`;
    const tree = (id: number | string) => ({ type: entry.type, attributes: { id, '@link': { text: 'made' } } });
    add('link with a hidden instance', (id) => [send('POST', nested, tree(id))]);
    add('unlink a hidden instance', (id) => [{ method: 'DELETE', target: surface.at(`${nested}/${id}`) }], [404]);
    const change = (id: number | string) => send('PUT', `${nested}/${id}`, { type: entry.type, attributes: { '@link': { text: 'x' } } });
    add('update of a hidden link', (id) => [change(id)], [404]);
    if (other.parent === undefined && entry.parent === undefined) {
      const tied = (id: number | string) => ({
        ...newborn(to, caller),
        related: { [relationship]: [{ type: entry.type, attributes: { id } }] },
      });
      // Where the new instance itself may not be made, that is said first.
      add('nested create with a hidden instance', (id) => [send('POST', to, tied(id))], [403, 422]);
      const [org, person] = entry.type === 'Org' ? ['org', 'person'] : ['person', 'org'];
      add('flow that links', (id) => eventRequests(surface, 'tie', { [org]: id, [person]: other.id }), []);
    }
  }
  const moved = childOf[entry.type] && seen(childOf[entry.type] ?? 'Task');
  if (moved !== undefined) {
    const parent = (id: number | string) => ({ '@parent': pathOf(entry).replace(/\d+$/, String(id)) });
    add('move under a hidden parent', (id) => [send('PUT', placeOf(moved), { type: moved.type, attributes: parent(id) })], []);
  }
  for (const [relationship, to] of linksFrom[entry.type].filter(([, end]) => containedBy[end] === undefined)) {
    const tied = (id: number | string) =>
      surface.body({ ...newborn(to, caller), related: { [relationship]: [{ type: entry.type, attributes: { id } }] } });
    add('create of several with a hidden instance', (id) => [{ method: 'POST', target: surface.at(to), body: [tied(id)] }], []);
  }
  if (entry.type === 'Person') {
    const [team, task] = [seen('Team'), seen('Task')];
    if (team !== undefined) {
      const child = (id: number | string) => newborn('Task', caller, { lead: id });
      add('create with a hidden reference', (id) => [send('POST', `${placeOf(team)}/TeamTask/Task`, child(id))]);
      add('flow that refers', (id) => eventRequests(surface, 'refer', { team: team.id, id: 6001, lead: id, owner: caller }), []);
    }
    if (task !== undefined) {
      add('update with a hidden reference', (id) => [send('PUT', placeOf(task), { type: 'Task', attributes: { lead: id } })]);
      add('flow that refers', (id) => eventRequests(surface, 'point', { task: task.id, lead: id }), []);
    }
  }
  if (entry.type === 'Org')
    add('flow that creates below', (id) => eventRequests(surface, 'under', { parent: id, id: 6001, owner: caller }), []);
  return made;
}

/** Writes of what may be read, but not written. */
export function denialsOf(type: EntityName, around: Around, isDenied: (entry: Entry) => boolean): readonly Cell[] {
  const { surface, sight, caller } = around;
  const entry = sight.visible.entries.find((each) => each.type === type && each.id % 1000 !== 777 && isDenied(each));
  if (entry === undefined) return [];
  const by = containedBy[type];
  const under = by === undefined || entry.parent === undefined ? type : `${placeOf(entry.parent)}/${by.relationship}/${type}`;
  const create = { method: 'POST', target: surface.at(under), body: surface.body(newborn(type, 'dan')) };
  const events = [
    ...eventRequests(surface, `change${type}`, { id: entry.id, rank: 4 }),
    ...eventRequests(surface, `drop${type}`, { id: entry.id }),
    ...(surface.name === 'current' ? [] : eventRequests(surface, `Update_${type}`, { id: entry.id, Data: { rank: 4 } })),
    ...(surface.name === 'current' ? [] : eventRequests(surface, `Delete_${type}`, { id: entry.id })),
    ...(type === 'Label' ? eventRequests(surface, 'put', { id: entry.id, owner: caller, rank: 4 }) : []),
    ...(type === 'Label' ? eventRequests(surface, 'make', { id: 6001, owner: 'dan', code: 'c' }) : []),
  ];
  const made: readonly Made[] = [
    ...placesOf(entry).flatMap((place) =>
      writesAt(type, entry, around).map(([path, make]) => ({ path: `denied ${path}`, run: make(place) })),
    ),
    { path: 'denied create', run: asks(create) },
    ...events.map((request) => ({ path: 'denied in a flow', run: asks(request) })),
  ];
  return made.map((each) => ({ ...each, status: [403], surface: surface.name, entity: type }));
}
