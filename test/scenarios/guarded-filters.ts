// Cells that filter and sort along relationships, in groups and without regard to case: what is hidden fulfils nothing, however far away it is.

import { type Around, asks, type Cell, get } from './guarded-cells.ts';
import type { EntityName } from './guarded-rows.ts';
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

export function filtersOf(type: EntityName, { surface, sight }: Around): readonly Cell[] {
  const list = (query: string) => asks(get(`${surface.at(type)}?${query}`));
  const isLink = (end: string): boolean => end === 'TaskLabel' || end === 'OrgPerson';
  const status = sight.visible.entries.length > 0 ? { status: [200] } : {};
  const cell = (path: string, run: Cell['run'], rest = status): Cell => ({ path, surface: surface.name, entity: type, run, ...rest });
  const query = (where: readonly unknown[]): Request => ({ method: 'POST', target: '/q', body: { Query: { from: `m/${type}`, where } } });
  const along = ways[type].flatMap(([way, end]) => {
    const hidden = [...sight.hidden.entries, ...sight.hidden.ties].filter((each) => each.type === end).slice(0, 3);
    const filters = [
      `${way}.text[like]=canary%25&@count=true`,
      `${way}.text[ne]=x`,
      ...(isLink(end) ? [] : [`${way}.rank[gte]=0&${way}.owner[ne]=ann`, `${way}.owner=dan&@count=true`, `${way}.rank[null]=true`]),
      ...hidden.map(({ text }) => `${way}.text=${text}&@count=true`),
      ...hidden.map(({ text }) => `@or=(${way}.text=${text},rank[gt]=7)&@sort=text`),
    ];
    const objects = [['like', `${way}.text`, 'canary%'], ...hidden.map(({ text }) => ['not', ['=', `${way}.text`, text]])];
    return [
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
