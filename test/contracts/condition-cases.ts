// The documents that conditions are tried on, the conditions, and which of the documents each caller gets by them.

import type { EntityPlan } from '../../src/plan/plan.ts';
import { both, type Condition, everything } from '../../src/plan/query/condition.ts';
import { existsAlong, existsWith, foundBy } from '../../src/plan/query/exists.ts';
import { type RelatedWay, wayNamed } from '../../src/plan/query/related.ts';
import { pathColumn } from '../../src/plan/rows/tables.ts';
import type { Value } from '../../src/values/value.ts';

export const model = `module m
entity Org { id Int @id, owner String }
entity Dept { id Int @id, owner String }
entity Doc { id Int @id, owner String @optional, status String, size Int, due DateTime, audience String, folder Int @ref(Folder.id) @optional }
entity Note { id Int @id, author String }
entity Folder { id Int @id, owner String }
entity Tag { name String @id, owner String }
entity Cover { id Int @id, owner String }
entity Ownership { id Int @id, resource String, resourceId String, assignee String }
entity RoleAssignment { id Int @id, role String, assignee String }
relationship OrgDept contains(Org, Dept)
relationship DeptDoc contains(Dept, Doc)
relationship DocNote contains(Doc, Note)
relationship DocTag between(Doc, Tag) { by String }
relationship DocCover between(Doc, Cover) @one_one
{Folder {id 1, owner "ann"}}
{Folder {id 2, owner "bob"}}
{Tag {name "red", owner "ann"}}
{Tag {name "blue", owner "bob"}}
{Cover {id 1, owner "ann"}}
{Cover {id 2, owner "bob"}}
{Org {id 1, owner "ann"}, OrgDept [
  {Dept {id 1, owner "bob"}, DeptDoc [
    {Doc {id 1, owner "ann", status "open", size 5, due "2020-01-01T00:00:00Z", audience "staff", folder 1}, DocNote [{Note {id 1, author "ann"}}, {Note {id 2, author "bob"}}]},
    {Doc {id 2, owner "bob", status "done", size 15, due "2999-01-01T00:00:00Z", audience "boss", folder 2}, DocNote [{Note {id 1, author "ann"}}]}]},
  {Dept {id 2, owner "ann"}, DeptDoc [
    {Doc {id 3, status "new", size 25, due "2020-01-01T00:00:00+05:00", audience "public"}}]}]}
{Org {id 2, owner "bob"}, OrgDept [
  {Dept {id 3, owner "ann"}, DeptDoc [
    {Doc {id 4, owner "cid", status "open", size 35, due "2999-06-01T00:00:00Z", audience "staff", folder 1}, DocNote [{Note {id 1, author "cid"}}]},
    {Doc {id 5, owner "ann", status "done", size 45, due "2020-06-01T00:00:00Z", audience "boss", folder 2}}]},
  {Dept {id 4, owner "cid"}, DeptDoc [
    {Doc {id 6, owner "bob", status "new", size 55, due "2020-02-01T00:00:00Z", audience "public"}, DocNote [{Note {id 9, author "bob"}}]}]}]}
{Ownership {id 1, resource "m/Doc", resourceId "path://m$Org/1/m$OrgDept/m$Dept/1/m$DeptDoc/m$Doc/2", assignee "ann"}}
{Ownership {id 2, resource "m/Dept", resourceId "path://m$Org/2/m$OrgDept/m$Dept/4", assignee "ann"}}
{Ownership {id 3, resource "m/Org", resourceId "1", assignee "bob"}}
{Ownership {id 4, resource "m/Other", resourceId "path://m$Org/1/m$OrgDept/m$Dept/1/m$DeptDoc/m$Doc/1", assignee "bob"}}
{RoleAssignment {id 1, role "boss", assignee "ann"}}
{RoleAssignment {id 2, role "staff", assignee "bob"}}
`;

/** Links are made by the store itself, and their ends are keys. */
export const tagLinks: readonly (readonly [doc: number, tag: string, by: string])[] = [
  [1, 'red', 'ann'],
  [1, 'blue', 'bob'],
  [4, 'blue', 'ann'],
  [6, 'red', 'bob'],
];
export const coverLinks: readonly (readonly [doc: number, cover: number])[] = [
  [2, 1],
  [5, 2],
];

export const callers = { ann: ['boss', 'public'], bob: ['staff'], cid: [] };
export type User = keyof typeof callers;
export const all = [1, 2, 3, 4, 5, 6];

export const byCaller = (column: string): Condition => ({ kind: 'compare', column, operator: 'eq', value: { ambient: 'caller.user' } });
export const is = (column: string, ...constants: readonly Value[]): Condition => ({
  kind: 'compare',
  column,
  operator: 'in',
  value: { constants },
});

export type Named = (name: string) => EntityPlan;
type Ids = Readonly<Record<User, readonly number[]>>;
type Row3 = readonly [title: string, make: (entity: Named) => Condition, expected: Ids | readonly number[]];

