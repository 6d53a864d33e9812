// Cells that filter and sort along relationships, in groups and without regard to case: what is hidden fulfils nothing, however far away it is.

import { type Around, asks, type Cell, get } from './guarded-cells.ts';
import type { EntityName, Entry, Rows, Tie } from './guarded-rows.ts';
import type { Request } from './guarded-world.ts';

/** From a type along relationships to an attribute: the way, and the type of the row at its end. */
const ways: Readonly<Record<EntityName, readonly (readonly [way: string, end: string])[]>> = {
  Org: [
    ['OrgTeam.Team', 'Team'],
    ['OrgTeam.Team.TeamTask.Task', 'Task'],
    ['OrgTeam.Team.TeamTask.Task.TaskLabel.Label', 'Label'],
    ['OrgTeam.Team.TeamTask.Task.TaskLabel', 'TaskLabel'],
    ['OrgPerson.Person', 'Person'],
    ['OrgPerson', 'OrgPerson'],
  ],
  Team: [
    ['OrgTeam.Org', 'Org'],
    ['OrgTeam.Org.OrgPerson.Person', 'Person'],
    ['TeamTask.Task.TaskLabel.Label', 'Label'],
  ],
  Task: [
    ['TeamTask.Team', 'Team'],
    ['TeamTask.Team.OrgTeam.Org', 'Org'],
    ['TaskLabel.Label', 'Label'],
    ['TaskLabel', 'TaskLabel'],
  ],
  Person: [
    ['OrgPerson.Org', 'Org'],
    ['OrgPerson.Org.OrgTeam.Team', 'Team'],
    ['OrgPerson', 'OrgPerson'],
  ],
  Label: [
    ['TaskLabel.Task', 'Task'],
    ['TaskLabel.Task.TeamTask.Team.OrgTeam.Org', 'Org'],
    ['TaskLabel', 'TaskLabel'],
  ],
};

/** What a way leads to from a row, by the rows that the caller sees: said once more, apart from the conditions that the store is asked. */
function reached(from: Entry, way: string, { entries, ties }: Rows): readonly (Entry | Tie)[] {
  let [here, found]: [readonly Entry[], readonly (Entry | Tie)[]] = [[from], []];
  const parts = way.split('.');
  for (let at = 0; at < parts.length; at += 2) {
    const [relationship, type] = [parts[at], parts[at + 1]];
    const linked = ties.filter((each) => each.type === relationship && each.ends.some((end) => here.includes(end)));
    if (type === undefined) return linked;
    const isNext = (each: Entry): boolean =>
      linked.length > 0 ? linked.some(({ ends }) => ends.includes(each)) : here.some((own) => own.parent === each || each.parent === own);
    here = entries.filter((each) => each.type === type && isNext(each));
    found = here;
  }
  return found;
}

export function filtersOf(type: EntityName, { surface, sight }: Around): readonly Cell[] {
  const list = (query: string) => asks(get(`${surface.at(type)}?${query}`));
  const isLink = (end: string): boolean => end === 'TaskLabel' || end === 'OrgPerson';
  const status = sight.visible.entries.length > 0 ? { status: [200] } : {};
  const cell = (path: string, run: Cell['run'], rest: Partial<Cell> = status): Cell => ({
    path,
    surface: surface.name,
    entity: type,
    run,
    ...rest,
  });
  const query = (where: readonly unknown[]): Request => ({ method: 'POST', target: '/q', body: { Query: { from: `m/${type}`, where } } });
  const along = ways[type].flatMap(([way, end]) => {
    const hidden = [...sight.hidden.entries, ...sight.hidden.ties].filter((each) => each.type === end).slice(0, 3);
    const filters = [
      `${way}.text[like]=canary%25&@count=true`,
      ...(isLink(end) ? [] : [`${way}.rank[gte]=0&${way}.owner[ne]=ann`, `${way}.owner=dan&@count=true`, `${way}.rank[null]=true`]),
      ...hidden.map(({ text }) => `${way}.text=${text}&@count=true`),
      ...hidden.map(({ text }) => `@or=(${way}.text=${text},rank[gt]=7)&@sort=text`),
    ];
    const objects = [['like', `${way}.text`, 'canary%'], ...hidden.map(({ text }) => ['not', ['=', `${way}.text`, text]])];
    const fulfilling = sight.visible.entries.filter((each) => each.type === type && reached(each, way, sight.visible).length > 0);
    const shown = { ...status, shows: fulfilling.map(({ text }) => text) };
    return [
      ...[`${way}.text[ne]=x`, `@or=(${way}.text[like]=canary%25,rank[gt]=99)&@sort=text`].map((filter) =>
        cell('filter along relationships', list(filter), shown),
      ),
      ...filters.map((filter) => cell('filter along relationships', list(filter))),
      ...(surface.name === 'earlier' ? objects.map((where) => cell('/q along relationships', asks(query(where)))) : []),
      cell('sort along relationships', list(`@sort=${way}.text,text&@limit=2`), {}),
    ];
  });
  const hidden = sight.hidden.entries.find((each) => each.type === type);
  const groups = [
    'text[ilike]=CANARY%25&@count=true',
    '@or=(owner=dan,rank[gt]=6)&@count=true',
    '@or=(owner=ann,owner=bob)&@or=(rank[lt]=5,code[null]=true)',
  ];
  const own =
    hidden === undefined ? [] : [`text[ilike]=${hidden.text.toUpperCase()}`, `@or=(text=${hidden.text},code=${hidden.code})&@count=true`];
  return [...along, ...[...groups, ...own].map((filter) => cell('filter in groups', list(filter)))];
}
