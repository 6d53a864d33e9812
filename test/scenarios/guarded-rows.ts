// The rows that guards are tried on: who owns them, which of them each caller gets, and the texts by which a hidden one would be recognised.

export const entities = ['Org', 'Team', 'Task', 'Person', 'Label'] as const;
export type EntityName = (typeof entities)[number];
export const links = ['TaskLabel', 'OrgPerson', 'Badge'] as const;

export interface Entry {
  readonly type: EntityName;
  readonly id: number;
  readonly owner: string;
  /** In the owners table; several may be. */
  readonly assigned: readonly string[];
  /** In no other row. */
  readonly text: string;
  readonly code: string;
  readonly rank: number;
  readonly parent: Entry | undefined;
  /** Of tasks: the person they refer to. */
  readonly lead: Entry | undefined;
}

export interface Tie {
  readonly type: (typeof links)[number];
  readonly id: string;
  readonly owner: string;
  readonly text: string;
  readonly ends: readonly [Entry, Entry];
}

export interface Rows {
  readonly entries: readonly Entry[];
  readonly ties: readonly Tie[];
}

/** The last but one owns nothing, the last has no name. */
export const callers = ['ann', 'bob', 'cid', 'anonymous'] as const;
export type CallerName = (typeof callers)[number];

/** How an instance is found under its parents. */
export const containedBy: Readonly<Record<EntityName, { readonly parent: EntityName; readonly relationship: string } | undefined>> = {
  Org: undefined,
  Team: { parent: 'Org', relationship: 'OrgTeam' },
  Task: { parent: 'Team', relationship: 'TeamTask' },
  Person: undefined,
  Label: undefined,
};

const owners = ['ann', 'bob', 'dan'] as const;
const ownerAt = (at: number): string => owners[at % owners.length] ?? '';

function makeRows(): Rows {
  const entries: Entry[] = [];
  const add = (type: EntityName, id: number, owner: string, parent?: Entry, lead?: Entry): Entry => {
    const at = entries.length;
    const assigned = [ownerAt(at * 2 + (at % 4)), ...(at % 5 === 0 ? ['ann', 'bob'] : [])];
    const text = `canary${type}q${at}z`;
    const entry = { type, id, owner, assigned: [...new Set(assigned)], text, code: `code${at}z`, rank: (at * 7) % 10, parent, lead };
    entries.push(entry);
    return entry;
  };
  const persons = [0, 1, 2, 3, 4, 5].map((at) => add('Person', 4001 + at, ownerAt(at)));
  const labels = [0, 1, 2, 3, 4, 5].map((at) => add('Label', 5001 + at, ownerAt(at + 1)));
  const orgs = [0, 1, 2, 3].map((at) => add('Org', 1001 + at, ownerAt(at % 2)));
  for (const [at, org] of orgs.entries()) {
    // 2777 and 3777 stand under several parents: at their flat paths they are ambiguous for those who see more than one.
    const teams = [2010 + 20 * at, 2011 + 20 * at, 2777].map((id, place) => add('Team', id, ownerAt(at + place), org));
    for (const [place, team] of teams.entries()) {
      for (const [nth, id] of [3100 + 100 * at + 10 * place, 3101 + 100 * at + 10 * place, 3777].entries()) {
        add('Task', id, ownerAt(place + nth), team, (nth + place) % 2 === 0 ? persons[(at + place + nth) % 6] : undefined);
      }
    }
  }
  const ties: Tie[] = [];
  const tie = (type: Tie['type'], from: Entry, to: Entry): void => {
    const at = ties.length;
    const id = `0198aaaa-0000-7000-8000-${String(at).padStart(12, '0')}`;
    ties.push({ type, id, owner: ownerAt(at + (at % 2)), text: `canary${type}q${at}z`, ends: [from, to] });
  };
  for (const [at, task] of entries.filter(({ type }) => type === 'Task').entries()) {
    for (const label of labels.filter((_, place) => (at + place) % 3 === 0)) tie('TaskLabel', task, label);
  }
  for (const [at, org] of orgs.entries()) {
    for (const person of persons.filter((_, place) => (at + place) % 2 === 0)) tie('OrgPerson', org, person);
  }
  // Each person but one has one label; two of them share one.
  for (const [at, person] of persons.slice(1).entries())
    for (const label of labels.slice((at * 3) % 4).slice(0, 1)) tie('Badge', label, person);
  return { entries, ties };
}

