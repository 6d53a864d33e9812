// Attacks on rows that are somebody's by what is known of them.

import { expect } from 'vitest';
import { watch } from '../../realtime/support.ts';
import { until } from '../../support/time.ts';
import { type Attack, type Stage, type Step, tool } from './stage.ts';

const strangers = ['eve', 'mal'] as const;

type Door = readonly [ask: string, body?: unknown];

/** At each door where a list, a count or one instance is asked for. */
const readings: readonly Door[] = [
  ['GET /law/File?@count=true'],
  ['GET /law/File/1'],
  ['GET /law/File?branch=north'],
  ['GET /law/File?@sort=-text&@limit=1'],
  ['GET /law/File?@select=text'],
  ['GET /law/File?@search=canary'],
  ['GET /law/File?@or=(text[like]="%25",id=1)'],
  ['GET /law/File?@rights=related'],
  ['GET /law/Shelf?@include=ShelfFile'],
  ['GET /law/Shelf/1?@tree=true'],
  ['GET /law/Shelf/1?@include=ShelfPaper,ShelfFile'],
  ['GET /law/Shelf/1/ShelfFile/File'],
  ['GET /law/Shelf/1/ShelfPaper/Paper'],
  ['GET /law/Shelf/1/ShelfPaper/Paper/1'],
  ['GET /law/Paper/1'],
  ['GET /law/ShelfFile'],
  ['GET /law/Unlike'],
  ['GET /law/Never'],
  ['GET /law/Without'],
  ['GET /law/Ranked?@sort=level'],
  ['GET /law/Both'],
  ['POST /law/allFiles', {}],
  ['POST /law/joined', {}],
  ['POST /law/counted', {}],
  ['POST /law/searched', { text: 'canary' }],
  [
    'POST /graphql',
    {
      query:
        '{ fileList { id text } fileCount file(id: 1) { text } shelfList { ShelfFile { text } ShelfPaper { text } ShelfFileLinks { File { text } } } }',
    },
  ],
  ['POST /graphql', { query: '{ shelfList(where: {ShelfFile: {text: {like: "%"}}}) { id ShelfFile { text } } }' }],
  ['GET /api/law/File'],
  ['GET /api/law/File/1'],
  ['GET /api/law/File?branch=north'],
  ['GET /api/law/Shelf/1/__tree'],
  ['GET /api/law/Shelf/1/ShelfPaper/Paper'],
  ['POST /api/law/LookupAll_File', { 'law/LookupAll_File': {} }],
  ['POST /api/law/Lookup_File', { 'law/Lookup_File': { id: 1 } }],
  ['POST /q', { Query: { from: 'law/File', where: ['=', 'branch', 'north'] } }],
  ['POST /q', { Query: { from: 'law/File', where: ['=', 'ShelfFile.Shelf.branch', 'north'] } }],
  ['POST /dynamic', { 'law/allFiles': {} }],
  ['POST /dynamic', { 'law/LookupAll_File': {} }],
  ['POST /mcp', tool('law_File_list', { where: { branch: 'north' } })],
  ['POST /mcp', tool('law_File_read', { id: 1 })],
  ['POST /mcp', tool('law_allFiles', {})],
  ['POST /mcp', { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'platform://law/File/1' } }],
];

/** At each door where something is written. */
const writings: readonly Door[] = [
  ['PUT /law/File/1', { text: 'changed' }],
  ['PUT /law/Shelf/1/ShelfFile/File/1', { text: 'changed' }],
  ['DELETE /law/File/1'],
  ['POST /law/File', { id: 77, branch: 'north', text: 'x' }],
  ['POST /law/Shelf/1/ShelfPaper/Paper', { id: 77, text: 'x' }],
  ['POST /law/ShelfFile', { Shelf: 1, File: 1 }],
  ['POST /law/changed', { id: 1 }],
  ['POST /law/dropped', { id: 1 }],
  ['POST /law/put', { id: 1 }],
  ['POST /graphql', { query: 'mutation { updateFile(id: 1, changes: {text: "changed"}) { text } }' }],
  ['POST /graphql', { query: 'mutation { deleteFile(id: 1) { text } }' }],
  ['PUT /api/law/File/1', { Data: { text: 'changed' } }],
  ['DELETE /api/law/File/1'],
  ['POST /api/law/Update_File', { 'law/Update_File': { id: 1, Data: { text: 'changed' } } }],
  ['POST /api/law/Delete_File', { 'law/Delete_File': { id: 1 } }],
  ['POST /api/law/Create_File', { 'law/Create_File': { Instance: { 'law/File': { id: 77, branch: 'north', text: 'x' } } } }],
  ['POST /mcp', tool('law_File_update', { id: 1, changes: { text: 'changed' } })],
  ['POST /mcp', tool('law_File_delete', { id: 1 })],
];

