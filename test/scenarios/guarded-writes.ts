// Cells that write what the caller may write, beside rows that they do not see: updates, creates, trees, links, upserts, cascades. They change the
// store, and are asked in this order.

import { type Around, asks, type Cell, get, hiddenIn } from './guarded-cells.ts';
import { containedBy, type EntityName, type Entry, entities, placeOf } from './guarded-rows.ts';
import { type Ask, eventRequests, type Request, type Tree } from './guarded-world.ts';

type Made = Omit<Cell, 'surface'>;

export interface Writing extends Around {
  /** Whether what is created is the caller's own, and may be. */
  readonly creates: boolean;
  /** Identifiers of what is created begin here. */
  readonly first: number;
}

export function writesOf(writing: Writing): readonly Cell[] {
  const { surface } = writing;
  const made = [
    ...entities.flatMap((type) => updates(type, writing)),
    ...entities.flatMap((type) => duplicates(type, writing)),
    ...creates(writing),
    ...linking(writing),
    ...events(writing),
    ...entities.map((type) => ({ path: 'list after writes', entity: type, run: asks(get(`${surface.at(type)}?@count=true`)) })),
  ];
  return made.map((each) => ({ ...each, surface: surface.name }));
}

/** Found at every one of its places, and not shared with the cells of the other surface. */
function own(type: EntityName, { sight, surface }: Around): readonly Entry[] {
  const all = sight.visible.entries.filter((each) => each.type === type && hiddenIn(each, sight) === undefined && each.id % 1000 !== 777);
  return all.filter((_, at) => at % 2 === (surface.name === 'current' ? 0 : 1));
}

export function sender({ surface }: Around) {
  return (method: string, place: string, tree?: Tree, headers: Request['headers'] = {}): Request => ({
    method,
    target: surface.at(place),
    headers,
    ...(tree === undefined ? {} : { body: surface.body(tree) }),
  });
}

export const created = ({ surface }: Around): readonly number[] => [surface.name === 'current' ? 201 : 200];

function updates(type: EntityName, writing: Writing): readonly Made[] {
  const send = sender(writing);
  const [entry] = own(type, writing);
  if (entry === undefined) return [];
  const places = [...new Set([`${type}/${entry.id}`, placeOf(entry)])];
  const change = (attributes: Tree['attributes']): Tree => ({ type, attributes });
  const cell = (path: string, run: Cell['run'], status: readonly number[]): Made => ({ path, entity: type, run, status });
  return [
    ...places.flatMap((place, at) => [
      cell('update of own', asks(send('PUT', place, change({ rank: 5 + at }))), [200]),
      cell('update of own', asks(send('PATCH', place, change({ rank: 6 + at }))), [200]),
      cell('update of own with If-Match', asks(send('PUT', place, change({ rank: 1 }), { 'if-match': '"1"' })), [412]),
      cell(
        'update of own with If-Match',
        async (ask) => {
          const { headers } = await ask(send('GET', place));
          return [await ask(send('PUT', place, change({ rank: 7 }), { 'if-match': headers['etag'] ?? '' }))];
        },
        [200],
      ),
      cell(
        'If-None-Match of own',
        async (ask) => {
          const { headers } = await ask(send('GET', place));
          return [await ask(send('GET', place, undefined, { 'if-none-match': headers['etag'] ?? '' }))];
        },
        [304],
      ),
    ]),
    cell('what was read is sent back', sentBack(send, entry, writing), [200]),
    // What is the caller's own before must be so after.
    ...(type === 'Label' && writing.creates
      ? [cell('update that gives away', asks(send('PUT', placeOf(entry), change({ owner: 'dan' }))), [403])]
      : []),
    ...eventRequests(writing.surface, `change${type}`, { id: entry.id, rank: 2 }).map((request) =>
      cell('flow that updates own', asks(request), [200]),
    ),
  ];
}

/** With everything that is included: it holds what the caller sees, and nothing else is missed in it. */
function sentBack(send: ReturnType<typeof sender>, entry: Entry, { surface }: Around): Cell['run'] {
  const rest: Readonly<Record<EntityName, string>> = {
    Org: 'OrgTeam,OrgPerson',
    Team: 'TeamTask',
    Task: 'TaskLabel',
    Person: 'OrgPerson',
    Label: 'TaskLabel',
  };
  return async (ask) => {
    const place = placeOf(entry);
    const read = await ask(send('GET', `${place}?@include=${rest[entry.type]}`));
    const body = surface.name === 'current' ? read.body : { [`m/${entry.type}`]: read.body };
    return [read, await ask({ method: 'PUT', target: surface.at(place), body })];
  };
}

