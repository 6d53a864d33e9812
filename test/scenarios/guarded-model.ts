// The model that guards are tried on, with a workflow for everything that a flow can do with rows, and how its rows are put in place.

import { type EntityName, entities, links, pathOf, type Rows } from './guarded-rows.ts';

const attributes = 'id Int @id, owner String, text String, rank Int, code String @unique @optional';

/** Those with an index of words; the others are searched row by row. */
export const searchedByFlows: readonly EntityName[] = ['Task', 'Person', 'Label'];

const searches = searchedByFlows.map((E) => `\nevent search${E} { q String }\nworkflow search${E} { {${E}? search${E}.q} }`);

const perEntity = entities.map(
  (E) => `
event by${E} { id Int }
event change${E} { id Int, rank Int }
event drop${E} { id Int }
event safe${E} { id Int }
workflow all${E} { {${E}? {}, @orderBy(text)} }
workflow by${E} { {${E} {id? by${E}.id}} }
workflow like${E} { {${E} {text? like "canary%", rank?> 2}, @orderBy(rank, text) @desc, @limit(3)} }
workflow where${E} { {${E}? {}, @where(${E}.rank + 1 > 3 or ${E}.owner == "dan"), @orderBy(text)} }
workflow count${E} { {${E}? {}, @into {n @count(${E}.id), s @sum(${E}.rank), a @avg(${E}.rank), lo @min(${E}.text), hi @max(${E}.text)}} }
workflow group${E} { {${E}? {}, @into {owner ${E}.owner, n @count(${E}.id), hi @max(${E}.text)}, @groupBy(${E}.owner), @orderBy(owner)} }
workflow loop${E} { for each in {${E}? {}, @orderBy(text)} { each.text + "!" } }
workflow safe${E} { {${E} {id? safe${E}.id}} @catch {not_found "nothing" error "failed"} }
workflow change${E} { {${E} {id? change${E}.id, rank change${E}.rank}} }
workflow drop${E} { delete {${E} {id? drop${E}.id}} }
`,
);

const joins = ['join', 'left_join', 'right_join', 'full_join'].map(
  (join) => `
workflow ${join}Lead { {Task? {}, @${join} Person {id? Task.lead}, @into {task Task.text, lead Person.text}, @orderBy(task, lead)} }
workflow ${join}Rank { {Label? {}, @${join} Person {rank?${join === 'join' ? ' Label.rank + 1' : '> Label.rank'}}, @into {label Label.text, person Person.text}, @orderBy(label, person)} }
workflow ${join}Link { {TaskLabel? {}, @${join} Label {id? TaskLabel.Label}, @into {tie TaskLabel.text, label Label.text}, @orderBy(tie, label)} }
workflow ${join}Count { {Org? {}, @${join} Person {owner? Org.owner}, @into {n @count(Person.id), hi @max(Person.text), o @count(Org.id)}} }
`,
);

export const joinEvents: readonly string[] = ['join', 'left_join', 'right_join', 'full_join'].flatMap((join) =>
  ['Lead', 'Rank', 'Link', 'Count'].map((what) => `${join}${what}`),
);

export const relatedEvents = ['deep', 'ties', 'tied', 'back', 'chain', 'distinct', 'linkCount'] as const;

