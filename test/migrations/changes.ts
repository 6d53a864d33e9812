// Twenty and more ways in which a model changes over filled tables, as data: who does it, what is served then, what is said.

import { expect } from 'vitest';
import type { Step } from '../support/table.ts';

export const first = `
module m
entity P { id Int @id, name String @optional, kind @enum("a", "b") @default("a") @indexed, n Int @optional }
entity K { id Int @id, note String @optional }
entity T { id Int @id, label String @optional }
entity N { id Int @id }
relationship R contains(P, K)
relationship D contains(K, N)
relationship L between(P, T)
`;

export const rows: readonly Step[] = [
  { ask: 'POST /m/P', body: { id: 1, name: '10', n: 7, R: [{ id: 1, note: 'k', D: [{ id: 5 }] }] }, status: 201 },
  { ask: 'POST /m/P', body: { id: 2, name: '20', kind: 'b', n: 7, R: [{ id: 2 }] }, status: 201 },
  { ask: 'POST /m/T', body: { id: 1, label: 'x' }, status: 201 },
  { ask: 'POST /m/T', body: { id: 2 }, status: 201 },
  { ask: 'POST /m/L', body: { P: 1, T: 1 }, status: 201 },
  { ask: 'POST /m/L', body: { P: 2, T: 2 }, status: 201 },
];

const p1 = { id: 1, name: '10', kind: 'a', n: 7 };
const p2 = { id: 2, name: '20', kind: 'b', n: 7 };
const k1 = { id: 1, note: 'k', __path__: 'path://m$P/1/m$R/m$K/1' };
const n5 = { id: 5, __path__: 'path://m$P/1/m$R/m$K/1/m$D/m$N/5' };

/** What the first model answers, before anything and after everything was undone. */
export const asBefore: readonly Step[] = [
  { ask: 'GET /m/P', status: 200, is: [p1, p2] },
  { ask: 'GET /m/P/1/R/K', status: 200, is: [k1] },
  { ask: 'GET /m/P/1/R/K/1/D/N/5', status: 200, is: n5 },
  { ask: 'GET /m/P/2/R/K/2', status: 200, has: { id: 2, note: null } },
  {
    ask: 'GET /m/T',
    status: 200,
    is: [
      { id: 1, label: 'x' },
      { id: 2, label: null },
    ],
  },
  { ask: 'GET /m/P/1/L/T', status: 200, is: [{ id: 1, label: 'x' }] },
  { ask: 'GET /m/P/2/L/T', status: 200, is: [{ id: 2, label: null }] },
];

export interface Evolution {
  readonly title: string;
  readonly next: string;
  /** Who does it: a start by itself, or only `migrate apply`; `nobody` while rows are in the way. */
  readonly by: 'start' | 'apply' | 'nobody';
  /** What a start says that refuses it. */
  readonly says?: RegExp;
  /** What the next model answers then. */
  readonly answers?: readonly Step[];
}

const change = (from: string, to: string): string => {
  expect(first).toContain(from);
  return first.replace(from, to);
};