/** What asks for rows by what ann is not, or shows no text of them. */
const withoutText = ['GET /law/ShelfFile', 'GET /law/Without', 'GET /law/Both'];

function through(who: string, doors: readonly Door[], more: Partial<Step>): readonly Step[] {
  return doors.map(([ask, body]) => ({ who, ask, ...(body === undefined ? {} : { body }), ...more }));
}

const anything = [200, 201, 400, 403, 404, 405, 409, 422];
const untouched: readonly Step[] = [
  { who: 'admin', ask: 'GET /law/File/1', is: { id: 1, branch: 'north', text: 'canary north' } },
  { who: 'admin', ask: 'GET /law/File/77', status: 404 },
  { who: 'admin', ask: 'GET /law/Paper?id=77', is: [] },
  { who: 'admin', ask: 'GET /law/ShelfFile?@count=true', has: [{ Shelf: 1, File: 1 }] },
];

function atDoors(who: string): readonly Attack[] {
  return [
    {
      title: `${who}, of whom nothing is known, is told of no row at any door`,
      steps: [...through(who, [...readings, ...writings], { status: anything }), ...untouched],
    },
    {
      title: `${who} is counted nothing`,
      steps: [
        { who, ask: 'POST /law/counted', body: {}, has: [{ n: 0 }], status: [200] },
        {
          who,
          ask: 'POST /graphql',
          body: { query: '{ fileCount unlikeCount neverCount withoutCount }' },
          is: { data: { fileCount: 0, unlikeCount: 0, neverCount: 0, withoutCount: 0 } },
        },
        { who, ask: 'GET /law/Shelf?ShelfFile.File.text[like]=canary%25', is: [] },
        { who, ask: 'POST /q', body: { Query: { from: 'law/Shelf', where: ['like', 'ShelfFile.File.text', 'canary%'] } }, is: [] },
        { who, ask: 'GET /law/Shelf?ShelfPaper.Paper.text[like]=canary%25', is: [] },
      ],
    },
    {
      title: `to ${who} nothing is streamed`,
      async run({ served, headersOf, take }) {
        const targets = [
          '/law/File?@initial=true',
          '/law/Paper?@initial=true',
          '/law/Unlike?@initial=true',
          '/law/ShelfFile?@initial=true',
        ];
        const streams = await Promise.all(targets.map((target) => watch(served, target, { headers: headersOf(who) })));
        const own = await watch(served, '/law/Shelf', { headers: headersOf(who) });
        await take({ who: 'admin', ask: 'PUT /law/File/2', body: { text: 'canary south' } });
        await take({ who: 'admin', ask: 'PUT /law/Shelf/1', body: { name: `for ${who}` } });
        await own.until(2);
        for (const each of streams) expect(JSON.stringify(each.told)).not.toContain('canary');
      },
    },
  ];
}

