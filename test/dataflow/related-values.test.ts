// Computed attributes that look along relationships, in dataflows of the earlier surface: what a step has written counts at the next one.

import { test } from 'vitest';
import { serve } from '../support/app.ts';
import { check, type Step } from '../support/table.ts';

const event = (name: string, attributes: object = {}): Pick<Step, 'ask' | 'body'> => ({
  ask: `POST /api/T/${name}`,
  body: { [`T/${name}`]: attributes },
});
const create = (type: string, attributes: object): Step => ({ ...event(type, attributes), status: 200 });
const hire = (attributes: object): Step => ({
  ask: 'POST /api/T/Department/1/WorksFor/Employee',
  body: { 'T/Employee': attributes },
  status: 200,
});

const scripts: readonly (readonly [title: string, source: string, steps: readonly Step[]])[] = [
  [
    'a bonus follows the link that it comes from, and what stands there',
    `(component :T)
(entity :Level {:Name {:type :String :guid true} :Base :Decimal :Level :Int})
(entity :Employee {:No {:type :Int :guid true} :Bonus {:type :Decimal :expr '(* :Rank.Level.Base :Rank.Level.Level 0.1M)}})
(relationship :Rank {:meta {:between [:Employee :Level] :one-one true}})
(dataflow :Promote {:Rank {:Employee :Promote.No :Level :Promote.Level}} {:Employee {:No? :Promote.No} :as [:E]} :E.Bonus)
(dataflow :Raise {:Level {:Name? :Raise.Level :Base :Raise.Base}} {:Employee? {} :as [:E]} :E.Bonus)
(dataflow :Demote [:delete :Rank {:Level :Demote.Level}] {:Employee? {} :as [:E]} :E.Bonus)`,
    [
      create('Level', { Name: 'chief', Base: '1000.00', Level: 3 }),
      create('Employee', { No: 1 }),
      { ask: 'GET /api/T/Employee/1', status: 200, has: { No: 1, Bonus: null } },
      { ...event('Promote', { No: 1, Level: 'chief' }), status: 200, is: '300.000' },
      { ...event('Raise', { Level: 'chief', Base: '2000' }), status: 200, is: '600.0' },
      { ask: 'GET /api/T/Employee?Bonus=600', status: 200, has: [{ No: 1 }] },
      { ...event('Demote', { Level: 'chief' }), status: 200, is: null },
    ],
  ],
  [
    'a department knows what its employees cost, and they know their department',
    `(component :T)
(entity :Department {:No {:type :Int :guid true} :Pay {:type :Int :expr '(sum :WorksFor.Employee.Pay)} :Heads {:type :Int :expr '(count :WorksFor)}})
(entity :Employee {:No {:type :Int :id true} :Pay :Int :Block {:type :Int :expr :WorksFor.Department.No}})
(relationship :WorksFor {:meta {:contains [:Department :Employee]}})
(dataflow :Hire {:Employee {:No :Hire.No :Pay :Hire.Pay} :-> [[:WorksFor {:Department {:No? 1}}]]} {:Department {:No? 1} :as [:D]} :D.Pay)
(dataflow :Fire [:delete :Employee {:No :Fire.No}] {:Department {:No? 1} :as [:D]} :D.Heads)`,
    [
      {
        ask: 'POST /api/T/Department',
        body: { 'T/Department': { No: 1 }, 'T/WorksFor': [{ 'T/Employee': { No: 1, Pay: 10 } }, { 'T/Employee': { No: 2, Pay: 5 } }] },
        status: 200,
        has: [{ result: [{ No: 1, Pay: 15, Heads: 2 }] }],
      },
      { ...event('Hire', { No: 3, Pay: 7 }), status: 200, is: 22 },
      { ask: 'GET /api/T/Department/1/WorksFor/Employee/3', status: 200, has: { Block: 1 } },
      { ...event('Fire', { No: 1 }), status: 200, is: 2 },
      { ask: 'GET /api/T/Department/1', status: 200, has: { Pay: 12, Heads: 2 } },
    ],
  ],
  [
    'functions of the model take the list, also one that has the name of a function of the service',
    `(component :T)
(defn spread [xs] (if (empty? xs) 0 (- (apply max xs) (apply min xs))))
(defn avg [xs] -1)
(entity :Department
  {:No {:type :Int :guid true}
   :Pay {:type :Int :expr '(apply + :WorksFor.Employee.Pay)}
   :Spread {:type :Int :expr '(spread :WorksFor.Employee.Pay)}
   :Own {:type :Int :expr '(avg :WorksFor.Employee.Pay)}
   :Most {:type :Int :expr '(max :WorksFor.Employee.Pay)}
   :Twice {:type :Int :expr twice}
   :All {:listof :Int :expr :WorksFor.Employee.Pay}})
(defn twice [env department] (* 2 (:Pay department)))
(entity :Employee {:No {:type :Int :id true} :Pay :Int})
(relationship :WorksFor {:meta {:contains [:Department :Employee]}})`,
    [
      create('Department', { No: 1 }),
      { ask: 'GET /api/T/Department/1', status: 200, has: { Pay: 0, Spread: 0, Own: -1, Most: null, Twice: 0, All: [] } },
      hire({ No: 1, Pay: 10 }),
      hire({ No: 2, Pay: 4 }),
      { ask: 'GET /api/T/Department/1', status: 200, has: { Pay: 14, Spread: 6, Own: -1, Most: 10, Twice: 28, All: [10, 4] } },
    ],
  ],
];

for (const [title, source, steps] of scripts)
  test(title, async () => check(await serve({ 't.platform': source }, { surfaces: ['earlier'] }), steps));