export const evolutions: readonly Evolution[] = [
  {
    title: 'an attribute is renamed',
    next: change('name String @optional', 'title String @optional @was("name")'),
    by: 'start',
    answers: [
      { ask: 'GET /m/P/1', status: 200, is: { id: 1, title: '10', kind: 'a', n: 7 } },
      { ask: 'GET /m/P?title=20&@select=id', status: 200, is: [{ id: 2 }] },
    ],
  },
  {
    title: 'an entity with children and links is renamed',
    next: first.replace('entity P {', 'entity Q { @was("P"),').replaceAll('(P,', '(Q,'),
    by: 'start',
    answers: [
      { ask: 'GET /m/Q', status: 200, is: [p1, p2] },
      { ask: 'GET /m/Q/1/R/K', status: 200, is: [{ ...k1, __path__: 'path://m$Q/1/m$R/m$K/1' }] },
      { ask: 'GET /m/Q/1/R/K/1/D/N/5', status: 200, is: { ...n5, __path__: 'path://m$Q/1/m$R/m$K/1/m$D/m$N/5' } },
      { ask: 'GET /m/Q/1/L/T', status: 200, has: [{ id: 1 }] },
      { ask: 'POST /m/Q/1/R/K', body: { id: 1 }, status: 409 },
      { ask: 'POST /m/L', body: { Q: 1, T: 1 }, status: 409 },
    ],
  },
  {
    title: 'a contained entity is renamed',
    next: first.replace('entity K {', 'entity C { @was("K"),').replace('(P, K)', '(P, C)').replace('(K, N)', '(C, N)'),
    by: 'start',
    answers: [
      { ask: 'GET /m/P/1/R/C/1', status: 200, is: { ...k1, __path__: 'path://m$P/1/m$R/m$C/1' } },
      { ask: 'GET /m/P/1/R/C/1/D/N/5', status: 200, is: { ...n5, __path__: 'path://m$P/1/m$R/m$C/1/m$D/m$N/5' } },
      { ask: 'POST /m/P/1/R/C', body: { id: 1 }, status: 409 },
    ],
  },
  {
    title: 'a contains relationship is renamed',
    next: change('relationship R contains(P, K)', 'relationship R2 contains(P, K) @was("R")'),
    by: 'start',
    answers: [
      { ask: 'GET /m/P/1/R2/K', status: 200, is: [{ ...k1, __path__: 'path://m$P/1/m$R2/m$K/1' }] },
      { ask: 'GET /m/P/1/R2/K/1/D/N', status: 200, has: [{ id: 5 }] },
      { ask: 'POST /m/P/1/R2/K', body: { id: 1 }, status: 409 },
      { ask: 'DELETE /m/P/2', status: 200 },
      { ask: 'GET /m/K', status: 200, has: [{ id: 1 }] },
      { ask: 'POST /m/P', body: { id: 2, name: '20', kind: 'b', n: 7, R2: [{ id: 2 }] }, status: 201 },
      { ask: 'POST /m/L', body: { P: 2, T: 2 }, status: 201 },
    ],
  },
  {
    title: 'a between relationship is renamed',
    next: change('relationship L between(P, T)', 'relationship M between(P, T) @was("L")'),
    by: 'start',
    answers: [
      { ask: 'GET /m/P/1/M/T', status: 200, has: [{ id: 1 }] },
      { ask: 'POST /m/M', body: { P: 1, T: 1 }, status: 409 },
    ],
  },
  {
    title: 'an attribute is dropped',
    next: change('name String @optional, ', ''),
    by: 'apply',
    says: /m\/P\.name is stored but no longer in the model; it has a value in 2 instances: 1, 2\n.*migrate apply retires it.*\n.*@was\("name"\) \(:was :name\)/,
    answers: [
      { ask: 'GET /m/P/1', status: 200, is: { id: 1, kind: 'a', n: 7 } },
      { ask: 'PUT /m/P/1', body: { n: 8 }, status: 200 },
      { ask: 'PUT /m/P/1', body: { n: 7 }, status: 200 },
    ],
  },
  {
    title: 'a required attribute is dropped, and does not keep anybody from writing',
    next: change('kind @enum("a", "b") @default("a") @indexed, ', ''),
    by: 'apply',
    says: /m\/P\.kind is stored but no longer in the model/,
    answers: [
      { ask: 'POST /m/P', body: { id: 9 }, status: 201 },
      { ask: 'DELETE /m/P/9', status: 200 },
    ],
  },
  {
    title: 'an entity at the end of a link is dropped',
    next: first.replace(/entity T .*\n/, '').replace(/relationship L .*\n/, ''),
    by: 'apply',
    says: /m\/T is stored but no longer in the model; it holds 2 instances: 1, 2\n(?:.*\n)+ {2}- m\/L is stored but/,
    answers: [
      { ask: 'GET /m/T', status: 404 },
      { ask: 'GET /m/P', status: 200, is: [p1, p2] },
    ],
  },
  {
    title: 'a contained entity is dropped, and its parents can be deleted',
    next: first.replace(/entity N .*\n/, '').replace(/relationship D .*\n/, ''),
    by: 'apply',
    says: /m\/N is stored but no longer in the model; it holds 1 instance: path:\/\/m\$P\/1\/m\$R\/m\$K\/1\/m\$D\/m\$N\/5/,
    answers: [{ ask: 'GET /m/P/1/R/K/1', status: 200, is: k1 }],
  },
  {
    title: 'a type changes to a wider one',
    next: change('n Int @optional', 'n String @optional'),
    by: 'apply',
    says: /m\/P\.n is stored as Int and would become String\n.*migrate apply converts the 2 values/,
    answers: [
      { ask: 'GET /m/P/1', status: 200, is: { ...p1, n: '7' } },
      { ask: 'PUT /m/P/1', body: { n: '7' }, status: 200 },
    ],
  },
  {
    title: 'a type changes to a narrower one that all values fit',
    next: change('name String @optional', 'name Int @optional'),
    by: 'apply',
    says: /m\/P\.name is stored as String and would become Int/,
    answers: [{ ask: 'GET /m/P?name[gt]=15', status: 200, is: [{ ...p2, name: 20 }] }],
  },
  {
    title: 'an Int becomes a Decimal, and is sorted as one',
    next: change('n Int @optional', 'n Decimal @optional'),
    by: 'apply',
    says: /m\/P\.n is stored as Int and would become Decimal/,
    answers: [
      { ask: 'PUT /m/P/2', body: { n: '10.5' }, status: 200 },
      {
        ask: 'GET /m/P?@sort=-n&@select=id,n',
        status: 200,
        is: [
          { id: 2, n: '10.5' },
          { id: 1, n: '7' },
        ],
      },
      { ask: 'PUT /m/P/2', body: { n: '7' }, status: 200 },
    ],
  },
  {
    title: 'a value becomes a list',
    next: change('name String @optional', 'name String[] @optional'),
    by: 'apply',
    says: /m\/P\.name is stored as String and would become String\[\]/,
    answers: [{ ask: 'GET /m/P/1', status: 200, is: { ...p1, name: ['10'] } }],
  },
  {
    title: 'a type changes to one that a value does not fit',
    next: change('label String @optional', 'label Int @optional'),
    by: 'nobody',
    says: /m\/T\.label is stored as String and would become Int, but 1 instance holds a value that does not fit: 1\n.*change those values first\n.*new attribute.*event.*retire/,
  },
  {
    title: 'a format is asked for that a value does not have',
    next: change('name String @optional', 'name Email @optional'),
    by: 'nobody',
    says: /m\/P\.name .*would become Email.*1, 2/,
  },
  {
    title: 'a secret is made of a plain value',
    next: change('name String @optional', 'name Password @optional'),
    by: 'nobody',
    says: /m\/P\.name .*no value of the one is one of the other/,
  },
  {
    title: 'an optional attribute becomes required, where an instance has none',
    next: change('label String @optional', 'label String'),
    by: 'nobody',
    says: /m\/T\.label would be required, but 1 stored instance has no value: 2\n.*apply --set m\/T\.label=<value>.*\n.*give them a value first/,
  },
  {
    title: 'an optional attribute becomes required, where all have one',
    next: change('name String @optional', 'name String'),
    by: 'start',
    answers: [
      { ask: 'GET /m/P/1', status: 200, is: p1 },
      { ask: 'POST /m/P', body: { id: 9 }, status: 422, faults: ['name required'] },
    ],
  },
  {
    title: 'a required attribute becomes optional',
    next: change('kind @enum("a", "b") @default("a")', 'kind @enum("a", "b") @optional'),
    by: 'start',
    answers: [{ ask: 'GET /m/P/1', status: 200, is: p1 }],
  },
  {
    title: 'a new required attribute without a default',
    next: change('label String @optional', 'label String @optional, size Int'),
    by: 'nobody',
    says: /m\/T\.size is required and has no default, but m\/T already holds 2 instances: 1, 2\n.*apply --set m\/T\.size=<value>.*\n.*@default \(:default\) that is a value.*\n.*@optional/,
  },
  {
    title: 'a new required attribute with a default',
    next: change('label String @optional', 'label String @optional, size Int @default(3)'),
    by: 'start',
    answers: [{ ask: 'GET /m/T/2', status: 200, is: { id: 2, label: null, size: 3 } }],
  },
  {
    title: 'unique over duplicates',
    next: change('n Int @optional', 'n Int @optional @unique'),
    by: 'nobody',
    says: /m\/P holds instances with the same n, which would have to be unique: 1, 2\n.*different values first/,
  },
  {
    title: 'unique over what is unique',
    next: change('name String @optional', 'name String @optional @unique'),
    by: 'start',
    answers: [{ ask: 'POST /m/P', body: { id: 9, name: '10' }, status: 409 }],
  },
  {
    title: 'a new unique attribute with one default for all',
    next: change('label String @optional', 'label String @optional, size Int @default(3) @unique'),
    by: 'nobody',
    says: /m\/T holds instances with the same size/,
  },
  {
    title: 'an enum without a value that is in use',
    next: change('@enum("a", "b")', '@enum("a", "c")'),
    by: 'nobody',
    says: /1 stored instance holds a value of m\/P\.kind that the model no longer allows: 2\n/,
  },
  {
    title: 'an enum with more values',
    next: change('@enum("a", "b")', '@enum("a", "b", "c")'),
    by: 'start',
    answers: [
      { ask: 'PUT /m/P/1', body: { kind: 'c' }, status: 200 },
      { ask: 'PUT /m/P/1', body: { kind: 'a' }, status: 200 },
    ],
  },
  {
    title: 'a contains relationship is dropped, and the children stay',
    next: change('relationship D contains(K, N)\n', ''),
    by: 'apply',
    says: /m\/D is stored but no longer in the model; by it stand 1 instance: path:(?:.*\n)+.*keys of m\/N change: its instances no longer stand under a parent/,
    answers: [
      { ask: 'GET /m/N/5', status: 200, is: { id: 5 } },
      { ask: 'GET /m/P/1/R/K', status: 200, is: [k1] },
    ],
  },
  {
    title: 'contains becomes between',
    next: change('relationship R contains(P, K)', 'relationship R between(P, K)'),
    by: 'apply',
    says: /m\/R was contains and is between from now on; 2 instances of m\/K/,
    answers: [
      { ask: 'GET /m/P/1/R/K', status: 200, is: [{ id: 1, note: 'k' }] },
      { ask: 'GET /m/P/2/R/K', status: 200, is: [{ id: 2, note: null }] },
      { ask: 'GET /m/K/1/D/N', status: 200, is: [{ id: 5, __path__: 'path://m$K/1/m$D/m$N/5' }] },
      { ask: 'POST /m/R', body: { P: 1, K: 1 }, status: 409 },
    ],
  },
  {
    title: 'between becomes contains',
    next: change('relationship L between(P, T)', 'relationship L contains(P, T)'),
    by: 'apply',
    says: /m\/L was between and is contains from now on; 2 links become the place of m\/T/,
    answers: [
      { ask: 'GET /m/P/1/L/T', status: 200, is: [{ id: 1, label: 'x', __path__: 'path://m$P/1/m$L/m$T/1' }] },
      { ask: 'POST /m/P/1/L/T', body: { id: 1 }, status: 409 },
    ],
  },
  {
    title: 'a link may stand once that stands once',
    next: change('L between(P, T)', 'L between(P, T) @one_one'),
    by: 'start',
    answers: [
      { ask: 'POST /m/L', body: { P: 1, T: 2 }, status: 409 },
      { ask: 'GET /m/P/1/L/T', status: 200, has: [{ id: 1 }] },
    ],
  },
  {
    title: 'another attribute identifies the instances',
    next: change('id Int @id, name String @optional', 'id Int @unique, name String @id'),
    by: 'apply',
    says: /keys of m\/P change: another attribute identifies its instances/,
    answers: [
      { ask: 'GET /m/P/20', status: 200, is: p2 },
      { ask: 'GET /m/P/10/R/K', status: 200, is: [{ ...k1, __path__: 'path://m$P/10/m$R/m$K/1' }] },
      { ask: 'GET /m/P/10/R/K/1/D/N', status: 200, has: [{ id: 5 }] },
      { ask: 'GET /m/P/10/L/T', status: 200, has: [{ id: 1 }] },
    ],
  },
  {
    title: 'the identifier changes its type, and what points at it follows',
    next: change('entity P { id Int @id', 'entity P { id String @id'),
    by: 'apply',
    says: /m\/P\.id is stored as Int and would become String/,
    answers: [
      { ask: 'GET /m/P/1', status: 200, is: { ...p1, id: '1' } },
      { ask: 'GET /m/P/1/R/K/1/D/N/5', status: 200, is: n5 },
      { ask: 'GET /m/P/2/L/T', status: 200, has: [{ id: 2 }] },
      { ask: 'POST /m/P/1/R/K', body: { id: 1 }, status: 409 },
    ],
  },
  {
    title: 'an attribute begins to refer to what is there',
    next: change('label String @optional', 'label String @optional, p Int @ref(P.id) @optional'),
    by: 'start',
    answers: [{ ask: 'PUT /m/T/1', body: { p: 9 }, status: 422, faults: ['p reference'] }],
  },
  {
    title: 'an attribute begins to refer to what is not there',
    next: change('n Int @optional', 'n Int @optional @ref(T.id)'),
    by: 'nobody',
    says: /m\/P\.n would refer to m\/T\.id, but in 2 instances it leads nowhere: 1, 2/,
  },
  {
    title: 'a computed attribute is new, and computed for what is stored',
    next: change('n Int @optional', 'n Int @optional, twice Int @expr(id * 2)'),
    by: 'start',
    answers: [{ ask: 'GET /m/P?twice=4', status: 200, has: [{ id: 2, twice: 4 }] }],
  },
  {
    title: 'an attribute that was set is computed from now on',
    next: change('n Int @optional', 'n Int @expr(id * 2)'),
    by: 'apply',
    says: /m\/P\.n would be computed, but has values that somebody has set, in 2 instances: 1, 2\n.*migrate apply retires those values/,
    answers: [{ ask: 'GET /m/P?n=4', status: 200, has: [{ id: 2, n: 4 }] }],
  },
  {
    title: 'new attributes with a default get it, whatever it is',
    next: change('n Int @optional', 'n Int @optional, no Int @autoincrement, l Int[] @default([1, 2]), o Map @default({"a": 1})'),
    by: 'start',
    answers: [
      { ask: 'GET /m/P/2', status: 200, has: { no: 2, l: [1, 2], o: { a: 1 } } },
      { ask: 'POST /m/P', body: { id: 9 }, status: 201, has: { no: 3 } },
      { ask: 'DELETE /m/P/9', status: 200 },
    ],
  },
  {
    title: 'an entity that stood alone is contained',
    next: `${first}entity G { id Int @id }\nrelationship S contains(G, T)`,
    by: 'apply',
    says: /keys of m\/T change: its instances stand under a parent from now on/,
    answers: [
      { ask: 'GET /m/T/1', status: 200, has: { id: 1, label: 'x' } },
      { ask: 'GET /m/P/1/L/T', status: 200, has: [{ id: 1 }] },
      { ask: 'POST /m/G', body: { id: 1, S: [{ id: 1 }] }, status: 201 },
      { ask: 'DELETE /m/G/1', status: 200 },
    ],
  },
];
