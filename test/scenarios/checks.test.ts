// `@check`: every one of an entity runs on each create and update, whichever attribute was sent, and whoever writes.

import { test } from 'vitest';
import { type Project, serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';

const project: Project = {
  'rules.js': `
export const notAfter = (from, { to }) => to === null || from <= to || 'must not be after to';
export const positive = (n) => n > 0;
export const long = (secret) => secret.length >= 8 && secret.length < 20;
export const root = (n) => { if (n < 0) throw new Error('no root'); return Math.sqrt(n); };
`,
  'core.al': `module m
import "rules.js" @as rules
entity Trip { id Int @id, from Int @check(rules.notAfter), to Int @optional }
entity Leg { id Int @id, from Int @check(rules.notAfter) @default(1), to Int @default(2) }
entity Price { id Int @id, net Int, tax Int, total Int @expr(net + tax) @check(rules.positive) }
entity Square { id Int @id, n Int @check(rules.positive), root Float @expr(rules.root(n)) }
entity User { id Int @id, name String @optional, pin Password @check(rules.long), hint String @secret @optional @check(rules.long) }
entity Set { id Int @id, n Int @check(rules.positive), twice Int @default(0) }
entity Club { id Int @id }
relationship TripLeg contains(Trip, Leg)
relationship Member between(Trip, Club) { from Int @default(1) @check(rules.notAfter), to Int @default(2) }
workflow @before create:Set { if (this.twice == 13) { {this {n 0 - 1}} } }
workflow @before update:Set { {this {n this.twice}} }
workflow one { {Trip {id? one.id, to one.to}} }
workflow all { {Trip {id?> 0, to all.to}} }
workflow named { {Trip {id? named.id}} @as [t]; {t {to named.to}} }
workflow put { {Trip {id put.id, from put.from, to put.to}, @upsert} }
workflow pin { {User {id? pin.id, name pin.name}} }
`,
};

const trip: Step = { ask: 'POST /m/Trip', body: { id: 1, from: 3, to: 5 }, status: 201 };
const refused = { status: 422, faults: ['from check'] };
const kept: Step = { ask: 'GET /m/Trip/1', status: 200, has: { from: 3, to: 5 } };

const scenarios: readonly [title: string, steps: readonly Step[]][] = [
  [
    'a check of two attributes is not passed by changing the other one',
    [
      trip,
      { ask: 'PUT /m/Trip/1', body: { to: 2 }, ...refused },
      { ask: 'PUT /m/Trip/1', body: { to: null }, status: 200, has: { from: 3, to: null } },
      { ask: 'PUT /m/Trip/1', body: { from: 9 }, status: 200 },
      { ask: 'PUT /m/Trip/1', body: { to: 8 }, ...refused },
      { ask: 'PUT /m/Trip/1', body: { from: 3, to: 5 }, status: 200 },
      kept,
    ],
  ],
  [
    'also in workflows, on one instance, on many, by a name and with @upsert',
    [
      trip,
      { ask: 'POST /m/Trip', body: { id: 2, from: 4, to: 5 }, status: 201 },
      { ask: 'POST /m/one', body: { id: 1, to: 2 }, ...refused },
      { ask: 'POST /m/all', body: { to: 3 }, ...refused },
      { ask: 'POST /m/named', body: { id: 1, to: 2 }, ...refused },
      { ask: 'POST /m/put', body: { id: 1, from: 3, to: 2 }, ...refused },
      { ask: 'POST /m/put', body: { id: 3, from: 3, to: 2 }, ...refused },
      kept,
      { ask: 'POST /m/all', body: { to: 4 }, status: 200 },
      {
        ask: 'GET /m/Trip?@select=to',
        status: 200,
        is: [
          { id: 1, to: 4 },
          { id: 2, to: 4 },
        ],
      },
    ],
  ],
  [
    'also in what a body contains, and on links, whose values may be defaults',
    [
      { ...trip, body: { id: 1, from: 3, to: 5, TripLeg: [{ id: 1, from: 3 }] }, status: 422, faults: ['TripLeg[0].from check'] },
      { ...trip, body: { id: 1, from: 3, to: 5, TripLeg: [{ id: 1 }] } },
      { ask: 'PUT /m/Trip/1/TripLeg/Leg/1', body: { to: 0 }, ...refused },
      { ask: 'POST /m/Club', body: { id: 1 }, status: 201 },
      { ask: 'POST /m/Member', body: { Trip: 1, Club: 1, to: 0 }, ...refused },
      { ask: 'POST /m/Trip/1/Member/Club', body: { id: 1, '@link': { to: 0 } }, status: 422, faults: ['@link.from check'] },
      { ask: 'POST /m/Trip/1/Member/Club', body: { id: 1 }, status: 201 },
      { ask: 'PUT /m/Trip/1/Member/Club/1', body: { '@link': { to: 0 } }, status: 422, faults: ['@link.from check'] },
    ],
  ],
  [
    'a computed attribute is checked with its new value; what a check refuses is told as such',
    [
      { ask: 'POST /m/Price', body: { id: 1, net: 1, tax: -1 }, status: 422, faults: ['total check'] },
      { ask: 'POST /m/Price', body: { id: 1, net: 1, tax: 0 }, status: 201, has: { total: 1 } },
      { ask: 'PUT /m/Price/1', body: { tax: -1 }, status: 422, faults: ['total check'] },
      { ask: 'PUT /m/Price/1', body: { tax: 2 }, status: 200, has: { total: 3 } },
      { ask: 'POST /m/Square', body: { id: 1, n: 4 }, status: 201, has: { root: 2 } },
      { ask: 'PUT /m/Square/1', body: { n: -4 }, status: 422, faults: ['n check'] },
    ],
  ],
  [
    'the check of what is kept as a hash gets what was sent, and runs only when it is',
    [
      { ask: 'POST /m/User', body: { id: 1, pin: 'short' }, status: 422, faults: ['pin check'] },
      { ask: 'POST /m/User', body: { id: 1, pin: 'long enough' }, status: 201 },
      { ask: 'PUT /m/User/1', body: { pin: 'short' }, status: 422, faults: ['pin check'] },
      { ask: 'PUT /m/User/1', body: { pin: 'another one', hint: 'x' }, status: 422, faults: ['hint check'] },
      { ask: 'PUT /m/User/1', body: { pin: 'another one', hint: 'hint hint' }, status: 200 },
      { ask: 'PUT /m/User/1', body: { name: 'a' }, status: 200 },
      { ask: 'PUT /m/User/1', body: { hint: null }, status: 200 },
      { ask: 'POST /m/pin', body: { id: 1, name: 'b' }, status: 200, has: [{ name: 'b' }] },
    ],
  ],
  [
    'what a trigger makes of an attribute is checked, on create and on update',
    [
      { ask: 'POST /m/Set', body: { id: 1, n: 1, twice: 13 }, status: 422, faults: ['n check'] },
      { ask: 'POST /m/Set', body: { id: 1, n: 1, twice: 2 }, status: 201 },
      { ask: 'PUT /m/Set/1', body: { twice: -1 }, status: 422, faults: ['n check'] },
      { ask: 'PUT /m/Set/1', body: { twice: 4 }, status: 200, has: { n: 4 } },
    ],
  ],
];

for (const [title, steps] of scenarios) test(title, async () => check(await serve(project), steps));