const attacks: readonly Attack[] = [
  {
    title: 'each of these doors is one: it shows them to whom the rules give them',
    steps: through('ann', readings, { status: 200 }).map((step) =>
      withoutText.includes(step.ask) ? step : { ...step, shows: ['canary'] },
    ),
  },
  {
    title: 'who has a profile sees what is theirs, and no more',
    steps: [
      { who: 'ann', ask: 'GET /law/File?@select=id', is: [{ id: 1 }] },
      { who: 'bob', ask: 'GET /law/File?@select=id', is: [{ id: 2 }] },
      { who: 'ann', ask: 'GET /law/Paper?@select=text', has: [{ text: 'canary paper' }], shows: ['canary paper'] },
      { who: 'bob', ask: 'GET /law/Paper', is: [] },
      { who: 'ann', ask: 'GET /law/Unlike?@select=id', is: [{ id: 2 }] },
      { who: 'ann', ask: 'GET /law/Never?@select=id', is: [{ id: 2 }] },
      { who: 'ann', ask: 'GET /law/Without', is: [] },
      { who: 'cat', ask: 'GET /law/Without?@select=id', is: [{ id: 1 }] },
      { who: 'ann', ask: 'GET /law/Ranked?@select=id', is: [{ id: 1 }, { id: 2 }] },
      { who: 'bob', ask: 'GET /law/Ranked?@select=id', is: [{ id: 1 }] },
    ],
  },
  {
    title: 'an address is compared without case, and by nothing like it',
    steps: [
      { who: 'admin', ask: 'POST /law/Staff', body: { id: 50, email: 'Dan@Example.COM', branch: 'north' } },
      { who: 'dan', ask: 'GET /law/File?@select=id', is: [{ id: 1 }] },
      { who: 'admin', ask: 'PUT /law/Staff/50', body: { email: 'd_n@example.com' } },
      { who: 'dan', ask: 'GET /law/File', is: [] },
      { who: 'admin', ask: 'PUT /law/Staff/50', body: { email: 'dan@example.com.example.com' } },
      { who: 'dan', ask: 'GET /law/File', is: [] },
      { who: 'admin', ask: 'DELETE /law/Staff/50' },
    ],
  },
  {
    title: 'nobody makes or changes the profile that they are described by',
    steps: [
      { who: 'eve', ask: 'POST /law/Staff', body: { id: 60, email: 'eve@example.com', branch: 'north' }, status: 403 },
      {
        who: 'eve',
        ask: 'POST /graphql',
        body: { query: 'mutation { createStaff(input: {id: 61, email: "eve@example.com", branch: "north"}) { id } }' },
      },
      {
        who: 'eve',
        ask: 'POST /mcp',
        body: tool('law_Staff_create', { id: 62, email: 'eve@example.com', branch: 'north' }),
        status: anything,
      },
      { who: 'ann', ask: 'PUT /law/Staff/1', body: { branch: 'south' }, status: [403, 404] },
      { who: 'ann', ask: 'POST /law/moveMe', body: { branch: 'south' }, status: [200, 403, 404] },
      {
        who: 'admin',
        ask: 'GET /law/Staff?@select=id,branch',
        is: [
          { id: 1, branch: 'north' },
          { id: 2, branch: 'south' },
          { id: 3, branch: null },
          { id: 4, branch: 'north' },
        ],
      },
    ],
  },
  {
    title: 'a row is not given away, and not taken',
    steps: [
      { who: 'ann', ask: 'PUT /law/File/1', body: { branch: 'south' }, status: 403 },
      { who: 'ann', ask: 'PUT /law/File/1', body: { branch: null }, status: [403, 422] },
      { who: 'bob', ask: 'PUT /law/File/1', body: { branch: 'south' }, status: 404 },
      { who: 'bob', ask: 'POST /law/File', body: { id: 78, branch: 'north', text: 'x' }, status: 403 },
      {
        who: 'bob',
        ask: 'POST /law/File',
        body: [
          { id: 78, branch: 'south', text: 'x' },
          { id: 79, branch: 'north', text: 'x' },
        ],
        status: 403,
      },
      { who: 'bob', ask: 'POST /law/given', body: { id: 2, branch: 'north' }, status: 403 },
      {
        who: 'admin',
        ask: 'GET /law/File?@select=id,branch',
        is: [
          { id: 1, branch: 'north' },
          { id: 2, branch: 'south' },
        ],
      },
    ],
  },
  {
    title: 'a trigger that changes the row is judged with it',
    steps: [
      { who: 'ann', ask: 'POST /law/Shifting', body: { id: 5, branch: 'north' }, status: 403 },
      { who: 'bob', ask: 'POST /law/Shifting', body: { id: 5, branch: 'north' }, status: [201] },
    ],
  },
  {
    title: 'two profiles do not make one that neither is',
    steps: [
      { who: 'two', ask: 'GET /law/Both?@select=id', is: [] },
      { who: 'two', ask: 'GET /law/One?@select=id', is: [{ id: 1 }, { id: 2 }] },
    ],
  },
  {
    title: 'what is owned by an identifier is not inherited with the address',
    async run({ served, headersOf, take }) {
      await take({ who: 'eve', ask: 'POST /law/Own', body: { id: 1, by: '$id(eve)', text: 'x' }, status: 201 });
      await take({ who: 'bob', ask: 'POST /law/Own', body: { id: 2, by: '$id(eve)', text: 'x' }, status: 403 });
      await take({ who: 'bob', ask: 'GET /law/Own', is: [] });
      const users = await served.get('/platform.auth/User?email=gus@example.com', headersOf('admin'));
      await take({ who: 'gus', ask: 'POST /law/Own', body: { id: 3, by: '$id(gus)', text: 'x' }, status: 201 });
      expect(users.status).toBe(200);
      await take({ who: 'admin', ask: 'DELETE /platform.auth/User/gus@example.com' });
      await take({ who: 'admin', ask: 'POST /platform.auth/User', body: { email: 'gus@example.com', password: 'correct horse battery' } });
      const login = await served.post('/platform.auth/login', { email: 'gus@example.com', password: 'correct horse battery' });
      const headers = { authorization: `Bearer ${String(Reflect.get(Object(login.body), 'id-token'))}` };
      expect((await served.get('/law/Own', headers)).body).toEqual([]);
      expect((await served.get('/law/Own/3', headers)).status).toBe(404);
      const me = await served.get('/platform.auth/me', headers);
      expect(Reflect.get(Object(me.body), 'id')).toEqual(expect.any(String));
      await take({ who: 'admin', ask: 'GET /law/Own/3', lacks: [String(Reflect.get(Object(me.body), 'id'))] });
    },
  },
  {
    title: 'a path goes through what the caller may not read, and shows nothing of that',
    steps: [
      { who: 'eve', ask: 'GET /law/Letter?@select=id', is: [{ id: 1 }] },
      { who: 'eve', ask: 'GET /law/Letter/1', has: { id: 1, case: 1 } },
      { who: 'eve', ask: 'GET /law/Case', is: [] },
      { who: 'bob', ask: 'GET /law/Letter', is: [] },
      { who: 'bob', ask: 'PUT /law/Letter/1', body: { case: 2 }, status: 404 },
    ],
  },
  {
    title: 'a condition along a relationship is judged with the link that makes it true, and a link of others is not made',
    steps: [
      { who: 'eve', ask: 'GET /law/Page?@select=id', is: [{ id: 1 }] },
      { who: 'eve', ask: 'POST /law/PageTag', body: { Page: 2, Tag: 'public' }, status: [403, 404, 422] },
      { who: 'eve', ask: 'POST /law/Page/2/PageTag/Tag', body: { name: 'public' }, status: [403, 404, 422] },
      { who: 'eve', ask: 'POST /law/Tag/public/PageTag/Page', body: { id: 2 }, status: [403, 404, 409, 422] },
      { who: 'eve', ask: 'GET /law/Page?@select=id', is: [{ id: 1 }] },
      { who: 'eve', ask: 'GET /law/PageTag?Page=2', is: [] },
      { who: 'admin', ask: 'DELETE /law/Page/1/PageTag/Tag/public' },
      { who: 'eve', ask: 'GET /law/Page', is: [] },
      { who: 'admin', ask: 'POST /law/Page/1/PageTag/Tag', body: { name: 'public' }, status: [200, 201] },
    ],
  },
  {
    title: 'what is under a parent is not moved to where it could not be made',
    steps: [
      { who: 'ann', ask: 'POST /law/Shelf/1/ShelfPaper/Paper', body: { id: 5, text: 'mine' }, status: [201, 403] },
      {
        who: 'admin',
        ask: 'POST /platform.rbac/OwnershipAssignment',
        body: { resource: 'law/Paper', resourceId: 'path://law$Shelf/1/law$ShelfPaper/law$Paper/1', assignee: 'ann@example.com' },
      },
      { who: 'ann', ask: 'PUT /law/Paper/1', body: { '@parent': 'path://law$Shelf/2' }, status: 403 },
      { who: 'ann', ask: 'PUT /law/Paper/1', body: { '@parent': 'path://law$Shelf/2', text: 'x' }, status: 403 },
      { who: 'bob', ask: 'PUT /law/Paper/1', body: { '@parent': 'path://law$Shelf/2' }, status: 404 },
      { who: 'admin', ask: 'GET /law/Shelf/1/ShelfPaper/Paper/1', has: { text: 'canary paper' } },
    ],
  },
  {
    title: 'a profile that changes ends what it gave, also to those who watch',
    async run({ served, headersOf, take }) {
      await take({ who: 'admin', ask: 'POST /law/Staff', body: { id: 70, email: 'fay@example.com', branch: 'north' } });
      const stream = await watch(served, '/law/File', { headers: headersOf('fay') });
      await take({ who: 'fay', ask: 'GET /law/File/1', shows: ['canary'] });
      await take({ who: 'admin', ask: 'PUT /law/Staff/70', body: { branch: 'south' } });
      await take({ who: 'fay', ask: 'GET /law/File/1', status: 404 });
      const before = JSON.stringify(stream.told);
      await take({ who: 'admin', ask: 'PUT /law/File/1', body: { text: 'canary after' } });
      await take({ who: 'admin', ask: 'PUT /law/File/1', body: { text: 'canary north' } });
      const control = await watch(served, '/law/File?@initial=true', { headers: headersOf('ann') });
      await control.until(2);
      await until(() => stream.told.length >= 0);
      await Promise.race([stream.ended, control.until(2)]);
      expect(before).not.toContain('canary after');
      expect(JSON.stringify(stream.told)).not.toContain('canary after');
      await take({ who: 'admin', ask: 'DELETE /law/Staff/70' });
    },
  },
  {
    title: 'a key without roles has no profile',
    async run({ served, headersOf, take }) {
      await take({ who: 'ann', ask: 'GET /law/File/1', shows: ['canary north'] });
      const made = await served.post('/platform.auth/ApiKey', { name: 'narrow', roles: [] }, headersOf('ann'));
      const key = String(Reflect.get(Object(made.body), 'key'));
      const told = await served.get('/law/File', { authorization: `Bearer ${key}` });
      expect(told.text).not.toContain('canary');
    },
  },
];

