// What the console offers, for every caller and every action of four examples: the same that the API allows. The rules by which it decides are its own.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attributesOf, mayAt, mayDo, rightsPath, settableOf } from '../../../console/src/api/rights.ts';
import type { EntityDescription, ModelDescription, StepDescription } from '../../../src/http/platform/description.ts';
import { instances, type Person, type Values, type World, world } from '../../access/people.ts';
import type { Answer, Project } from '../../support/app.ts';
import { sampled } from '../../support/form.ts';

const examples = join(import.meta.dirname, '../../../examples');
const read = (path: string): string => readFileSync(join(examples, path), 'utf8');
const single = (name: string): Project => read(`${name}/src/${name}.al`);

const projects: readonly (readonly [name: string, project: Project])[] = [
  ['blog', single('blog')],
  ['newsroom', single('newsroom')],
  ['support', single('support')],
  ['directory', { 'core.al': read('directory/current/src/core.al'), 'directory.js': read('directory/current/src/directory.js') }],
];

const llm = { provider: 'scripted', script: join(examples, 'support/script.json') } as const;

/** Who, what, and whether it is offered, or allowed. */
type Cell = readonly [who: string, what: string, isSo: boolean];

/** One who makes things, one with another role besides, one without any; and the admin. */
async function callers(made: World): Promise<readonly (readonly [string, Person])[]> {
  const [ann, ben, cy] = [await made.join('ann', 'user'), await made.join('ben', 'user', 'editor'), await made.join('cy')];
  for (const { id } of instances(await made.admin.read(`${made.admin.at('RoleAssignment')}?assignee=cy@example.com`)))
    await made.admin.remove(made.admin.at('RoleAssignment', String(id)));
  return [
    ['ann', ann],
    ['ben', ben],
    ['cy', cy],
    ['admin', made.admin],
  ];
}

/** What is in its way, such as what refers to it, is no matter of rights. */
function isAllowed({ status }: Answer): boolean {
  return status < 300 || status === 409;
}

let count = 1000;

function valuesFor({ attributes }: EntityDescription, who: Person, known: ReadonlyMap<string, unknown>): Values {
  count += 1;
  const of = ({ name, type, kind, enum: choices, reference }: EntityDescription['attributes'][number]): unknown => {
    if (reference !== undefined) return known.get(reference.entity);
    if (choices !== undefined) return choices[0];
    if (type === 'Email') return name === 'editor' ? who.email : `e${count}@example.com`;
    if (kind === 'integer' || type === 'Int') return count;
    return type === 'Decimal' ? '1.00' : `${name} ${count}`;
  };
  return Object.fromEntries(attributes.filter((each) => each.required).map((each) => [each.name, of(each)]));
}

function placeOf({ path, contained, identifier }: EntityDescription, row: Values): string {
  const written = row['__path__'];
  if (!contained || typeof written !== 'string') return `${path}/${encodeURIComponent(String(row[identifier]))}`;
  const [type = '', ...rest] = written.slice('path://'.length).split('/');
  return `/${[type.replace('$', '/'), ...rest].join('/')}`;
}

