// Attacks on what runs as the system, and on events that have no path.

import { type Attack, type Stage, type Step, tool } from './stage.ts';

const people = ['eve', 'clerk', 'admin'] as const;

/** Each way to name an event from outside. */
const names = ['secret', 'quiet'] as const;

const closed: readonly Attack[] = people.map((who) => ({
  title: `an internal event has no path for ${who}`,
  steps: [
    ...names.flatMap((name): readonly Step[] => [
      ...['POST', 'GET', 'PUT', 'DELETE', 'PATCH'].map((method) => ({
        who,
        ask: `${method} /law/${name}`,
        ...(method === 'GET' || method === 'DELETE' ? {} : { body: { text: 'x' } }),
        status: [404],
      })),
      { who, ask: `POST /law/${name}/`, body: { text: 'x' }, status: 404 },
      { who, ask: `POST /law/%${name.charCodeAt(0).toString(16)}${name.slice(1)}`, body: { text: 'x' }, status: 404 },
      { who, ask: `POST /law/${name.toUpperCase()}`, body: { text: 'x' }, status: 404 },
      { who, ask: `POST /law/law$${name}`, body: { text: 'x' }, status: 404 },
      { who, ask: `POST /law/File/1/${name}`, body: { text: 'x' }, status: 404 },
      { who, ask: `POST /law/File/1/Has/${name}`, body: { text: 'x' }, status: 404 },
      { who, ask: `POST /law/${name}`, body: [{ text: 'x' }], status: 404 },
      { who, ask: `POST /law/${name}`, body: { text: 'x' }, send: { 'idempotency-key': 'k' }, status: 404 },
      { who, ask: `GET /law/${name}`, send: { accept: 'text/event-stream' }, status: 404 },
      {
        who,
        ask: `POST /graphql`,
        body: { query: `mutation { ${name}(input: {text: "x"}) }` },
        shows: ['errors'],
        status: [200, 400, 422],
      },
      {
        who,
        ask: `POST /graphql`,
        body: { query: `mutation { law_${name}(input: {text: "x"}) }` },
        shows: ['errors'],
        status: [200, 400, 422],
      },
      { who, ask: 'POST /mcp', body: tool(`law_${name}`, { text: 'x' }), has: { error: { code: -32602 } }, status: [200, 400] },
      { who, ask: 'POST /dynamic', body: { [`law/${name}`]: { text: 'x' } }, status: [400, 404] },
      { who, ask: `POST /api/law/${name}`, body: { [`law/${name}`]: { text: 'x' } }, status: [404] },
      {
        who,
        ask: `POST /platform/timer`,
        body: { name: `t-${who}-${name}`, duration: 1, unit: 'second', trigger: { [`law/${name}`]: { text: 'x' } } },
        status: [201, 403, 404, 422],
      },
    ]),
    { who, ask: 'GET /law/Trace', status: 200, lacks: ['by secret x', 'by quiet x'] },
    { who: 'admin', ask: 'GET /law/Trace?text=by%20secret%20x', is: [] },
  ],
}));

const unseen: readonly Attack[] = [
  {
    title: 'nothing describes an internal event',
    steps: people.flatMap((who): readonly Step[] => [
      { who, ask: 'GET /openapi.json', lacks: ['/law/secret', '/law/quiet', '/law/hush', 'law/secret'] },
      {
        who,
        ask: 'POST /graphql',
        body: { query: '{ __schema { mutationType { fields { name } } queryType { fields { name } } types { name } } }' },
        lacks: ['secret', 'quiet', 'hush'],
      },
      { who, ask: 'POST /mcp', body: { jsonrpc: '2.0', id: 1, method: 'tools/list' }, lacks: ['law_secret', 'law_quiet', 'law_hush'] },
      {
        who,
        ask: 'GET /platform/model',
        status: [200, 403, 404],
        lacks: ['law/secret', 'law/quiet', 'law/hush'],
      },
      {
        who,
        ask: 'POST /mcp',
        body: { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'platform://model' } },
        lacks: ['law/secret', 'law/quiet', 'law/hush'],
      },
      { who, ask: 'POST /law/hush', body: { message: 'x' }, status: 404 },
    ]),
  },
  {
    title: 'logic runs it, and it runs as that does',
    steps: [
      { who: 'eve', ask: 'POST /law/viaCaller', body: { text: 'a' }, status: 403 },
      { who: 'eve', ask: 'POST /law/viaSystem', body: { text: 'b' }, status: 200 },
      { who: 'eve', ask: 'POST /law/Mark', body: { id: 1 }, status: 201 },
      { who: 'admin', ask: 'GET /law/Trace?@select=text', shows: ['by secret b', 'by secret 1'], lacks: ['by secret a'] },
    ],
  },
  {
    title: 'a timer for an event that its maker may not run is refused',
    steps: [
      { who: 'eve', ask: 'POST /law/later', body: { name: 'law/secret' }, status: [403, 404, 422] },
      { who: 'eve', ask: 'POST /law/later', body: { name: 'law/mighty' }, status: [403, 404, 422] },
      { who: 'admin', ask: 'GET /platform/timer', is: [] },
    ],
  },
];