/** A value that is taken is refused in the same words, whoever has it. */
function duplicates(type: EntityName, writing: Writing): readonly Made[] {
  const { sight, creates, caller, first } = writing;
  if (!creates) return [];
  const send = sender(writing);
  const seen = sight.visible.entries.filter((each) => each.type === type);
  const entry = own(type, writing)[0];
  const other = seen.find((each) => each !== entry);
  const hidden = sight.hidden.entries.find((each) => each.type === type);
  if (entry === undefined || other === undefined || hidden === undefined) return [];
  const by = containedBy[type];
  const place = by === undefined || entry.parent === undefined ? type : `${placeOf(entry.parent)}/${by.relationship}/${type}`;
  const tree = (rest: object): Tree => ({ type, attributes: { id: first + 900, owner: caller, text: 'made', rank: 1, ...rest } });
  const same = (path: string, make: (taken: Entry) => Request): Made => ({
    path,
    entity: type,
    admitted: true,
    status: [409],
    run: async (ask: Ask) => {
      const [known, unknown] = [await ask(make(other)), await ask(make(hidden))];
      if (`${known.status} ${known.text}` !== `${unknown.status} ${unknown.text}`)
        throw new Error(`${path}: ${known.text} is not ${unknown.text}`);
      return [unknown];
    },
  });
  return [
    same('409 of a unique value', ({ code }) => send('POST', place, tree({ code }))),
    same('409 of a unique value', ({ code }) => send('PUT', placeOf(entry), { type, attributes: { code } })),
    ...(entry.parent === undefined ? [same('409 of an identifier', ({ id }) => send('POST', place, tree({ id })))] : []),
    ...(type === 'Label'
      ? eventRequests(writing.surface, 'make', {}).map((_, at) =>
          same('409 of a flow', ({ code }) => {
            const [request] = eventRequests(writing.surface, 'make', { id: first + 901, owner: caller, code }).slice(at);
            if (request === undefined) throw new Error('there is an event');
            return request;
          }),
        )
      : []),
  ];
}

function creates(writing: Writing): readonly Made[] {
  const { caller, first, sight } = writing;
  const send = sender(writing);
  const status = writing.creates ? created(writing) : [403];
  const born = (type: EntityName, id: number, owner: string = caller): Tree => ({
    type,
    attributes: { id: first + id, owner, text: 'made', rank: 1 },
  });
  const [org, team, label] = [own('Org', writing)[0], own('Team', writing)[0], own('Label', writing)[0]];
  const person = sight.visible.entries.find(({ type }) => type === 'Person');
  const labelled = label === undefined ? {} : { TaskLabel: [{ type: 'Label', attributes: { id: label.id, '@link': { text: 'made' } } }] };
  const deep: Tree = {
    ...born('Org', 1),
    related: { OrgTeam: [{ ...born('Team', 2), related: { TeamTask: [{ ...born('Task', 3), related: labelled }] } }] },
  };
  const cell = (path: string, entity: string, run: Cell['run'], expected: readonly number[]): Made => ({
    path,
    entity,
    run,
    status: expected,
  });
  const key = { 'idempotency-key': `${caller}-${first}` };
  return [
    cell('create', 'Label', asks(send('POST', 'Label', born('Label', 10))), status),
    cell('create', 'Label', asks(send('POST', 'Label', born('Label', 11), key), send('POST', 'Label', born('Label', 11), key)), status),
    cell('create for another', 'Label', asks(send('POST', 'Label', born('Label', 12, 'dan'))), [403]),
    cell('nested create', 'Org', asks(send('POST', 'Org', deep)), status),
    ...(org === undefined
      ? []
      : [cell('create below own', 'Team', asks(send('POST', `${placeOf(org)}/OrgTeam/Team`, born('Team', 4))), status)]),
    ...(team === undefined || person === undefined
      ? []
      : [
          cell(
            'create with a reference',
            'Task',
            asks(
              send('POST', `${placeOf(team)}/TeamTask/Task`, {
                type: 'Task',
                attributes: { ...born('Task', 5).attributes, lead: person.id },
              }),
            ),
            status,
          ),
        ]),
  ];
}