export const everyRow: Rows = makeRows();

/** Which rows a caller gets: said once more, apart from the conditions that the store is asked. */
export type Sees = (entry: Entry, caller: CallerName) => boolean;

/** Which links they get of those between what they get. */
export type SeesLink = (tie: Tie, caller: CallerName) => boolean;

export const ownLinks: SeesLink = ({ owner }, caller) => owner === caller;

export const sees = {
  attribute: (entry, caller) => entry.owner === caller,
  exists: (entry, caller) => entry.assigned.includes(caller),
  ancestor: (entry, caller) => rootOf(entry).owner === caller,
  everything: () => true,
  nothing: () => false,
} as const satisfies Readonly<Record<string, Sees>>;

export function rootOf(entry: Entry): Entry {
  return entry.parent === undefined ? entry : rootOf(entry.parent);
}

export interface Sight {
  readonly visible: Rows;
  readonly hidden: Rows;
  /** What would give a hidden row away. */
  readonly canaries: readonly string[];
}

export function sightOf({ sees: see, seesLink }: { readonly sees: Sees; readonly seesLink?: SeesLink }, caller: CallerName): Sight {
  const shows = (entry: Entry): boolean => see(entry, caller);
  const shown = (tie: Tie): boolean => tie.ends.every(shows) && seesLink?.(tie, caller) !== false;
  const hidden = { entries: everyRow.entries.filter((each) => !shows(each)), ties: everyRow.ties.filter((each) => !shown(each)) };
  return {
    visible: { entries: everyRow.entries.filter(shows), ties: everyRow.ties.filter(shown) },
    hidden,
    canaries: [...hidden.entries.flatMap(({ text, code }) => [text, code]), ...hidden.ties.flatMap(({ text, id }) => [text, id])],
  };
}

/**
 * The same store without what is hidden. A hidden row stays where a visible one stands below it or refers to it, but is another one: nothing
 * of what a caller is told can depend on what it holds.
 */
export function withoutHidden({ visible }: Sight): Rows {
  const kept = new Map<Entry, Entry>();
  const keep = (entry: Entry): Entry => {
    const known = kept.get(entry);
    if (known !== undefined) return known;
    const parent = entry.parent && keep(entry.parent);
    const lead = entry.lead && keep(entry.lead);
    const isVisible = visible.entries.includes(entry);
    const other = {
      owner: 'zed',
      assigned: [],
      text: `other${entry.type}${entry.id}${parent?.id ?? ''}`,
      code: `other${kept.size}`,
      rank: 3,
    };
    const made = isVisible ? { ...entry, parent, lead } : { ...entry, parent, lead: undefined, ...other };
    kept.set(entry, made);
    return made;
  };
  for (const entry of visible.entries) keep(entry);
  const ties = visible.ties.map((each) => ({ ...each, ends: [keep(each.ends[0]), keep(each.ends[1])] as const }));
  return { entries: everyRow.entries.flatMap((each) => kept.get(each) ?? []), ties };
}

/** `Org/1001/OrgTeam/Team/2010`. */
export function placeOf({ type, id, parent }: Entry): string {
  const by = containedBy[type];
  return parent === undefined || by === undefined ? `${type}/${id}` : `${placeOf(parent)}/${by.relationship}/${type}/${id}`;
}

/** As links and the owners table name it. */
export function pathOf(entry: Entry): string {
  return `path://${placeOf(entry)
    .split('/')
    .map((part) => (/^\d/.test(part) ? part : `m$${part}`))
    .join('/')}`;
}
