// What the guard lets the caller see of each type of a join: rows they may not see are as if they were not there.

import type { JoinAction } from '../../../plan/flow/flow.ts';
import type { Condition } from '../../../plan/query/condition.ts';
import { type Bound, rowCondition, unbound } from '../../instances/guard.ts';
import type { Context } from '../../operation.ts';

export interface VisibleSources {
  /** For each join, what its condition must hold besides. */
  readonly joins: readonly (readonly Bound[])[];
  readonly where: readonly Bound[];
}

export function visibleSources({ sources, joins }: JoinAction, context: Context): VisibleSources {
  const bounds = sources.map((plan, source) => onSource(rowCondition('read', plan, context), source));
  const isOuter = joins.some(({ side }) => side !== 'inner');
  return {
    // A row that is not seen must not keep another one from being alone, which an outer join shows.
    joins: joins.map((_, index) => bounds.slice(0, index + 2).map((bound, source) => orAbsent(bound, source, sources, source <= index))),
    where: bounds.map((bound, source) => orAbsent(bound, source, sources, isOuter)),
  };
}

function orAbsent(bound: Bound, source: number, sources: JoinAction['sources'], mayBeAbsent: boolean): Bound {
  const column = sources[source]?.key;
  if (bound === unbound || column === undefined || !mayBeAbsent) return bound;
  const absent: Condition = { kind: 'compare', column, source, operator: 'null' };
  return { ...bound, condition: { kind: 'or', conditions: [bound.condition, absent] }, key: `${bound.key}?` };
}

function onSource(bound: Bound, source: number): Bound {
  if (bound === unbound) return unbound;
  return { ...bound, condition: { kind: 'row', source, condition: bound.condition }, key: `${bound.key}${source}` };
}