function linking(writing: Writing): readonly Made[] {
  const { sight } = writing;
  const send = sender(writing);
  const org = own('Org', writing)[0];
  const tied = (person: Entry) =>
    sight.visible.ties.some(({ type, ends }) => type === 'OrgPerson' && org !== undefined && ends.includes(org) && ends.includes(person));
  const persons = sight.visible.entries.filter(({ type }) => type === 'Person');
  const [free, taken] = [persons.find((each) => !tied(each)), persons.find(tied)];
  if (org === undefined) return [];
  const ends = ({ id }: Entry): Tree => ({ type: 'OrgPerson', attributes: { Org: org.id, Person: id } });
  const nested = `${placeOf(org)}/OrgPerson/Person`;
  const cell = (path: string, run: Cell['run'], status: readonly number[]): Made => ({ path, entity: 'OrgPerson', run, status });
  return [
    ...(taken === undefined
      ? []
      : [
          cell('link twice', asks(send('POST', 'OrgPerson', ends(taken))), [409]),
          cell('unlink', asks(send('DELETE', `${nested}/${taken.id}`)), [200]),
          cell('links after writes', asks(get(writing.surface.at(nested))), [200]),
          cell('link', asks(send('POST', nested, { type: 'Person', attributes: { id: taken.id } })), created(writing)),
          cell('unlink', asks(send('DELETE', `Person/${taken.id}/OrgPerson/Org/${org.id}`)), [200]),
        ]),
    ...(free === undefined ? [] : [cell('link', asks(send('POST', 'OrgPerson', ends(free))), created(writing))]),
    cell('links after writes', asks(get(writing.surface.at(nested))), [200]),
  ];
}

function events(writing: Writing): readonly Made[] {
  const { surface, caller, sight, first } = writing;
  const event = (path: string, name: string, attributes: object, rest: Partial<Made> = {}): readonly Made[] =>
    eventRequests(surface, name, { ...attributes }).map((request) => ({ path, entity: name, run: asks(request), ...rest }));
  const label = own('Label', writing)[0];
  const hidden = sight.hidden.entries.find(({ type }) => type === 'Label');
  const allowed = writing.creates ? [200] : [403];
  return [
    ...(label === undefined ? [] : event('flow that upserts', 'put', { id: label.id, owner: caller, rank: 8 }, { status: [200] })),
    ...event('flow that upserts', 'put', { id: first + 20, owner: caller, rank: 8 }, { status: allowed }),
    ...(hidden === undefined
      ? []
      : event('flow that upserts', 'put', { id: hidden.id, owner: caller, rank: 8 }, { status: [409, 403], admitted: true })),
    ...event('flow that updates all', 'raise', {}, { status: [200] }),
  ];
}

/** What is deleted takes along what it contains, seen or not, and its links. On both surfaces, from the inside to the outside. */
export function deletesOf(writings: readonly Writing[]): readonly Cell[] {
  const doomed = (['Task', 'Team', 'Label', 'Org'] as const).flatMap((type) => writings.flatMap((each) => cascades(type, each)));
  const swept = writings.flatMap(({ surface }) =>
    [
      ...eventRequests(surface, 'sweep').map((request) => ({
        path: 'flow that deletes all',
        entity: 'Label',
        run: asks(request),
        status: [200],
      })),
      ...entities.map((type) => ({ path: 'list after deletes', entity: type, run: asks(get(`${surface.at(type)}?@count=true`)) })),
    ].map((each) => ({ ...each, surface: surface.name })),
  );
  return [...doomed, ...swept];
}

function cascades(type: EntityName, writing: Writing): readonly Cell[] {
  const send = sender(writing);
  const entry = own(type, writing).at(-1);
  if (entry === undefined) return [];
  const below = writing.sight.hidden.entries.filter((each) => isIn(each, entry));
  const place = placeOf(entry);
  return [
    {
      path: below.length > 0 ? 'delete with hidden instances below' : 'delete of own',
      entity: type,
      surface: writing.surface.name,
      run: asks(send('DELETE', place), send('GET', place)),
      status: [404],
    },
    {
      path: 'cascade',
      entity: type,
      surface: writing.surface.name,
      admitted: true,
      run: async (ask) => {
        for (const each of below) {
          const { status } = await ask(get(`/m/${placeOf(each)}`), 'system');
          if (status !== 404) throw new Error(`${placeOf(each)} is left`);
        }
        return [];
      },
    },
  ];
}

function isIn(entry: Entry, around: Entry): boolean {
  return entry.parent !== undefined && (entry.parent === around || isIn(entry.parent, around));
}