test.each(sampled(projects, 2))(
  'with each role of %s nothing is offered that the API refuses, and nothing is missing that it allows',
  async (_, project) => {
    const made = await world(project, 'current', { audit: {}, llm });
    const people = await callers(made);
    const modelOf = async (who: Person): Promise<ModelDescription> => Object((await who.read('/platform/model')).body);
    const whole = await modelOf(made.admin);
    const own = whole.entities.filter((each) => !each.system);
    const known = new Map<string, unknown>();
    const [offered, answered]: [Cell[], Cell[]] = [[], []];
    const see = (who: string, what: string, isOffered: boolean, answer: Answer): void => {
      offered.push([who, what, isOffered]);
      answered.push([who, what, isAllowed(answer)]);
    };
    /** A list is answered also where nothing of it may be read: what is in it counts. */
    const seeList = async (name: string, who: Person, { name: type, path, operations }: EntityDescription): Promise<void> => {
      const isOffered = operations.read !== 'none';
      const answer = await who.read(path);
      offered.push([name, `read ${type}`, isOffered]);
      answered.push([name, `read ${type}`, answer.status === 200 && (isOffered || instances(answer).length > 0)]);
    };
    const rowsOf = async (who: Person, model: ModelDescription, entity: EntityDescription): Promise<readonly Values[]> => {
      const answer = await who.read(rightsPath(model, entity, entity.path));
      return answer.status === 200 ? instances(answer) : [];
    };
    const namedIn = (model: ModelDescription, name: string): EntityDescription => {
      const found = model.entities.find((each) => each.name === name);
      if (found === undefined) throw new Error(name);
      return found;
    };
    const parentOf = (entity: EntityDescription): StepDescription & { readonly from: EntityDescription } => {
      const from = namedIn(whole, entity.parents[0]?.entity ?? '');
      const step = from.steps.find((each) => each.kind === 'contains' && each.target === entity.name);
      if (step === undefined) throw new Error(entity.name);
      return { ...step, from };
    };
    /** By a maker, or by the admin where the maker may not. */
    const make = async (entity: EntityDescription, maker: Person): Promise<Values> => {
      const parent = entity.contained ? parentOf(entity) : undefined;
      const above = parent && (await make(parent.from, maker));
      const place = parent && above ? `${placeOf(parent.from, above)}/${parent.segment}/${parent.name}` : entity.path;
      for (const who of [maker, made.admin]) {
        const answer = await who.create(place, valuesFor(entity, who, known));
        const [row] = instances(answer);
        if (answer.status < 300 && row !== undefined) {
          // Those that were made first stay, for others to refer to.
          if (!known.has(entity.name)) known.set(entity.name, row[entity.identifier]);
          return row;
        }
      }
      throw new Error(`no ${entity.name} at ${place}`);
    };
    /** A 403 does not say whether the event was denied, or one of its steps. */
    const mayExecute = async ({ email }: Person, on: string): Promise<boolean> => {
      const asked = new URLSearchParams({ user: email, operation: 'execute', on });
      return Object((await made.admin.read(`/platform/access?${asked}`)).body).allowed;
    };
    for (const entity of own) await make(entity, made.admin);

    for (const [name, who] of people) {
      const model = await modelOf(who);
      const { isAdmin } = model.caller;
      for (const path of ['source', 'migrations', 'access', 'status', `explain?entity=${own[0]?.name}`])
        see(name, path, isAdmin, await who.read(`/platform/${path}`));
      for (const path of ['audit/verify', 'backup']) see(name, path, isAdmin, await who.createAs(`/platform/${path}`, {}));
      for (const local of [
        'platform.audit/Entry',
        'platform.auth/User',
        'platform.auth/ApiKey',
        'platform.rbac/RoleAssignment',
        'platform.ai/Run',
      ]) {
        const found = model.entities.find((each) => each.name === local);
        if (found !== undefined) await seeList(name, who, found);
      }
      const roles = namedIn(model, 'platform.rbac/RoleAssignment');
      // Whoever has keys makes them on the page Access.
      see(
        name,
        'a key',
        namedIn(model, 'platform.auth/ApiKey').operations.read !== 'none',
        await who.create('/platform.auth/ApiKey', { name: `key ${count}` }),
      );
      const given = { role: 'other', assignee: 'ann@example.com' };
      see(name, 'a role', roles.operations.create !== 'none', await who.assign('RoleAssignment', given));
      for (const { name: event, path, mayRun, attributes } of model.events.filter(({ module }) => model.modules.includes(module))) {
        const body = Object.fromEntries(attributes.map((each) => [each.name, each.type === 'Int' ? 0 : 'x']));
        // It runs as whoever calls it: what it finds nothing of, or what one of its steps may not do, is no refusal of the event itself.
        const answer = await who.createAs(path, body);
        const isOfStep =
          answer.status === 403 ? await mayExecute(who, path) : [404, 422].includes(answer.status) && 'pattern' in Object(answer.body);
        see(name, `run ${event}`, mayRun, { ...answer, status: mayRun && isOfStep ? 200 : answer.status });
      }
      for (const { name: agent, path, mayRun } of model.agents)
        see(name, `ask ${agent}`, mayRun, await who.createAs(path, { message: 'How do I change my password?' }));

      for (const { name: type } of own) {
        const entity = namedIn(model, type);
        await seeList(name, who, entity);
        if (!entity.contained || entity.rootable)
          see(name, `create ${type}`, entity.operations.create !== 'none', await who.create(entity.path, valuesFor(entity, who, known)));
        // What is theirs, what is somebody else's, and what the admin has made.
        for (const [owner, maker] of people) {
          const row = await make(entity, maker);
          const at = placeOf(entity, row);
          const shown = (await rowsOf(who, model, entity)).find((each) => placeOf(entity, each) === at);
          const of = `${type} of ${owner}`;
          const may = (operation: 'update' | 'delete'): boolean => shown !== undefined && mayDo(operation, entity, shown);
          const changed = entity.attributes.find((each) => !each.identifier && each.required && each.kind === 'text' && !each.enum);
          if (changed !== undefined) see(name, `update ${of}`, may('update'), await who.change(at, { [changed.name]: row[changed.name] }));
          for (const step of entity.steps.filter((each) => each.segment === each.local)) {
            const target = namedIn(model, step.target);
            const place = `${at}/${step.segment}/${step.name}`;
            if (step.kind === 'contains') {
              const isOffered = shown !== undefined && mayAt('create', model, step, shown);
              see(name, `${target.name} in ${of}`, isOffered, await who.create(place, valuesFor(target, who, known)));
              continue;
            }
            const other = await make(target, maker);
            const end = (await rowsOf(who, model, target)).find((each) => each[target.identifier] === other[target.identifier]);
            const both = (operation: 'link' | 'unlink'): boolean =>
              shown !== undefined && end !== undefined && [shown, end].every((each) => mayAt(operation, model, step, each));
            const body = { [target.identifier]: other[target.identifier] };
            const link = `${step.relationship} ${step.name} of ${of}`;
            see(name, `link ${link}`, both('link'), await who.create(place, body));
            await made.admin.create(place, body);
            const gone = `${place}/${encodeURIComponent(String(other[target.identifier]))}`;
            see(name, `unlink ${link}`, both('unlink'), await who.remove(gone));
            await made.admin.remove(gone);
          }
          see(name, `delete ${of}`, may('delete'), await who.remove(at));
        }
      }
    }
    expect(offered).toEqual(answered);
    expect(offered.length).toBeGreaterThan(90);
    // Both answers are seen: a console that offers everything, or nothing, is noticed.
    for (const isSo of [true, false]) expect(offered.filter((each) => each[2] === isSo).length).toBeGreaterThan(20);
  },
);

