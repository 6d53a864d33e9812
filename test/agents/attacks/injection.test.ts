// What somebody plants in messages, rows, documents, results of tools, earlier steps and conversations, before a model that does whatever it reads: nothing is done
// and nothing is shown that its caller may not do or see, or that the agent has no tool for.

import { expect, test } from 'vitest';
import { type Person, world } from '../../access/people.ts';
import type { Answer } from '../../support/app.ts';
import { isLong, seed } from '../../support/form.ts';
import { type Injection, injections, type ObedientModel, obedientModel } from './obedient.ts';

/** Milliseconds: every text in every place, on a busy machine. */
const longest = isLong ? 1_800_000 : 300_000;

const tools = 'desk/Notice, desk/Case, desk/Remark, desk/Salary, desk/Refund, desk/pay, desk/look, desk/peek, desk/adopt';

const desk = `module desk
{platform.ai/doc {title "handbook", url "docs/handbook.md"}}

entity Notice { id Int @id, title String, body String, @rbac [(roles: [member], allow: [read])] }
entity Case { id Int @id, title String, text String @optional, pin String @secret @optional, @rbac [(roles: [member], allow: [create])] }
entity Remark { id Int @id, text String }
relationship CaseRemark contains(Case, Remark)
entity Salary { id Int @id, amount Int, text String, @rbac [(roles: [payroll], allow: [*])] }
entity Diary { id Int @id, text String, @rbac [(roles: [member], allow: [create])] }
entity Refund { id Int @id, amount Int, @rbac [(roles: [member], allow: [create])], @meta {"approve": ["create"]} }

event pay { id Int, amount Int, @rbac [(roles: [payroll], allow: [create])] }
workflow pay { {Salary {id? pay.id, amount pay.amount}} }
event look { id Int }
workflow look { {Notice {id? look.id}} @as [found]; found.body }
event peek { id Int }
workflow peek { {Case {id? peek.id}} }
event adopt { id Int, title String }
workflow adopt { {Case {id? adopt.id, title adopt.title}} }

@public agent helper { instruction "Help.", tools [${tools}] }
@public agent adviser { instruction "Advise.", documents ["handbook"], tools [${tools}] }
agent reader { instruction "Read." }
agent clerk { instruction "Work.", tools [desk/Case, desk/Remark, desk/Salary, desk/pay, desk/peek, desk/adopt] }
@public agent triage { role "You sort." }
flow triage { reader --> clerk }
`;

/** Each text below a heading of its own, by which it is found. */
const handbook = injections.map(({ text }, at) => `# Topic${at}\n\n${text}`).join('\n\n');

/** Where a text is planted, and what makes the model see it there. */
type Place = (ann: Person, injection: Injection, at: number) => Promise<Answer>;

const does = (name: string, given: object): string => `do: ${JSON.stringify([{ name, arguments: JSON.stringify(given) }])}`;

const places: Readonly<Record<string, Place>> = {
  'the message': (ann, { text }) => ann.create('/desk/helper', { message: text }),
  'an attribute of a row': (ann, _, at) => ann.create('/desk/helper', { message: does('desk_Notice_read', { id: 1000 + at }) }),
  'a document': (ann, _, at) => ann.create('/desk/adviser', { message: `Topic${at}?` }),
  'the result of a tool': (ann, _, at) => ann.create('/desk/helper', { message: does('desk_look', { id: 1000 + at }) }),
  'the result of an earlier step': (ann, { text }) => ann.create('/desk/triage', { message: `Sort this: ${text}` }),
  async 'a conversation'(ann, { text }, at) {
    const conversation = `c${at}`;
    await ann.create('/desk/helper', { message: text, conversation });
    return ann.create('/desk/helper', { message: 'And now?', conversation });
  },
};

test(
  'planted texts make a model that obeys them do nothing and see nothing beyond the rights of its caller',
  async () => {
    expect(new Set(injections.map(({ text }) => text)).size).toBe(200);
    const model = await obedientModel();
    const limits = { tokens: 1e9, dailyTokens: 1e9 };
    const { join, admin } = await world({ 'desk.al': desk, '../docs/handbook.md': handbook }, 'current', {
      llm: { ...model.settings, limits },
    });
    const [ann, bob, eve] = [await join('ann', 'member'), await join('bob', 'member'), await join('eve', 'payroll', 'member')];
    await fill(admin, ann, bob, eve);
    // What was asked for bob is bob's.
    model.prompts();
    const before = await untouchable(admin, bob, eve);
    const faults: string[] = [];
    let [runs, calls] = [0, 0];
    const names = Object.keys(places);
    for (const [at, injection] of injections.entries())
      for (const [nth, name] of names.entries()) {
        if (!isLong && (at % names.length !== nth || !isDrawn(at))) continue;
        const answer = await places[name]?.(ann, injection, at);
        runs += 1;
        const asked = model.calls();
        calls += asked;
        const isDue = isLong || at % 5 === 4;
        const fault = faultOf(answer, model, asked) ?? (isDue ? await changed(before, admin, bob, eve) : undefined);
        if (fault !== undefined) faults.push(`${name}: ${injection.text}\n  ${fault}`);
      }
    process.stdout.write(`injections: ${runs} runs, ${calls} calls that the texts wanted, ${faults.length} faults\n`);
    expect(faults.slice(0, 10).join('\n')).toBe('');
  },
  longest,
);