export const conditions: Stage = {
  title: 'rows by what is known of the caller',
  model: `module law
entity Staff {
  id Int @id,
  email Email @unique,
  branch String @optional @indexed,
  level Int @default(1),
  @profile(email),
  @rbac [(roles: [hr], allow: [create, read, update])]
}
entity Desk { id Int @id, email Email @indexed, branch String, job String, @profile(email), @rbac [(roles: [hr], allow: [read])] }
entity File { id Int @id, branch String, text String @fulltext, @rbac [(roles: [*], allow: [create, read, update, delete], where: auth.Staff.branch = this.branch)], @meta {"creatorOwns": false} }
entity Unlike { id Int @id, branch String, text String, @rbac [(roles: [*], allow: [read], where: auth.Staff.branch != this.branch)] }
entity Never { id Int @id, branch String, text String, @rbac [(roles: [*], allow: [read], where: not (auth.Staff.branch = this.branch))] }
entity Without { id Int @id, text String, @rbac [(roles: [*], allow: [read], where: auth.Staff.branch is null)] }
entity Ranked { id Int @id, level Int, text String, @rbac [(roles: [*], allow: [read], where: auth.Staff.level >= this.level)] }
entity Both { id Int @id, branch String, text String, @rbac [(roles: [*], allow: [read], where: auth.Desk.branch = this.branch and auth.Desk.job = "boss")] }
entity One { id Int @id, branch String, @rbac [(roles: [*], allow: [read], where: auth.Desk.branch = this.branch)] }
entity Own { id Int @id, by String, text String, @meta {"creatorOwns": false}, @rbac [(roles: [*], allow: [create, read, update], where: auth.id = this.by)] }
entity Shelf { id Int @id, branch String, name String @optional, @rbac [(roles: [*], allow: [read])] }
entity Paper { id Int @id, text String, @rbac [(roles: [*], allow: [create, read, update], where: auth.Staff.branch = this.ShelfPaper.Shelf.branch)] }
relationship ShelfPaper contains(Shelf, Paper) @rbac [(roles: [hr], allow: [create])]
relationship ShelfFile between(Shelf, File)
entity Case { id Int @id, client String, secret String, @rbac [] }
entity Letter { id Int @id, case Int @ref(Case.id), @rbac [(roles: [*], allow: [read, update], where: auth.id = this.case.client)] }
entity Page { id Int @id, text String, @rbac [(roles: [*], allow: [read], where: this.PageTag.Tag.name = "public")] }
entity Tag { name String @id, @rbac [(roles: [*], allow: [create, read])] }
relationship PageTag between(Page, Tag)
entity Shifting { id Int @id, branch String, @meta {"creatorOwns": false}, @rbac [(roles: [*], allow: [create], where: auth.Staff.branch = this.branch)] }
workflow @before create:Shifting { {this {branch "south"}} }
workflow allFiles { {File? {}} }
workflow joined { {Shelf? {}, @join ShelfFile {Shelf? Shelf.id}, @join File {id? ShelfFile.File}, @into {text File.text}} }
workflow counted { {File? {}, @into {n @count(File.id), most @max(File.text)}} }
event searched { text String }
workflow searched { {File? searched.text} }
event changed { id Int }
workflow changed { {File {id? changed.id, text "changed"}} }
event dropped { id Int }
workflow dropped { delete {File {id? dropped.id}} }
event put { id Int }
workflow put { {File {id put.id, branch "north", text "changed"}, @upsert} }
event given { id Int, branch String }
workflow given { {File {id? given.id, branch given.branch}} }
event moveMe { branch String }
workflow moveMe { {Staff {email? auth.user, branch moveMe.branch}} }
`,
  people: { ann: {}, bob: {}, cat: {}, dan: {}, eve: {}, fay: {}, gus: {}, mal: { isUnverified: true }, two: {} },
  prepare: [
    ...['ann', 'bob', 'cat', 'mal'].map((name, at) => ({
      who: 'admin',
      ask: 'POST /law/Staff',
      body: {
        id: at + 1,
        email: `${name}@example.com`,
        ...[{ branch: 'north', level: 5 }, { branch: 'south' }, {}, { branch: 'north', level: 9 }][at],
      },
    })),
    {
      who: 'admin',
      ask: 'POST /law/Desk',
      body: [
        { id: 1, email: 'two@example.com', branch: 'north', job: 'clerk' },
        { id: 2, email: 'two@example.com', branch: 'south', job: 'boss' },
      ],
    },
    ...['File', 'Unlike', 'Never'].map((type) => ({
      who: 'admin',
      ask: `POST /law/${type}`,
      body: ['north', 'south'].map((branch, at) => ({ id: at + 1, branch, text: `canary ${branch}` })),
    })),
    { who: 'admin', ask: 'POST /law/Without', body: { id: 1, text: 'canary without' } },
    {
      who: 'admin',
      ask: 'POST /law/Ranked',
      body: [
        { id: 1, level: 1, text: 'canary 1' },
        { id: 2, level: 5, text: 'canary 5' },
        { id: 3, level: 6, text: 'canary 6' },
      ],
    },
    { who: 'admin', ask: 'POST /law/Both', body: [{ id: 1, branch: 'north', text: 'canary both' }] },
    {
      who: 'admin',
      ask: 'POST /law/One',
      body: [
        { id: 1, branch: 'north' },
        { id: 2, branch: 'south' },
        { id: 3, branch: 'west' },
      ],
    },
    {
      who: 'admin',
      ask: 'POST /law/Shelf',
      body: [
        { id: 1, branch: 'north' },
        { id: 2, branch: 'south' },
      ],
    },
    { who: 'admin', ask: 'POST /law/Shelf/1/ShelfPaper/Paper', body: { id: 1, text: 'canary paper' } },
    { who: 'admin', ask: 'POST /law/ShelfFile', body: { Shelf: 1, File: 1 } },
    {
      who: 'admin',
      ask: 'POST /law/Case',
      body: [
        { id: 1, client: '$id(eve)', secret: 'canary case' },
        { id: 2, client: '$id(bob)', secret: 'canary case' },
      ],
    },
    { who: 'admin', ask: 'POST /law/Letter', body: { id: 1, case: 1 } },
    {
      who: 'admin',
      ask: 'POST /law/Page',
      body: [
        { id: 1, text: 'page' },
        { id: 2, text: 'canary page' },
      ],
    },
    { who: 'admin', ask: 'POST /law/Tag', body: [{ name: 'public' }, { name: 'draft' }] },
    {
      who: 'admin',
      ask: 'POST /law/PageTag',
      body: [
        { Page: 1, Tag: 'public' },
        { Page: 2, Tag: 'draft' },
      ],
    },
  ],
  secrets: ['canary'],
  attacks: [...strangers.flatMap(atDoors), ...attacks],
};