/** Of documents: which each caller gets, or all of them get. */
export const conditions: readonly Row3[] = [
  ['everything', () => everything, all],
  ['an attribute is the caller', () => byCaller('owner'), { ann: [1, 5], bob: [2, 6], cid: [4] }],
  ['constants', () => is('status', 'open', 'new'), [1, 3, 4, 6]],
  ['no constants', () => is('status'), []],
  ['a range of constants', () => ({ kind: 'compare', column: 'size', operator: 'between', value: { constants: [15, 35] } }), [2, 3, 4]],
  ['the time of the request', () => ({ kind: 'compare', column: 'due', operator: 'lt', value: { ambient: 'now' } }), [1, 3, 5, 6]],
  [
    'a role of the caller',
    () => ({ kind: 'compare', column: 'audience', operator: 'in', value: { ambient: 'caller.roles' } }),
    { ann: [2, 3, 5, 6], bob: [1, 4], cid: [] },
  ],
  ['a pattern', () => ({ kind: 'compare', column: 'owner', operator: 'like', value: { constants: ['%n%'] } }), [1, 5]],
  [
    'the parent',
    (of) => existsAlong(way(of('Doc'), 'DeptDoc'), of('Doc').key, byCaller('owner')),
    { ann: [3, 4, 5], bob: [1, 2], cid: [6] },
  ],
  [
    'the parent of the parent',
    (of) => {
      const org = existsAlong(way(of('Dept'), 'OrgDept'), of('Dept').key, byCaller('owner'));
      return existsAlong(way(of('Doc'), 'DeptDoc'), of('Doc').key, org);
    },
    { ann: [1, 2, 3], bob: [4, 5, 6], cid: [] },
  ],
  ['children', (of) => existsAlong(way(of('Doc'), 'DocNote'), of('Doc').key, byCaller('author')), { ann: [1, 2], bob: [1, 6], cid: [4] }],
  [
    'linked instances',
    (of) => existsAlong(way(of('Doc'), 'DocTag'), of('Doc').key, byCaller('owner')),
    { ann: [1, 6], bob: [1, 4], cid: [] },
  ],
  [
    'linked instances by what the link holds',
    (of) => existsAlong(way(of('Doc'), 'DocTag'), of('Doc').key, is('name', 'blue'), { ofLink: byCaller('by') }),
    { ann: [4], bob: [1], cid: [] },
  ],
  ['the one other', (of) => existsAlong(way(of('Doc'), 'DocCover'), of('Doc').key, byCaller('owner')), { ann: [2], bob: [5], cid: [] }],
  [
    'what an attribute refers to',
    (of) => existsWith(of('Folder').table, 'id', { column: 'folder' }, byCaller('owner')),
    { ann: [1, 4], bob: [2, 5], cid: [] },
  ],
  ['an owners table', (of) => owned(of, 'Doc', pathColumn), { ann: [2], bob: [], cid: [] }],
  [
    'owners of whatever it stands in, over keys of another type',
    (of) => {
      const org = existsAlong(way(of('Dept'), 'OrgDept'), of('Dept').key, owned(of, 'Org', 'id'));
      const dept = { kind: 'or', conditions: [owned(of, 'Dept', pathColumn), org] } as const;
      return { kind: 'or', conditions: [owned(of, 'Doc', pathColumn), existsAlong(way(of('Doc'), 'DeptDoc'), of('Doc').key, dept)] };
    },
    { ann: [2, 6], bob: [1, 2, 3], cid: [] },
  ],
  [
    'rows that have nothing to do with it',
    (of) => ({ kind: 'exists', table: of('RoleAssignment').table, where: both(byCaller('assignee'), is('role', 'boss')) }),
    { ann: all, bob: [], cid: [] },
  ],
  ['columns of two rows', (of) => existsAlong(way(of('Doc'), 'DocNote'), of('Doc').key, sameAs('author', 'owner', 1)), [1, 4, 6]],
  [
    'a column two scopes further out',
    (of) => {
      const folder: Condition = { kind: 'exists', table: of('Folder').table, where: sameAs('owner', 'owner', 2) };
      return existsAlong(way(of('Doc'), 'DocNote'), of('Doc').key, folder);
    },
    [1, 2, 6],
  ],
  [
    'few related rows that are found first',
    (of) => existsAlong(way(of('Doc'), 'DocTag'), of('Doc').key, byCaller('owner'), { exists: foundBy }),
    { ann: [1, 6], bob: [1, 4], cid: [] },
  ],
  [
    'a parent that is found first',
    (of) => existsAlong(way(of('Doc'), 'DeptDoc'), of('Doc').key, byCaller('owner'), { exists: foundBy }),
    { ann: [3, 4, 5], bob: [1, 2], cid: [6] },
  ],
  [
    'the opposite, where what is absent does not hold',
    () => ({ kind: 'not', condition: byCaller('owner') }),
    { ann: [2, 3, 4, 6], bob: [1, 3, 4, 5], cid: [1, 2, 3, 5, 6] },
  ],
  [
    'no such related row',
    (of) => ({ kind: 'not', condition: existsAlong(way(of('Doc'), 'DocNote'), of('Doc').key, byCaller('author')) }),
    { ann: [3, 4, 5, 6], bob: [2, 3, 4, 5], cid: [1, 2, 3, 5, 6] },
  ],
  [
    'all of it together',
    (of) => ({
      kind: 'and',
      conditions: [
        { kind: 'or', conditions: [byCaller('owner'), existsAlong(way(of('Doc'), 'DocTag'), of('Doc').key, byCaller('owner'))] },
        { kind: 'compare', column: 'due', operator: 'lt', value: { ambient: 'now' } },
        is('status', 'open', 'new'),
      ],
    }),
    { ann: [1, 6], bob: [1, 6], cid: [] },
  ],
];

function owned(of: Named, type: string, column: string): Condition {
  return existsWith(of('Ownership').table, 'resourceId', { column }, both(byCaller('assignee'), is('resource', `m/${type}`)));
}

function sameAs(column: string, other: string, outer: number): Condition {
  return { kind: 'columns', left: { column }, operator: 'eq', right: { column: other, outer } };
}

export function way(plan: EntityPlan, name: string): RelatedWay {
  const found = wayNamed(plan, name);
  if (found === undefined) throw new Error(`no way ${name} from ${plan.type}`);
  return found;
}
