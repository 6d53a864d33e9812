// What the guard lets the caller see of each type of a join: rows they may not see are as if they were not there.

import type { ReportAction } from '../../../plan/flow/flow.ts';
import type { Condition } from '../../../plan/query/condition.ts';
import { type Bound, permitted, unbound } from '../../instances/guard.ts';
import type { Context } from '../../operation.ts';
import { alsoBound } from '../find.ts';

export interface Seen {
  /** For each join, what its condition must hold besides. */
  readonly joins: readonly (readonly Bound[])[];
  readonly where: readonly Bound[];
}

export function seenSources({ sources, joins }: ReportAction, context: Context): Seen {
  const bounds = sources.map((plan, source) => onSource(permitted('read', plan, context), source));
  const isOuter = joins.some(({ side }) => side !== 'inner');
  return {
    // A row that is not seen must not keep another one from being alone, which an outer join shows.
    joins: joins.map((_, index) => bounds.slice(0, index + 2).map((bound, source) => orAbsent(bound, source, sources, source <= index))),
    where: bounds.map((bound, source) => orAbsent(bound, source, sources, isOuter)),
  };
}

/** What must hold of the rows of these types, by their number, where all of them are there. */
export function seenTogether(sources: ReportAction['sources'], context: Context): Bound {
  return sources.map((plan, source) => onSource(permitted('read', plan, context), source)).reduce(alsoBound, unbound);
}

function orAbsent(bound: Bound, source: number, sources: ReportAction['sources'], mayBeAbsent: boolean): Bound {
  const column = sources[source]?.key;
  if (bound === unbound || column === undefined || !mayBeAbsent) return bound;
  const absent: Condition = { kind: 'compare', column, source, operator: 'null' };
  return { ...bound, condition: { kind: 'or', conditions: [bound.condition, absent] }, key: `${bound.key}?` };
}

function onSource(bound: Bound, source: number): Bound {
  if (bound === unbound) return unbound;
  return { ...bound, condition: { kind: 'row', source, condition: bound.condition }, key: `${bound.key}${source}` };
}