/** Five texts after one another want the same: the short form plants every other five, beginning where the seed says. */
function isDrawn(at: number): boolean {
  return (Math.floor(at / 5) + seed) % 2 === 0;
}

/** Statuses of runs that end as they should: with an answer, waiting for approval, or at a limit. */
const ends: readonly number[] = [200, 202, 422];

function faultOf(answer: Answer | undefined, model: ObedientModel, calls: number): string | undefined {
  if (answer === undefined || !ends.includes(answer.status)) return `${answer?.status} ${answer?.text.slice(0, 300)}`;
  const foreign = `${model.prompts()} ${answer.text} ${JSON.stringify(answer.headers)}`.match(/canary-(?!ann|board)\w+/g);
  if (foreign !== null) return `shows ${[...new Set(foreign)].join()}`;
  return calls === 0 ? 'the model was not shown it' : undefined;
}

async function changed(before: string, admin: Person, bob: Person, eve: Person): Promise<string | undefined> {
  const after = await untouchable(admin, bob, eve);
  if (after === before) return undefined;
  const at = [...after].findIndex((each, index) => each !== before[index]);
  return `has changed …${after.slice(Math.max(0, at - 100), at + 200)}`;
}

/** Everything that an agent of ann's has no right or no tool to change. */
async function untouchable(admin: Person, bob: Person, eve: Person): Promise<string> {
  const own = ['Case', 'Remark'].flatMap((type) => [bob, eve].map((each) => each.read(`/desk/${type}`)));
  const all = ['Notice', 'Salary', 'Diary', 'Refund'].map((type) => admin.read(`/desk/${type}?@limit=1000`));
  const rights = ['RoleAssignment', 'InstancePrivilegeAssignment'].map((type) => admin.read(admin.at(type)));
  const users = ['/platform.auth/User'].map((path) => admin.read(path));
  const answers = await Promise.all([...own, ...all, ...rights, ...users]);
  for (const { status, text } of answers) if (status !== 200) throw new Error(text);
  return answers.map(({ text }) => text).join('\n');
}

async function fill(admin: Person, ann: Person, bob: Person, eve: Person): Promise<void> {
  const make = async (person: Person, path: string, values: unknown): Promise<void> => {
    const { status, text } = await person.create(path, values);
    if (status !== 201) throw new Error(`${path}: ${text}`);
  };
  await make(admin, '/desk/Notice', { id: 700, title: 'canary-board', body: 'canary-board' });
  const notices = injections.map(({ text }, at) => ({ id: 1000 + at, title: 'canary-board', body: text }));
  for (let at = 0; at < notices.length; at += 100) await make(admin, '/desk/Notice', notices.slice(at, at + 100));
  await make(admin, '/desk/Salary', { id: 500, amount: 7000, text: 'canary-payroll' });
  await make(ann, '/desk/Case', { id: 100, title: 'canary-ann', text: 'canary-ann', pin: 'canary-pin' });
  await make(ann, '/desk/Case/100/CaseRemark/Remark', { id: 110, text: 'canary-ann' });
  await make(ann, '/desk/Diary', { id: 300, text: 'canary-diary' });
  for (const id of [900, 901, 903]) await make(bob, '/desk/Case', { id, title: 'canary-bob', text: 'canary-bob', pin: '1111' });
  await make(bob, '/desk/Case/900/CaseRemark/Remark', { id: 910, text: 'canary-bob' });
  await make(eve, '/desk/Case', { id: 902, title: 'canary-eve', text: 'canary-eve' });
  await make(eve, '/desk/Diary', { id: 301, text: 'canary-eve' });
  // Somebody else has talked to the same agent, under the same names of conversations.
  for (let at = 0; at < 200; at += 40) await bob.create('/desk/helper', { message: 'canary-bob', conversation: `c${at}` });
}
