// Attacks on what its maker does not own.

import { type Stage, tool } from './stage.ts';

const made = { id: 9, text: 'mine' };

export const creators: Stage = {
  title: 'who makes what they do not own has no rights on it',
  model: `module law
entity Doc {
  id Int @id,
  text String @optional,
  stamp String @default("STAMP-1"),
  @meta {"creatorOwns": false},
  @rbac [(roles: [clerk], allow: [create]), (roles: [reader], allow: [read])]
}
entity Part { id Int @id, text String @optional }
relationship DocPart contains(Doc, Part)
entity Tag { id Int @id, @rbac [(roles: [clerk], allow: [create])] }
relationship DocTag between(Doc, Tag)
entity Trace { id Int @id, text String @default("STAMP-2") }
workflow @after create:Doc { {Trace {id this.id}} }
event make { id Int }
workflow make { {Doc {id make.id, text "by a workflow"}} @as doc; {"all": [doc]} }
event put { id Int }
workflow put { {Doc {id put.id, text "changed"}, @upsert} }
event found { id Int }
workflow found { {Doc {id? found.id}} }
`,
  people: { clerk: { roles: ['clerk'] }, reader: { roles: ['reader'] }, other: {} },
  prepare: [
    { who: 'admin', ask: 'POST /law/Doc', body: { id: 1, text: 'STAMP-0' } },
    { who: 'clerk', ask: 'POST /law/Doc', body: made },
    { who: 'clerk', ask: 'POST /law/Tag', body: { id: 1 } },
  ],
  secrets: ['STAMP-'],
  attacks: [
    {
      title: 'the answer to a create is the identifier alone where its maker may not read it',
      steps: [
        { who: 'clerk', ask: 'POST /law/Doc', body: { id: 10, text: 'mine' }, status: 201, is: { id: 10 } },
        { who: 'clerk', ask: 'POST /law/Doc', body: [{ id: 11 }, { id: 12 }], status: 201, is: [{ id: 11 }, { id: 12 }] },
      ],
    },
    {
      title: 'nor does a repeated request tell more than the first',
      steps: [
        { who: 'clerk', ask: 'POST /law/Doc', body: { id: 13 }, send: { 'idempotency-key': 'a' }, is: { id: 13 } },
        { who: 'clerk', ask: 'POST /law/Doc', body: { id: 13 }, send: { 'idempotency-key': 'a' }, is: { id: 13 } },
        { who: 'other', ask: 'POST /law/Doc', body: { id: 13 }, send: { 'idempotency-key': 'a' }, status: 403 },
      ],
    },
    {
      title: 'it is read, changed and deleted as what is not there',
      steps: [
        { who: 'clerk', ask: 'GET /law/Doc/9', status: 404 },
        { who: 'clerk', ask: 'GET /law/Doc/9?@tree=true', status: 404 },
        { who: 'clerk', ask: 'PUT /law/Doc/9', body: { text: 'x' }, status: 404 },
        { who: 'clerk', ask: 'DELETE /law/Doc/9', status: 404 },
        { who: 'clerk', ask: 'GET /law/Doc?@count=true', is: [] },
        { who: 'clerk', ask: 'GET /law/Doc?text=mine', is: [] },
        { who: 'clerk', ask: 'GET /law/Doc?@rights=true', is: [] },
        { who: 'reader', ask: 'GET /law/Doc/9', shows: ['STAMP-1'] },
      ],
    },
    {
      title: 'its maker makes nobody its owner, and grants nobody anything',
      steps: ['clerk', 'other'].flatMap((assignee) => [
        {
          who: 'clerk',
          ask: 'POST /platform.rbac/OwnershipAssignment',
          body: { resource: 'law/Doc', resourceId: '9', assignee: `${assignee}@example.com` },
          status: [403, 404, 422],
        },
        {
          who: 'clerk',
          ask: 'POST /platform.rbac/InstancePrivilegeAssignment',
          body: { resource: 'law/Doc', resourceId: '9', assignee: `${assignee}@example.com`, actions: ['read'] },
          status: [403, 404, 422],
        },
      ]),
    },
    {
      title: 'nothing is put into it, neither later nor with it',
      steps: [
        { who: 'clerk', ask: 'POST /law/Doc/9/DocPart/Part', body: { id: 1 }, status: 404 },
        { who: 'clerk', ask: 'POST /law/Doc', body: { id: 14, DocPart: [{ id: 1 }] }, status: 403 },
        { who: 'clerk', ask: 'POST /law/Doc', body: { id: 15, DocTag: [{ id: 1 }] }, status: [403, 422] },
        { who: 'clerk', ask: 'POST /law/DocTag', body: { Doc: 9, Tag: 1 }, status: [403, 422] },
        { who: 'admin', ask: 'GET /law/Doc?id[in]=14,15', is: [] },
      ],
    },
    {
      title: 'GraphQL gives no field of what it makes but the identifier',
      steps: [
        { who: 'clerk', ask: 'POST /graphql', body: { query: 'mutation { createDoc(input: {id: 16}) { id text stamp _version } }' } },
        {
          who: 'clerk',
          ask: 'POST /graphql',
          body: { query: '{ docList { id stamp } docCount doc(id: 16) { stamp } }' },
          has: { data: { docList: [], docCount: 0, doc: null } },
        },
        { who: 'admin', ask: 'GET /law/Doc/16', has: { id: 16 } },
      ],
    },
    {
      title: 'nor does a tool of an assistant',
      steps: [
        { who: 'clerk', ask: 'POST /mcp', body: tool('law_Doc_create', { id: 17 }) },
        { who: 'clerk', ask: 'POST /mcp', body: tool('law_Doc_read', { id: 17 }), has: { result: { isError: true } } },
        {
          who: 'clerk',
          ask: 'POST /mcp',
          body: tool('law_Doc_update', { id: 17, changes: { text: 'x' } }),
          has: { result: { isError: true } },
        },
        { who: 'clerk', ask: 'POST /mcp', body: tool('law_Doc_delete', { id: 17 }), has: { result: { isError: true } } },
        { who: 'admin', ask: 'GET /law/Doc/17', has: { text: null } },
      ],
    },
    {
      title: 'a workflow of its maker sees no more of it',
      steps: [
        { who: 'clerk', ask: 'POST /law/make', body: { id: 18 }, status: [200, 403] },
        { who: 'clerk', ask: 'POST /law/found', body: { id: 9 }, is: [] },
        { who: 'clerk', ask: 'POST /law/put', body: { id: 9 }, status: [403, 404, 409] },
        { who: 'admin', ask: 'GET /law/Doc/9', has: { text: 'mine' } },
      ],
    },
    {
      title: 'what the system writes for somebody is nobody’s',
      steps: [
        { who: 'admin', ask: 'GET /law/Trace/9', has: { id: 9 } },
        { who: 'clerk', ask: 'GET /law/Trace/9', status: 404 },
        { who: 'clerk', ask: 'GET /law/Trace', is: [] },
        { who: 'admin', ask: 'GET /platform.rbac/OwnershipAssignment?resource=law/Trace', is: [] },
        { who: 'admin', ask: 'GET /platform.rbac/OwnershipAssignment?resource=law/Doc', is: [] },
      ],
    },
    {
      title: 'whose identifier is taken is told apart by nothing but 409',
      steps: [
        { who: 'clerk', ask: 'POST /law/Doc', body: { id: 9 }, status: 409 },
        { who: 'clerk', ask: 'POST /law/Doc', body: { id: 1 }, status: 409, lacks: ['STAMP', 'mine'] },
        { who: 'other', ask: 'POST /law/Doc', body: { id: 9 }, status: 403 },
        { who: 'other', ask: 'POST /law/Doc', body: { id: 99 }, status: 403 },
      ],
    },
  ],
};
