// People who are kept in another system, among teams, tasks and notes: by a resolver, or stored, to compare.

export const people = `
const people = new Map();
const tasks = new Map();
export const asked = [];
const kept = (rows) => ({
  add: (each) => { rows.set(each.__path__ ?? each.id, each); return each; },
  drop: (each) => { rows.delete(each.__path__ ?? each.id); return each; },
});
export const add = kept(people).add;
export const drop = kept(people).drop;
export const addTask = kept(tasks).add;
export const dropTask = kept(tasks).drop;
export const find = ([, { where }]) => { asked.push(where ?? null); return [...people.values()]; };
export const findTasks = ([, { where }]) => { asked.push(where ?? null); return [...tasks.values()]; };
export const questions = () => asked.splice(0).map((each) => JSON.stringify(each));
`;

export const entities = `
entity Team { id String @id, name String }
entity Person { id String @id, name String, age Int @optional, @rbac [(roles: ["hr"], allow: [create, read]), (roles: ["boss"], allow: [read, update, delete])] }
entity Note { id String @id, text String }
entity Task { id String @id, title String }
entity Log { id UUID @id @default(uuid()), line String }
relationship Member between(Team, Person)
relationship PersonNote contains(Person, Note)
relationship TeamTask contains(Team, Task)
`;

export const stored = `module hr\n${entities}`;

export const elsewhere = `module hr
import "people.js" @as people
${entities}
event questions { }
workflow questions { people.questions() }
resolver persons [hr/Person] { create people.add, update people.add, delete people.drop, query people.find }
resolver tasks [hr/Task] { create people.addTask, update people.addTask, delete people.dropTask, query people.findTasks }
`;