export const model = `module m
${entities.map((name) => `entity ${name} { ${attributes}${name === 'Task' ? ', lead Int @ref(Person.id) @optional' : ''} }`).join('\n')}
entity Ownership { id Int @id, resource String, resourceId String, assignee String }
relationship OrgTeam contains(Org, Team)
relationship TeamTask contains(Team, Task)
relationship TaskLabel between(Task, Label) { text String, owner String @optional }
relationship OrgPerson between(Org, Person) { text String @optional, owner String @optional }
relationship Badge between(Label, Person) @one_many { text String @optional, owner String @optional }
${perEntity.join('')}${joins.join('')}${searches.join('')}
workflow deep { {Org? {}, OrgTeam {Team? {}, TeamTask {Task? {}, TaskLabel {Label? {}}}}} }
workflow ties { {Org? {}, OrgPerson {Person? {}}} }
workflow tied { {Label? {}, TaskLabel {Task? {}}} }
workflow back { {Person {rank?>= 0}, OrgPerson {Org? {}, OrgTeam {Team? {}}}} }
workflow chain { {Team {rank?>= 0}, TeamTask {Task {rank?< 8}}} }
workflow distinct { {Task? {}, @into {owner Task.owner}, @distinct, @orderBy(owner)} }
workflow linkCount { {TaskLabel? {}, @into {n @count(TaskLabel.text), hi @max(TaskLabel.text)}} }
event under { parent Int, id Int, owner String }
workflow under { {Org {id? under.parent}, OrgTeam [{Team {id under.id, owner under.owner, text "made", rank 1}}]} }
event tie { org Int, person Int }
workflow tie { {OrgPerson {Org tie.org, Person tie.person}} }
event relink { org Int, person Int }
workflow relink { {Org {id relink.org, rank 4}, OrgPerson [{Person {id relink.person}}], @upsert} }
event enlist { org Int, id Int }
workflow enlist { {Org {id? enlist.org}, OrgPerson [{Person {id enlist.id, owner "ann", text "made", rank 1}}]} }
event retie { text String }
workflow retie { {OrgPerson {text? retie.text, text "tied anew"}} }
event untie { text String }
workflow untie { delete {OrgPerson {text? untie.text}} }
event refer { team Int, id Int, lead Int, owner String }
workflow refer { {Team {id? refer.team}, TeamTask [{Task {id refer.id, owner refer.owner, text "made", rank 1, lead refer.lead}}]} }
event point { task Int, lead Int }
workflow point { {Task {id? point.task, lead point.lead}} }
event put { id Int, owner String, rank Int }
workflow put { {Label {id put.id, owner put.owner, text "made", rank put.rank}, @upsert} }
event make { id Int, owner String, code String }
workflow make { {Label {id make.id, owner make.owner, text "made", rank 1, code make.code}} }
workflow raise { {Task {rank?>= 0, rank 9}} @as changed\n for each in changed { each.text } }
workflow sweep { delete {Label {rank?>= 0}} @as gone\n for each in gone { each.text } }
workflow load {
  for each in load.entries { {Person {}, @from each} }
  for each in load.labels { {Label {}, @from each} }
  for each in load.owners { {Ownership {}, @from each} }
  1
}
workflow loadTies {
  for each in loadTies.TaskLabel { {TaskLabel {__Id__ each.id, Task each.from, Label each.to, text each.text, owner each.owner}} }
  for each in loadTies.Badge { {Badge {__Id__ each.id, Label each.from, Person each.to, text each.text, owner each.owner}} }
  for each in loadTies.OrgPerson { {OrgPerson {__Id__ each.id, Org each.from, Person each.to, text each.text, owner each.owner}} }
  1
}
`;

/** What only the earlier syntax says: a parent that is named by its identifier or its path. */
const byParent = `(component :e)
(event :e/below {:parent :Int :id :Int :owner :String})
(dataflow :e/below {:m/Task {:id :e/below.id :owner :e/below.owner :text "made" :rank 1} :-> [[:m/TeamTask :e/below.parent]]})
(event :e/belowPath {:parent :String :id :Int :owner :String})
(dataflow :e/belowPath {:m/Task {:id :e/belowPath.id :owner :e/belowPath.owner :text "made" :rank 1} :-> [[:m/TeamTask :e/belowPath.parent]]})
(event :e/belowRoot {:parent :Int :id :Int :owner :String})
(dataflow :e/belowRoot {:m/Team {:id :e/belowRoot.id :owner :e/belowRoot.owner :text "made" :rank 1} :-> [[:m/OrgTeam :e/belowRoot.parent]]})
(event :e/inside {:parent :Int})
(dataflow :e/inside {:m/Task? {} :-> [[:m/TeamTask? :e/inside.parent]]})
(event :e/insidePath {:parent :String})
(dataflow :e/insidePath {:m/Task? {} :-> [[:m/TeamTask? :e/insidePath.parent]]})
(event :e/insideRoot {:parent :Int})
(dataflow :e/insideRoot {:m/Team? {} :-> [[:m/OrgTeam? :e/insideRoot.parent]]})
`;

export const project = { 'core.al': model, 'parents.platform': byParent };

export interface Load {
  readonly target: string;
  readonly body: unknown;
}

/** What the system posts to have these rows. */
export function loadsOf({ entries, ties }: Rows): readonly Load[] {
  const plain = (type: string, parent?: object) =>
    entries
      .filter((each) => each.type === type && each.parent === parent)
      .map((entry) => {
        const { id, owner, text, rank, code } = entry;
        return { entry, body: { id, owner, text, rank, code, ...(entry.lead && { lead: entry.lead.id }) } };
      });
  const owners = entries.flatMap((entry) =>
    entry.assigned.map((assignee) => ({
      resource: `m/${entry.type}`,
      resourceId: entry.parent === undefined ? String(entry.id) : pathOf(entry),
      assignee,
    })),
  );
  const load = {
    entries: plain('Person').map(({ body }) => body),
    labels: plain('Label').map(({ body }) => body),
    owners: owners.map((each, at) => ({ id: at + 1, ...each })),
  };
  const orgs = plain('Org').map(({ entry, body }) => ({
    target: '/m/Org',
    body: {
      ...body,
      OrgTeam: plain('Team', entry).map((team) => ({ ...team.body, TeamTask: plain('Task', team.entry).map((task) => task.body) })),
    },
  }));
  const named = (type: string) =>
    ties
      .filter((each) => each.type === type)
      .map(({ id, text, owner, ends: [from, to] }) => ({
        id,
        text,
        owner,
        from: from.parent === undefined ? from.id : pathOf(from),
        to: to.id,
      }));
  const tied = Object.fromEntries(links.map((type) => [type, named(type)]));
  return [{ target: '/m/load', body: load }, ...orgs, { target: '/m/loadTies', body: tied }];
}
