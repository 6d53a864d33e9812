// Small parts of the languages that other parts build on: exact numbers, posted instances, subtypes.

import { describe, test } from 'vitest';
import { serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';

/** Title, the surface, the source, what is asked. */
type Row = readonly [title: string, surface: 'earlier' | 'current', source: string, steps: readonly Step[]];

const event = (name: string, attributes: object = {}): Pick<Step, 'ask' | 'body'> => ({
  ask: `POST /api/T/${name}`,
  body: { [`T/${name}`]: attributes },
});
const post = (name: string, body: object): Pick<Step, 'ask' | 'body'> => ({ ask: `POST /m/${name}`, body });

const long = '0.12345678901234567890123456789';
const wide = '12345678901234567890.5';

const numbers: readonly Row[] = [
  [
    'a decimal with more digits than a double holds is stored with all of them',
    'earlier',
    `(component :T)
(entity :E {:Id {:type :Int :guid true} :D {:type :Decimal :default ${long}M} :L {:listof :Decimal :default [${long} 1.50M]}})
(entity :O {:Id {:type :Int :guid true} :D {:oneof [${long}M 2.5M]}})
{:E {:Id 1 :D ${wide}}}
(dataflow :Make {:E {:Id 2 :D -${long}}})
(dataflow :Default {:E {:Id 3}})
(dataflow :Sum {:E {:Id? 1} :as [:X]} [:eval '(+ :X.D ${long}M)])
(dataflow :Find {:E {:D? ${wide}M}})
(dataflow :Near {:E {:D? 12345678901234567890.4}})
(dataflow :Over {:E? {:where [:> :D 12345678901234567890.49999999999]}})
(dataflow :Change {:E {:Id? 1 :D ${long}}})
(dataflow :Match {:E {:Id? 1} :as [:X]} [:match :X.D ${wide} "exact" "other"])
(event :Pass {:D :Decimal})
(dataflow :Pass :Pass.D)
(dataflow :Call {:Pass {:D ${long}}})`,
    [
      { ask: 'GET /api/T/E/1', status: 200, has: { D: wide, L: [long, '1.50'] } },
      { ...event('Make'), status: 200, has: { 'T/E': { D: `-${long}` } } },
      { ...event('Default'), status: 200, has: { 'T/E': { D: long } } },
      { ...event('Sum'), status: 200, is: '12345678901234567890.62345678901234567890123456789' },
      { ...event('Find'), status: 200, has: [{ Id: 1 }] },
      { ...event('Near'), status: 200, is: [] },
      { ...event('Over'), status: 200, has: [{ Id: 1 }] },
      { ...event('Match'), status: 200, is: 'exact' },
      { ...event('Change'), status: 200, has: [{ Id: 1, D: long }] },
      { ...event('Match'), status: 200, is: 'other' },
      { ...event('Call'), status: 200, is: long },
      { ...event('O', { Id: 1, D: long }), status: 200 },
      { ...event('O', { Id: 2, D: '2.50' }), status: 200 },
      { ...event('O', { Id: 3, D: '0.1234567890123457' }), status: 422 },
    ],
  ],
  [
    'a decimal with more digits than a double holds is exact wherever it stands',
    'current',
    `module m
entity E { id Int @id, d Decimal @default(${long}), f Float @default(3.14159265358979323846), l Decimal[] @default([${long}, -${long}]) }
entity O { id Int @id, d @enum(${long}, 2.5) @default(${long}), e Decimal @enum(1.50, 2) @default(1.5) }
entity C { id Int @id, d Decimal, twice Decimal @expr(d * 2.00000000000000000001) }
workflow Make { {E {id 1}} }
workflow Given { {E {id 2, d -${wide}, f 0.30000000000000004441}} }
workflow Find { {E {d? ${long}}} }
workflow Between { {E {d?between [0.12345678901234567890123456788, ${long}]}} }
workflow In { {E {d?in [1, -${wide}]}} }
workflow Where { {E? {}, @where(E.d < -12345678901234567890.49999999999)} }
workflow Plus { 0.1000000000000000000001 + 0.2 }
workflow Same { if (${long} == 0.12345678901234567890123456788) { "same" } else { "other" } }`,
    [
      { ...post('Make', {}), status: 200, has: { d: long, f: Math.PI, l: [long, `-${long}`] } },
      { ...post('Given', {}), status: 200, has: { d: `-${wide}`, f: 0.1 + 0.2 } },
      { ...post('Find', {}), status: 200, has: [{ id: 1 }] },
      { ...post('Between', {}), status: 200, has: [{ id: 1 }] },
      { ...post('In', {}), status: 200, has: [{ id: 2 }] },
      { ...post('Where', {}), status: 200, has: [{ id: 2 }] },
      { ...post('Plus', {}), status: 200, is: '0.3000000000000000000001' },
      { ...post('Same', {}), status: 200, is: 'other' },
      { ...post('O', { id: 1 }), status: 201, has: { d: long, e: '1.5' } },
      { ...post('O', { id: 2, d: '2.50', e: 2 }), status: 201, has: { d: '2.50', e: '2' } },
      { ...post('O', { id: 3, e: 3 }), status: 422 },
      { ...post('C', { id: 1, d: 1 }), status: 201, has: { twice: '2.00000000000000000001' } },
    ],
  ],
];

const posted: readonly Row[] = [
  [
    'what is computed of it is computed, whatever was sent, also in a record',
    'earlier',
    `(component :T)
(entity :R {:Id {:type :Int :guid true} :D {:type :Decimal :default 1M} :Two {:type :Decimal :expr '(* 2 :D)} :Four {:type :Decimal :expr '(* 2 :Two)}})
(event :See {:R :R})
(dataflow :See :See.R.Four)
(event :All {:Rs {:listof :R}})
(dataflow :All [:for-each :All.Rs :%.Two])
(event :Copy {:R :R})
(dataflow :Copy {:R {:Id 9} :from :Copy.R})
(dataflow :Again {:R {:Id? 9} :as [:Old]} [:delete :R {:Id 9}] {:R {} :from :Old})
(record :Rec {:A :Int :B {:type :Int :expr '(* 2 :A)} :C {:type :Int :expr '(+ :B 1)}})
(dataflow :Mk {:Rec {:A :Mk.A}})
(dataflow :Set {:Rec {} :from :Set.Data})
(record :May {:A {:type :Int :optional true} :B {:type :Int :expr '(* 2 :A)}})
(dataflow :Maybe {:May {:A :Maybe.A}})`,
    [
      { ...event('See', { R: { Id: 1, D: '3', Two: '100' } }), status: 200, is: '12' },
      { ...event('See', { R: { Id: 1, D: '3' } }), status: 200, is: '12' },
      { ...event('See', { R: { Id: 1 } }), status: 200, is: '4' },
      { ...event('All', { Rs: [{ Id: 1 }, { Id: 2, D: '5', Two: '1' }] }), status: 200, is: ['2', '10'] },
      { ...event('Copy', { R: { Id: 9, D: '3', Two: '100', Four: '7' } }), status: 200, has: { 'T/R': { Two: '6', Four: '12' } } },
      { ...event('Again', {}), status: 200, has: { 'T/R': { Id: 9, D: '3', Two: '6' } } },
      { ...event('Mk', { A: 2 }), status: 200, is: { 'T/Rec': { A: 2, B: 4, C: 5 } } },
      { ...event('Set', { Data: { A: 2, B: 7 } }), status: 422, has: [{ errors: [{ attribute: 'B', code: 'computed' }] }] },
      {
        ...event('Maybe', {}),
        status: 422,
        has: [
          {
            errors: [
              {
                attribute: 'B',
                code: 'required',
                message: 'is required, and nothing comes out of what it is computed from: A is absent',
              },
            ],
          },
        ],
      },
    ],
  ],
  [
    'decimals that are written in a pattern keep their digits, as those of a default do',
    'earlier',
    `(component :T)
(record :Fee {:D :Decimal})
(entity :P {:Id {:type :Int :guid true} :D {:type :Decimal :default 1.10M} :L {:listof :Decimal :optional true} :F {:type :Fee :optional true}})
(dataflow :Mk {:P {:Id 1 :D 1.10M :L [1.20M -2.50M] :F {:D 3.00M}}})
(dataflow :Up {:P {:Id? 1 :D -2.50}})`,
    [
      { ...event('Mk', {}), status: 200, has: { 'T/P': { D: '1.10', L: ['1.20', '-2.50'], F: { D: '3.00' } } } },
      { ...event('Up', {}), status: 200, has: [{ D: '-2.50' }] },
    ],
  ],
  [
    'a change of it by the name of the event reaches what is stored',
    'earlier',
    `(component :T)
(entity :Team {:Code {:type :String :guid true} :Size :Int :Note {:type :String :optional true}})
(entity :Part {:No {:type :Int :id true} :Name :String})
(relationship :Parts {:meta {:contains [:Team :Part]}})
(event :Grow {:Team :Team :By :Int})
(dataflow :Grow {:Grow.Team {:Size '(+ :Size :Grow.By) :Note "grown"}} :Grow.Team.Size)
(dataflow :Loose {:Loose.Team {:Size 9}})
(event :Rename {:Part :Part})
(dataflow :Rename {:Rename.Part {:Name "new"}})
(event :All {:Teams {:listof :Team}})
(dataflow :All {:All.Teams {:Note "all"}})
(event :Data {:Data :Map})
(dataflow :Data {:Data.Data {:x 2}} :Data.Data.x)`,
    [
      { ...event('Team', { Code: 'a', Size: 4 }), status: 200 },
      { ...event('Team', { Code: 'b', Size: 1 }), status: 200 },
      { ...event('Grow', { Team: { Code: 'a', Size: 1 }, By: 3 }), status: 200, is: 7 },
      { ask: 'GET /api/T/Team/a', status: 200, has: { Size: 7, Note: 'grown' } },
      { ...event('Grow', { Team: { 'T/Team': { Code: 'a', Size: 1 } }, By: 1 }), status: 200, is: 8 },
      { ...event('Grow', { Team: { Code: 'none', Size: 1 }, By: 1 }), status: 422, has: [{ code: 'dataflow-failed' }] },
      { ...event('Loose', { Team: { 'T/Team': { Code: 'b', Size: 1 } } }), status: 200, has: [{ Code: 'b', Size: 9 }] },
      { ask: 'POST /api/T/Team/a/Parts/Part', body: { 'T/Part': { No: 1, Name: 'old' } }, status: 200 },
      { ...event('Rename', { Part: { No: 1, Name: 'x' } }), status: 200, has: [{ No: 1, Name: 'new' }] },
      { ask: 'POST /api/T/Team/b/Parts/Part', body: { 'T/Part': { No: 1, Name: 'old' } }, status: 200 },
      { ...event('Rename', { Part: { No: 1, Name: 'x' } }), status: 409 },
      {
        ...event('Rename', { Part: { No: 1, Name: 'x', __path__: 'path://T$Team/b/T$Parts/T$Part/1' } }),
        status: 200,
        has: [{ Name: 'new', __path__: 'path://T$Team/b/T$Parts/T$Part/1' }],
      },
      {
        ...event('All', {
          Teams: [
            { Code: 'a', Size: 1 },
            { Code: 'b', Size: 1 },
          ],
        }),
        status: 200,
        has: [{ Note: 'all' }, { Note: 'all' }],
      },
      { ask: 'GET /api/T/Team/b', status: 200, has: { Size: 9, Note: 'all' } },
      { ...event('Data', { Data: { x: 1 } }), status: 200, is: 2 },
    ],
  ],
];

const shapes = `(component :T)
(record :Shape {:Name :String})
(record :Circle {:meta {:inherits :Shape} :Radius :Int})
(record :Ring {:meta {:inherits :Circle} :Inner {:type :Int :default 1}})
(record :Other {:Name :String})
(entity :Drawing {:Id {:type :Int :guid true} :Main {:type :Shape :optional true} :Shapes {:listof :Shape :optional true}})
(event :Draw {:Shape :Shape})
(dataflow :Draw :Draw.Shape.Radius)
(dataflow :Make {:Drawing {:Id 9 :Main {:Circle {:Name "c" :Radius 2}} :Shapes [{:Ring {:Name "r" :Radius 3}} {:Shape {:Name "s"}}]}})`;

const subtypes: readonly Row[] = [
  [
    'a record is accepted where a list of its base type is expected',
    'earlier',
    shapes,
    [
      {
        ...event('Drawing', {
          Id: 1,
          Main: { 'T/Circle': { Name: 'c', Radius: 2 } },
          Shapes: [{ Name: 's' }, { 'T/Ring': { Name: 'r', Radius: 3 } }, { 'T/Shape': { Name: 't' } }],
        }),
        status: 200,
      },
      {
        ask: 'GET /api/T/Drawing/1',
        status: 200,
        has: {
          Main: { __type__: 'T/Circle', Name: 'c', Radius: 2 },
          Shapes: [{ Name: 's' }, { __type__: 'T/Ring', Name: 'r', Radius: 3, Inner: 1 }, { Name: 't' }],
        },
      },
      { ...event('Drawing', { Id: 2, Shapes: [{ 'T/Circle': { Name: 'c' } }] }), status: 422 },
      { ...event('Drawing', { Id: 2, Shapes: [{ 'T/Other': { Name: 'c' } }] }), status: 422 },
      { ...event('Drawing', { Id: 2, Shapes: [{ Name: 'c', Radius: 1 }] }), status: 422 },
      { ...event('Draw', { Shape: { 'T/Circle': { Name: 'c', Radius: 5 } } }), status: 200, is: 5 },
      {
        ...event('Make'),
        status: 200,
        has: { 'T/Drawing': { Main: { Radius: 2 }, Shapes: [{ __type__: 'T/Ring', Inner: 1 }, { Name: 's' }] } },
      },
    ],
  ],
  [
    'an event made with subtypes runs its dataflow with them in the place of their bases',
    'earlier',
    `(component :T)
(entity :Animal {:Name {:type :String :guid true} :Legs {:type :Int :default 4}})
(entity :Bird {:meta {:inherits :Animal} :Sings {:type :Boolean :default true}})
(event :Keep {:Name :String})
(dataflow :Keep {:Animal {:Name :Keep.Name} :as :A} {:Animal {:Name? :Keep.Name :Legs '(- :Animal.Legs 2)}} :A.Legs {:Animal? {:where [:= :Name :Keep.Name]}})
(dataflow :KeepBird {:Keep {:Name :KeepBird.Name} :with-types {:Animal :Bird}})
(dataflow :Both {:Keep {:Name "x"}} {:Keep {:Name "x"} :with-types {:Animal :Bird}} [:eval "done"])`,
    [
      { ...event('Keep', { Name: 'rex' }), status: 200, has: [{ '-*-type-*-': 'T/Animal', Name: 'rex', Legs: 2 }] },
      { ...event('KeepBird', { Name: 'tweety' }), status: 200, has: [{ '-*-type-*-': 'T/Bird', Name: 'tweety', Legs: 2, Sings: true }] },
      { ...event('Both'), status: 200, is: 'done' },
      { ask: 'GET /api/T/Animal', status: 200, has: [{ Name: 'rex' }, { Name: 'x' }] },
      { ask: 'GET /api/T/Bird', status: 200, has: [{ Name: 'tweety' }, { Name: 'x' }] },
    ],
  ],
  [
    'a value names its type where that extends the expected one',
    'current',
    `module m
record Shape { name String }
record Circle extends Shape { radius Int }
entity Drawing { id Int @id, main Shape @optional, shapes Shape[] @optional }
workflow Make { {Drawing {id 9, main {Circle {name "c", radius 2}}}} }
workflow Change { {Drawing {id? 9, shapes [{Circle {name "d", radius 4}}]}} }`,
    [
      { ...post('Drawing', { id: 1, shapes: [{ name: 's' }, { __type__: 'm/Circle', name: 'c', radius: 2 }] }), status: 201 },
      { ask: 'GET /m/Drawing/1', status: 200, has: { shapes: [{ name: 's' }, { __type__: 'm/Circle', name: 'c', radius: 2 }] } },
      { ...post('Drawing', { id: 2, main: { __type__: 'm/Shape', name: 's' } }), status: 201, has: { main: { name: 's' } } },
      { ...post('Drawing', { id: 3, main: { __type__: 'm/Drawing', id: 1 } }), status: 422 },
      { ...post('Drawing', { id: 3, main: { __type__: 7, name: 's' } }), status: 422 },
      { ...post('Make', {}), status: 200, has: { main: { __type__: 'm/Circle', radius: 2 } } },
      { ...post('Change', {}), status: 200, has: [{ shapes: [{ __type__: 'm/Circle', name: 'd', radius: 4 }] }] },
    ],
  ],
];

for (const [group, rows] of Object.entries({ numbers, posted, subtypes })) {
  describe(group, () => {
    for (const [title, surface, source, steps] of rows) {
      const files = surface === 'earlier' ? { 't.platform': source } : { 'src/core.al': source };
      test(title, async () => check(await serve(files, { surfaces: [surface] }), steps));
    }
  });
}