const system: readonly Attack[] = [
  {
    title: 'an event that runs as the system is admin’s until a rule says who may run it',
    steps: [
      { who: 'eve', ask: 'POST /law/mighty', body: { text: 'x' }, status: 403 },
      { who: 'clerk', ask: 'POST /law/mighty', body: { text: 'x' }, status: 403 },
      { who: 'eve', ask: 'POST /graphql', body: { query: 'mutation { mighty(input: {text: "x"}) }' }, lacks: ['"mighty":{', '"mighty":['] },
      {
        who: 'eve',
        ask: 'POST /mcp',
        body: tool('law_mighty', { text: 'x' }),
        lacks: ['"structuredContent":{"result":{'],
        status: [200, 400],
      },
      { who: 'eve', ask: 'POST /law/ruled', body: {}, status: 403 },
      { who: 'clerk', ask: 'POST /law/ruled', body: {}, status: 200, shows: ['"n"'] },
      { who: 'admin', ask: 'POST /law/mighty', body: { text: 'x' }, status: 200 },
    ],
  },
  {
    title: 'what a trigger names runs as the system there, and as its caller when it is posted',
    steps: [
      { who: 'eve', ask: 'POST /law/named', body: { Mark: { id: 2 } }, status: [403, 404, 422] },
      { who: 'eve', ask: 'POST /law/named', body: {}, status: [403, 404, 422] },
      { who: 'eve', ask: 'POST /law/Mark', body: { id: 3 }, status: 201 },
      { who: 'admin', ask: 'GET /law/Trace?@select=text', shows: ['named 3'], lacks: ['named 2'] },
    ],
  },
  {
    title: 'a check sees all rows, and says no more than it says',
    steps: [
      { who: 'clerk', ask: 'POST /law/Seat', body: { id: 1, no: 7, note: 'NOTE-CLERK' }, status: 201, shows: ['NOTE-CLERK'] },
      {
        who: 'eve',
        ask: 'POST /law/Seat',
        body: { id: 2, no: 7, note: 'x' },
        status: 422,
        shows: ['The seat is taken.'],
        lacks: ['NOTE-CLERK'],
      },
      { who: 'eve', ask: 'POST /law/Seat', body: { id: 2, no: 8, note: 'x' }, status: 201 },
      { who: 'eve', ask: 'GET /law/Seat?@select=id', is: [{ id: 2 }] },
    ],
  },
  {
    title: 'what such a workflow returns has no secret, whatever it stands in',
    steps: ['flat', 'list', 'nested', 'deep', 'removed', 'linked', 'copied'].map((name) => ({
      who: 'clerk',
      ask: `POST /law/${name}`,
      body: {},
      status: [200, 422],
      lacks: ['HASHME', '$argon2', 'ONLYWRITTEN', 'HIDDEN-1'],
    })),
  },
  {
    title: 'nor is it told through GraphQL, a tool of an assistant or a repeated request',
    steps: [
      {
        who: 'clerk',
        ask: 'POST /graphql',
        body: { query: 'mutation { nested }' },
        lacks: ['$argon2', 'ONLYWRITTEN', 'HIDDEN-1'],
        status: [200, 400, 422],
      },
      {
        who: 'clerk',
        ask: 'POST /graphql',
        body: { query: 'mutation { flat { id shut } }' },
        lacks: ['$argon2', 'ONLYWRITTEN', 'HIDDEN-1'],
        status: [200, 400, 422],
      },
      { who: 'clerk', ask: 'POST /mcp', body: tool('law_nested', {}), lacks: ['$argon2', 'ONLYWRITTEN', 'HIDDEN-1'] },
      { who: 'clerk', ask: 'POST /mcp', body: tool('law_flat', {}), lacks: ['$argon2', 'ONLYWRITTEN', 'HIDDEN-1'] },
      { who: 'clerk', ask: 'POST /law/flat', body: {}, send: { 'idempotency-key': 'once' }, lacks: ['$argon2', 'ONLYWRITTEN', 'HIDDEN-1'] },
      { who: 'clerk', ask: 'POST /law/flat', body: {}, send: { 'idempotency-key': 'once' }, lacks: ['$argon2', 'ONLYWRITTEN', 'HIDDEN-1'] },
    ],
  },
  {
    title: 'in it auth.user stays the caller',
    steps: ['clerk', 'eve'].map((who) => ({ who, ask: 'POST /law/whoami', body: {}, status: 200, has: { user: `${who}@example.com` } })),
  },
  {
    title: 'what it writes has no owner',
    steps: [
      { who: 'clerk', ask: 'POST /law/noted', body: { id: 5000 }, status: 200 },
      { who: 'clerk', ask: 'GET /law/Trace/5000', status: 404 },
      { who: 'clerk', ask: 'PUT /law/Trace/5000', body: { text: 'x' }, status: 404 },
      { who: 'clerk', ask: 'DELETE /law/Trace/5000', status: 404 },
      { who: 'admin', ask: 'GET /platform.rbac/OwnershipAssignment?resource=law/Trace', is: [] },
    ],
  },
  {
    title: 'a workflow that says it runs as its caller does so, whatever runs it',
    steps: [
      { who: 'eve', ask: 'POST /law/humble', body: {}, is: [] },
      { who: 'clerk', ask: 'POST /law/outer', body: {}, is: [], status: 200 },
    ],
  },
];

