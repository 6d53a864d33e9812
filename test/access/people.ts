// An application with access control, its admin, and users with roles, each of whom asks in the form of either surface.

import { clientOf, password, tokenOf } from '../identity/accounts.ts';
import { type Answer, type Options, open, type Project, type Served, serve } from '../support/app.ts';

export type Surface = 'current' | 'earlier';
export const surfaces = ['current', 'earlier'] as const;
export const admin = 'admin@example.com';

export type Values = Readonly<Record<string, unknown>>;

export type AssignmentType = 'OwnershipAssignment' | 'InstancePrivilegeAssignment' | 'RoleAssignment';

/** What a user asks; answers are those of the surface, `rows` and `row` without what it puts around instances. */
export interface Person {
  readonly email: string;
  readonly headers: Readonly<Record<string, string>>;
  create(path: string, values: unknown): Promise<Answer>;
  /** With a body that is already in the form of the surface. */
  createAs(path: string, body: unknown): Promise<Answer>;
  read(path: string): Promise<Answer>;
  change(path: string, values: Values): Promise<Answer>;
  remove(path: string): Promise<Answer>;
  /** Posts one or more of a type of the service: an owner, a grant, a role. */
  assign(type: AssignmentType, values: Values | readonly Values[]): Promise<Answer>;
  /** Path of a type of the service. */
  at(type: string, id?: string): string;
}

export interface World {
  readonly served: Served;
  readonly surface: Surface;
  readonly admin: Person;
  /** Signs up, with these roles. */
  join(name: string, ...roles: readonly string[]): Promise<Person>;
  /** Is made by the admin, with these roles, so that the address counts as theirs. */
  invite(name: string, ...roles: readonly string[]): Promise<Person>;
  /** Who has signed up before. */
  enter(name: string): Promise<Person>;
}

const settings = { superuser: { email: admin, password } };

/** With `isOpen`, the caller closes it. */
export async function world(
  project: Project,
  surface: Surface = 'current',
  { isOpen = false, ...options }: Options & { readonly isOpen?: boolean } = {},
): Promise<World> {
  return worldOf(await (isOpen ? open : serve)(project, withAccess(surface, options)), surface);
}

export function withAccess(surface: Surface, options: Options = {}): Options {
  return { ...options, system: ['auth', 'rbac'], surfaces: [surface], auth: { ...settings, ...options.auth } };
}

async function worldOf(served: Served, surface: Surface): Promise<World> {
  const first = await login(served, surface, admin);
  return {
    served,
    surface,
    admin: first,
    enter: (name) => login(served, surface, `${name}@example.com`),
    async join(name, ...roles) {
      const email = `${name}@example.com`;
      const { status, text } = await clientOf(served, surface).signUp({ email, password });
      if (status >= 300) throw new Error(`sign-up of ${email}: ${text}`);
      await giveRoles(first, email, roles);
      return login(served, surface, email);
    },
    async invite(name, ...roles) {
      const email = `${name}@example.com`;
      const { status, text } = await first.create(
        userAt(surface),
        surface === 'current' ? { email, password } : upper({ email, password }),
      );
      if (status >= 300) throw new Error(`making ${email}: ${text}`);
      await giveRoles(first, email, roles);
      return login(served, surface, email);
    },
  };
}

function userAt(surface: Surface): string {
  return surface === 'current' ? '/platform.auth/User' : '/Platform.Kernel.Identity/User';
}

async function giveRoles(admin: Person, assignee: string, roles: readonly string[]): Promise<void> {
  for (const role of roles) {
    const given = await admin.assign('RoleAssignment', { role, assignee });
    if (given.status >= 300) throw new Error(`role ${role} of ${assignee}: ${given.text}`);
  }
}

async function login(served: Served, surface: Surface, email: string): Promise<Person> {
  const answer = await clientOf(served, surface).login(email, password);
  return personOf(served, surface, email, { authorization: `Bearer ${tokenOf(answer, 'id-token')}` });
}

export function personOf(served: Served, surface: Surface, email: string, headers: Readonly<Record<string, string>>): Person {
  const target = (path: string): string => (surface === 'current' ? path : `/api${path}`);
  const module = surface === 'current' ? 'platform.rbac' : 'Platform.Kernel.Rbac';
  const person: Person = {
    email,
    headers,
    create: (path, values) => served.post(target(path), bodyAt(surface, path, values), headers),
    createAs: (path, body) => served.post(target(path), body, headers),
    read: (path) => served.get(target(path), headers),
    change: (path, values) => served.put(target(path), surface === 'current' ? values : { Data: values }, headers),
    remove: (path) => served.remove(target(path), headers),
    assign: (type, values) => person.create(person.at(type), surface === 'current' ? values : upper(values)),
    at: (type, id) => `/${module}/${type}${id === undefined ? '' : `/${id}`}`,
  };
  return person;
}

/** On the earlier surface a body is keyed by the type that the path ends with. */
function bodyAt(surface: Surface, path: string, values: unknown): unknown {
  if (surface === 'current') return values;
  const [, module = '', ...rest] = path.split('/');
  const key = `${module}/${rest.at(-1) ?? ''}`;
  return Array.isArray(values) ? values.map((each) => ({ [key]: each })) : { [key]: values };
}

/** Attributes of the service begin with an upper-case letter on the earlier surface. */
function upper(values: Values | readonly Values[]): unknown {
  if (Array.isArray(values)) return values.map(upper);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${name.charAt(0).toUpperCase()}${name.slice(1)}`, value]));
}

/** The instances of an answer, whatever the surface puts around them. */
export function instances({ body }: Answer): readonly Values[] {
  const [first] = Array.isArray(body) ? body : [];
  const result: unknown = Reflect.get(Object(first), 'result');
  const all: readonly unknown[] = Array.isArray(result) ? result : Array.isArray(body) ? body : body === undefined ? [] : [body];
  return all.map((each) => Object(each));
}

/** One attribute of the only instance of an answer, in either spelling. */
export function valueIn(answer: Answer, name: string): unknown {
  const [instance = {}] = instances(answer);
  return instance[name] ?? instance[`${name.charAt(0).toUpperCase()}${name.slice(1)}`];
}

/** The statuses of several requests, made one after the other. */
export async function statuses(...asked: readonly (() => Promise<Answer>)[]): Promise<readonly number[]> {
  const all: number[] = [];
  for (const each of asked) all.push((await each()).status);
  return all;
}
