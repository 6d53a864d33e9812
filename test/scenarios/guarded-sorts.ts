// Cells that sort along relationships: where what a row leads to is hidden, it stands where a row stands that leads nowhere, and no cursor tells more.

import type { Answer } from '../support/app.ts';
import { type Around, asks, type Cell, get } from './guarded-cells.ts';
import { containedBy, type EntityName, placeOf } from './guarded-rows.ts';

/** From a type along relationships to one instance, or to the link there. */
const ways: Readonly<Record<EntityName, readonly string[]>> = {
  Org: [],
  Team: ['OrgTeam.Org'],
  Task: ['TeamTask.Team', 'TeamTask.Team.OrgTeam.Org'],
  Person: ['Badge.Label', 'Badge'],
  Label: [],
};

export function sortsOf(type: EntityName, { surface, sight }: Around): readonly Cell[] {
  const status = sight.visible.entries.length > 0 ? { status: [200] } : {};
  const cell = (path: string, run: Cell['run'], rest = status): Cell => ({ path, surface: surface.name, entity: type, run, ...rest });
  const along = ways[type].flatMap((way) => {
    const isLink = !way.includes('.');
    const sorts = isLink
      ? [`${way}.text`, `-${way}.text,rank`]
      : [`${way}.text`, `-${way}.text`, `${way}.rank,text`, `-${way}.owner,${way}.code,-rank`, `${way}.id,-text`];
    const query = (order: readonly unknown[]) => ({
      method: 'POST',
      target: '/q',
      body: { Query: { from: `m/${type}`, 'order-by': order } },
    });
    return [
      ...sorts.map((sort) => cell('sort to one', asks(get(`${surface.at(type)}?@sort=${sort}&@select=text`)))),
      ...sorts.map((sort) => cell('sort to one, in pages', toldPages(`${surface.at(type)}?@sort=${sort}&@limit=2&@count=true`))),
      ...nestedIn(type, sight.visible.entries).map((place) =>
        cell('sort to one, under a parent', toldPages(`${surface.at(place)}?@sort=-${way}.text&@limit=1`), {}),
      ),
      cell('sort to one, beside an include', asks(get(`${surface.at(type)}?@sort=${way}.text,-id&@include=${way.split('.')[0]}`))),
      cell('sort to one and filter', asks(get(`${surface.at(type)}?${way}.text[ne]=x&@sort=-${way}.text&@count=true`))),
      ...(surface.name === 'earlier' ? [cell('/q sorted to one', asks(query([`${way}.text`, ['rank', 'desc']])))] : []),
    ];
  });
  const several = type === 'Label' ? ['Badge.Person', 'TaskLabel.Task'] : type === 'Org' ? ['OrgPerson.Person', 'OrgTeam.Team'] : [];
  return [...along, ...several.map((way) => cell('sort to several', asks(get(`${surface.at(type)}?@sort=${way}.text`)), {}))];
}

/** The collections of a type under the parents that are seen. */
function nestedIn(type: EntityName, seen: Around['sight']['visible']['entries']): readonly string[] {
  const by = containedBy[type];
  return by === undefined
    ? []
    : seen.filter((each) => each.type === by.parent).map((each) => `${placeOf(each)}/${by.relationship}/${type}`);
}

/** Page after page; what the cursors hold is part of the answers. */
function toldPages(target: string): Cell['run'] {
  return async (ask) => {
    const answers: Answer[] = [];
    let next: string | undefined = target;
    while (next !== undefined && answers.length < 60) {
      const answer = await ask(get(next));
      const link = answer.headers['link'] ?? '';
      const cursor = Buffer.from(/@after=([\w-]+)/.exec(link)?.[1] ?? '', 'base64url').toString();
      answers.push({ ...answer, text: `${answer.text} ${cursor}` });
      next = /<([^>]*)>/.exec(link)?.[1];
    }
    return answers;
  };
}
