// A stage for attacks: a model, people, what there is, and what each attack is answered.

import { expect } from 'vitest';
import { bearerOf, clientOf, password } from '../../identity/accounts.ts';
import { type Answer, type Options, open, type Served } from '../../support/app.ts';
import { askFor } from '../../support/table.ts';
import { admin, withAccess } from '../people.ts';

export interface Who {
  readonly roles?: readonly string[];
  /** Signs up without a mail, so that nobody knows whose the address is; everybody else is made by admin. */
  readonly isUnverified?: boolean;
}

export interface Step {
  /** `admin`, or one of the people. */
  readonly who: string;
  /** `POST /law/File`. `$id(ann)` stands for `auth.id` of one of the people, here and in the body. */
  readonly ask: string;
  readonly body?: unknown;
  readonly send?: Readonly<Record<string, string>>;
  /** One of these; none said is one below 300. */
  readonly status?: number | readonly number[];
  /** The whole body. */
  readonly is?: unknown;
  /** Part of it. */
  readonly has?: unknown;
  /** Stands in the text. */
  readonly shows?: readonly string[];
  /** Does not stand in the text, besides the secrets of the stage. */
  readonly lacks?: readonly string[];
}

export interface Attack {
  readonly title: string;
  readonly steps?: readonly Step[];
  readonly run?: (stage: Opened) => Promise<void>;
}

export interface Stage {
  readonly title: string;
  readonly model: string;
  readonly people: Readonly<Record<string, Who>>;
  readonly options?: Options;
  readonly prepare: readonly Step[];
  /** Texts that nobody is told but who has a right to: a step that says `shows` is of one of them. */
  readonly secrets: readonly string[];
  readonly attacks: readonly Attack[];
}

export interface Opened {
  readonly served: Served;
  readonly stage: Stage;
  readonly ids: ReadonlyMap<string, string>;
  headersOf(who: string): Readonly<Record<string, string>>;
  /** Asks, and looks whether the answer is what the step says. */
  take(step: Step): Promise<Answer>;
}

/** The caller closes it. */
export async function openStage(stage: Stage): Promise<Opened> {
  const served = await open(stage.model, {
    ...withAccess('current', { graphql: true, mcp: true, ...stage.options }),
    surfaces: ['current', 'earlier'],
  });
  const headers = new Map<string, Readonly<Record<string, string>>>([
    ['nobody', {}],
    ['admin', await enter(served, admin)],
  ]);
  const ids = new Map<string, string>();
  const headersOf = (who: string): Readonly<Record<string, string>> => {
    const found = headers.get(who);
    if (found === undefined) throw new Error(`there is no ${who}`);
    return found;
  };
  for (const [name, who] of Object.entries(stage.people)) {
    headers.set(name, await join(served, `${name}@example.com`, who, headersOf('admin')));
    const { body } = await served.get('/platform.auth/me', headersOf(name));
    ids.set(name, String(Reflect.get(Object(body), 'id')));
  }
  const opened: Opened = { served, stage, ids, headersOf, take: (step) => take(step, opened) };
  for (const step of stage.prepare) await opened.take(step);
  return opened;
}

async function enter(served: Served, email: string): Promise<Readonly<Record<string, string>>> {
  return bearerOf(await clientOf(served, 'current').login(email, password));
}

async function join(
  served: Served,
  email: string,
  { roles = [], isUnverified = false }: Who,
  headers: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const made = isUnverified
    ? await clientOf(served, 'current').signUp({ email, password })
    : await served.post('/platform.auth/User', { email, password }, headers);
  if (made.status >= 300) throw new Error(`${email}: ${made.text}`);
  for (const role of roles) {
    const given = await served.post('/platform.rbac/RoleAssignment', { role, assignee: email }, headers);
    if (given.status >= 300) throw new Error(`${role} of ${email}: ${given.text}`);
  }
  return enter(served, email);
}

async function take(step: Step, { served, stage, ids, headersOf }: Opened): Promise<Answer> {
  const { who, ask, body, send = {}, status, shows = [], lacks = [] } = step;
  const named = (text: string): string => text.replace(/\$id\((\w+)\)/g, (_, name: string) => ids.get(name) ?? '');
  const asked = { ask: named(ask), status: 200, send: { ...acceptOf(ask), ...headersOf(who), ...send } };
  const answer = await askFor(served, body === undefined ? asked : { ...asked, text: named(JSON.stringify(body)) });
  const title = `${who}: ${ask} ${JSON.stringify(body) ?? ''}\n${answer.status} ${answer.text.slice(0, 600)}`;
  if (status === undefined) expect(answer.status, title).toBeLessThan(300);
  else expect([status].flat(), title).toContain(answer.status);
  if ('is' in step) expect(answer.body, title).toEqual(step.is);
  if (step.has !== undefined) expect(answer.body, title).toMatchObject(Object(step.has));
  for (const each of shows) expect(answer.text, title).toContain(each);
  const told = `${answer.text} ${JSON.stringify(answer.headers)}`;
  const isPrivileged = who === 'admin' || shows.length > 0;
  for (const each of [...lacks, ...(isPrivileged ? [] : stage.secrets)]) expect(told.includes(each), `${title}\ntells ${each}`).toBe(false);
  return answer;
}

function acceptOf(ask: string): Readonly<Record<string, string>> {
  return ask === 'POST /mcp' ? { accept: 'application/json, text/event-stream' } : {};
}

/** What a tool of an assistant is called with. */
export function tool(
  name: string,
  given: object,
): { readonly jsonrpc: '2.0'; readonly id: 1; readonly method: string; readonly params: object } {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } };
}