export const systems: Stage = {
  title: 'what runs as the system, and what has no path',
  model: `module law
entity Trace { id Int @id @autoincrement, text String, @rbac [(roles: [auditor], allow: [read])] }
entity Mark { id Int @id, @after {create named}, @rbac [(roles: [*], allow: [create, read])] }
entity File { id Int @id, text String, @rbac [(roles: [auditor], allow: [read])] }
entity Seat { id Int @id, no Int, note String, @rbac [(roles: [*], allow: [create])] }
entity Safe {
  id Int @id,
  open String,
  word Password,
  code String @secret,
  slip String @writeonly,
  shut String @optional @rbac [(roles: [auditor], allow: [read, update])],
  @rbac [(roles: [*], allow: [read])]
}
relationship SafeFile contains(Safe, File)
relationship SafeMark between(Safe, Mark)

event secret { text String }
@internal workflow secret { {Trace {text "by secret " + secret.text}} }
event quiet { text String, @rbac [(roles: [*], allow: [create])] }
@internal workflow quiet { {Trace {text "by quiet " + quiet.text}} }
@internal agent hush { instruction "Be silent." }
event viaCaller { text String }
workflow viaCaller { {secret {text viaCaller.text}} }
event viaSystem { text String, @rbac [(roles: [*], allow: [create])] }
@runAs(system) workflow viaSystem { {secret {text viaSystem.text}}; {"done": true} }
workflow @after create:Mark { {secret {text "" + this.id}} }
event named { }
workflow named { {Trace {text "named " + named.Mark.id}} }
event later { name String }
workflow later { {platform/timer {name "later", duration 60, unit "second", repeat false, trigger later.name}} }
event mighty { text String }
@runAs(system) workflow mighty { {Trace {text mighty.text}} }
event ruled { @rbac [(roles: [clerk], allow: [create])] }
@runAs(system) workflow ruled { {Trace? {}, @into {n @count(Trace.id)}} }
workflow @before create:Seat {
  {Seat {no? this.no}} @as [taken]
  if (taken != null) { throw("The seat is taken.") }
}
event flat { @rbac [(roles: [clerk], allow: [create])] }
@runAs(system) workflow flat { {Safe {id? 1}} @as [safe]; safe }
event list { @rbac [(roles: [clerk], allow: [create])] }
@runAs(system) workflow list { {Safe? {}} }
event nested { @rbac [(roles: [clerk], allow: [create])] }
@runAs(system) workflow nested { {Safe {id? 1}} @as [safe]; {"in": {"it": [safe]}, "word": safe.open} }
event deep { @rbac [(roles: [clerk], allow: [create])] }
@runAs(system) workflow deep { for each in {Safe? {}} { {"safe": each} } }
event removed { @rbac [(roles: [clerk], allow: [create])] }
@runAs(system) workflow removed { delete {Safe {id? 2}} }
event linked { @rbac [(roles: [clerk], allow: [create])] }
@runAs(system) workflow linked { {Safe {id? 1}, SafeFile {File? {}}} }
event copied { @rbac [(roles: [clerk], allow: [create])] }
@runAs(system) workflow copied { {Safe {id? 1, open "changed"}} }
event whoami { @rbac [(roles: [*], allow: [create])] }
@runAs(system) workflow whoami { {"user": auth.user, "id": auth.id} }
event noted { id Int, @rbac [(roles: [clerk], allow: [create])] }
@runAs(system) workflow noted { {Trace {id noted.id, text "noted"}}; {"done": true} }
@runAs(caller) workflow humble { {Trace? {}} }
event outer { @rbac [(roles: [clerk], allow: [create])] }
@runAs(system) workflow outer { {humble {}} }
`,
  people: { eve: {}, clerk: { roles: ['clerk'] } },
  prepare: [
    {
      who: 'admin',
      ask: 'POST /law/Safe',
      body: [1, 2].map((id) => ({ id, open: 'open', word: 'HASHME-word', code: 'HASHME-code', slip: 'ONLYWRITTEN', shut: 'HIDDEN-1' })),
    },
    { who: 'admin', ask: 'POST /law/Safe/1/SafeFile/File', body: { id: 1, text: 'file' } },
  ],
  secrets: ['HASHME', '$argon2', 'ONLYWRITTEN', 'HIDDEN-1'],
  attacks: [...closed, ...unseen, ...system],
};
