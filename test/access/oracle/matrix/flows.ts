// Workflows of the matrix, one of each kind for each level, in the syntax of either surface.

import type { Surface } from '../../people.ts';
import { types } from './rows.ts';

const current = types.map(
  (E) => `
event by${E} { id Int }
event change${E} { id Int, rank Int }
event drop${E} { id Int }
event find${E} { q String }
workflow all${E} { {${E}? {}} }
@runAs(system) workflow sys${E} @rbac [(roles: ["*"], allow: [create])] { {${E}? {}} }
workflow sysBy${E} { {sys${E} {}} }
@runAs(system) workflow back${E} @rbac [(roles: ["*"], allow: [create])] { {own${E} {}} }
@internal @runAs(caller) workflow own${E} { {${E}? {}} }
workflow by${E} { {${E} {id? by${E}.id}} }
workflow where${E} { {${E}? {}, @where(${E}.rank + 1 > 0), @orderBy(text)} }
workflow count${E} { {${E}? {}, @into {n @count(${E}.id), lo @min(${E}.text), hi @max(${E}.text)}} }
workflow loop${E} { for each in {${E}? {}} { each.text + "!" } }
workflow find${E} { {${E}? find${E}.q} }
workflow change${E} { {${E} {id? change${E}.id, rank change${E}.rank}} }
workflow drop${E} { delete {${E} {id? drop${E}.id}} }`,
);

const earlier = types.map(
  (E) => `
(event :m/by${E} {:id :Int})
(event :m/change${E} {:id :Int :rank :Int})
(event :m/drop${E} {:id :Int})
(event :m/all${E} {})
(event :m/loop${E} {})
(dataflow :m/all${E} {:m/${E}? {}})
(event :m/sysBy${E} {})
(event :m/back${E} {:meta {:run-as :system} :rbac [{:roles ["*"] :allow [:create]}]})
(dataflow [:m/sys${E} :run-as :system :internal true] {:m/${E}? {}})
(dataflow :m/sysBy${E} {:m/sys${E} {}})
(dataflow [:m/own${E} :run-as :caller :internal true] {:m/${E}? {}})
(dataflow :m/back${E} {:m/own${E} {}})
(dataflow :m/by${E} {:m/${E} {:id? :m/by${E}.id}})
(dataflow :m/loop${E} [:for-each {:m/${E}? {}} {:m/${E} {:id? :%.id}}])
(dataflow :m/change${E} {:m/${E} {:id? :m/change${E}.id :rank :m/change${E}.rank}})
(dataflow :m/drop${E} [:delete :m/${E} {:id :m/drop${E}.id}])`,
);

const put = `
event putA { id Int, rank Int, text String, boss String @optional }
workflow putA { {A {id putA.id, rank putA.rank, text putA.text, boss putA.boss}, @upsert} }`;

export const flows: Readonly<Record<Surface, string>> = { current: [...current, put].join('\n'), earlier: earlier.join('\n') };