const ruled = `module m
entity Animal {
  id Int @id
  name String @optional
  price Int @optional @rbac [(roles: [editor], allow: [read, update])]
  note String @optional @rbac [(roles: [user], owners: true, allow: [read, update])]
  mine Int @optional @rbac [(roles: [user], allow: [read]), (roles: [editor], allow: [create])]
  pin Int @optional @rbac [(roles: [user], allow: [update])]
  @rbac [(roles: [user, editor], allow: [create, read, update])]
}
workflow platform.auth/PostSignUp { {platform.auth/User {email? PostSignUp.signupRequest.user.email}} }
`;

test('a form has the attributes that its caller sees of an instance, those read-only that may not be set, and a new one those that may', async () => {
  const made = await world(ruled);
  const all = await callers(made);
  for (const [name, person] of all)
    if (name !== 'cy') await person.create('/m/Animal', { id: name.length * 10 + name.charCodeAt(0), name });
  const values: Values = { price: 5, note: 'new', mine: 6, pin: 7 };
  for (const [name, person] of all) {
    const { body } = await made.served.get('/platform/model', person.headers);
    const model: ModelDescription = Object(body);
    const animal = model.entities.find((each) => each.name === 'm/Animal');
    if (animal === undefined) throw new Error('there is an animal');
    for (const { id } of instances(await person.read('/m/Animal'))) {
      const [row = {}] = instances(await person.read(rightsPath(model, animal, `/m/Animal/${String(id)}`)));
      const form = attributesOf(animal, row).filter((each) => Object.hasOwn(values, each.name));
      const isSet = async (each: string): Promise<boolean> =>
        (await person.change(`/m/Animal/${String(id)}`, { [each]: values[each] })).status === 200;
      const settable: string[] = [];
      for (const each of Object.keys(values))
        if (!Object.hasOwn(row, each) || row[each] !== values[each]) if (await isSet(each)) settable.push(each);
      expect([name, id, form.filter((each) => !each.readOnly).map((each) => each.name)]).toEqual([name, id, settable]);
      expect([name, id, form.filter((each) => each.readOnly).map((each) => each.name)]).toEqual([
        name,
        id,
        Object.keys(values).filter((each) => Object.hasOwn(row, each) && !settable.includes(each)),
      ]);
    }
    const isMade = async (each: string): Promise<boolean> => {
      count += 1;
      return (await person.create('/m/Animal', { id: count, [each]: values[each] })).status === 201;
    };
    const offered: string[] = [];
    for (const each of Object.keys(values)) if (await isMade(each)) offered.push(each);
    if (name !== 'cy') expect([name, settableOf(animal).map((each) => each.name)]).toEqual([name, ['id', 'name', ...offered]]);
  }
});
