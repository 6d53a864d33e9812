// The condition of a rule on the row that it is about, as part of a statement: `auth.user = this.author`, `auth.Staff.clinic = this.animal.clinic`.

import { unreachable } from '../../errors.ts';
import {
  isOfRow,
  kindOf,
  type RowCondition,
  type RowTerm,
  type RowTest,
  type RowValue,
  rowCondition,
  type Test,
  valuesIn,
} from '../../model/access/row-condition.ts';
import type { RowStep } from '../../model/access/row-path.ts';
import type { Model, TypeName } from '../../model/model.ts';
import type { Expression } from '../../model/pattern.ts';
import type { EntityPlan, LinkPlan } from '../plan.ts';
import { type ColumnOf, type Condition, everything, nothing, type Operand } from '../query/condition.ts';
import { existsWith, foundBy } from '../query/exists.ts';
import type { Table } from '../rows/table.ts';
import { ownProfile } from './profiles.ts';
import { allOf, anyOf } from './right.ts';
import { isFoundFirst } from './selective.ts';

/** Where the names of a condition lead. */
export interface ConditionParts {
  readonly model: Model;
  readonly entities: ReadonlyMap<TypeName, EntityPlan>;
  readonly links: ReadonlyMap<TypeName, LinkPlan>;
  /** Users of whom nobody knows that the address is theirs; absent where the caller has no profile at all. */
  readonly unproven: Table | undefined;
}

/**
 * Rows for which a rule holds; `plan` is what `this` is. `assumed` where nothing is known yet of other rows: what a path leads to is taken to fit.
 * What the model reports as faulty holds for no row.
 */
export function whereCondition(
  where: Expression | undefined,
  plan: EntityPlan | LinkPlan,
  parts: ConditionParts,
  assumed = false,
): Condition {
  if (where === undefined) return everything;
  const read = rowCondition(where, plan.kind === 'link' ? plan.between : plan.entity, parts.model);
  return new Compiler(plan, parts, assumed).formula(pushedDown(read, false), { depth: 0, profiles: new Map() });
}

/** A condition whose `not` stands at its tests: what is said of a profile must hold of one that there is, also behind `not`. */
type Formula =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Formula[] }
  | { readonly kind: 'test'; readonly test: RowTest; readonly negated: boolean }
  | { readonly kind: 'never' };

function pushedDown(condition: RowCondition, negated: boolean): Formula {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const parts = condition.conditions.map((each) => pushedDown(each, negated));
      const kind = (condition.kind === 'and') === negated ? 'or' : 'and';
      return { kind, parts: parts.flatMap((each) => (each.kind === kind ? each.parts : [each])) };
    }
    case 'not':
      return pushedDown(condition.condition, !negated);
    case 'test':
      return { kind: 'test', test: condition, negated };
    case 'faulty':
      return { kind: 'never' };
    default:
      return unreachable(condition);
  }
}

/** How many rows stand around the place, and where among them the caller's own instances are. */
interface Scope {
  readonly depth: number;
  readonly profiles: ReadonlyMap<TypeName, number>;
}

/** A column of the row that stands so deep. */
interface At {
  readonly column: string;
  readonly depth: number;
}

class Compiler {
  readonly #plan: EntityPlan | LinkPlan;
  readonly #parts: ConditionParts;
  readonly #assumed: boolean;

  constructor(plan: EntityPlan | LinkPlan, parts: ConditionParts, assumed: boolean) {
    [this.#plan, this.#parts, this.#assumed] = [plan, parts, assumed];
  }

  formula(formula: Formula, scope: Scope): Condition {
    switch (formula.kind) {
      case 'never':
        return nothing;
      case 'or':
        return anyOf(formula.parts.map((each) => this.formula(each, scope)));
      case 'and':
        return this.#together(formula.parts, scope);
      case 'test':
        return this.#test(formula.test, formula.negated, scope);
      default:
        return unreachable(formula);
    }
  }

  /** Parts that speak of one profile speak of the same instance. */
  #together(parts: readonly Formula[], scope: Scope): Condition {
    const shared = parts
      .flatMap((each) => [...profilesIn(each)])
      .find((each, at, all) => !scope.profiles.has(each) && all.indexOf(each) !== at);
    if (shared === undefined) return allOf(parts.map((each) => this.formula(each, scope)));
    const about = parts.filter((each) => profilesIn(each).has(shared));
    const others = parts.filter((each) => !about.includes(each));
    const found = about.find((each) => this.#joiningTest(each, shared) !== undefined);
    const joined = found && this.#joiningTest(found, shared);
    const rest = about.filter((each) => each !== found || joined === undefined);
    const own = this.#ownInstance(shared, joined, scope, (inner) => this.#together(rest, inner));
    const apart = without(shared, about);
    const either = apart === undefined ? own : anyOf([own, this.#together(apart, scope)]);
    return allOf([...others.map((each) => this.formula(each, scope)), either]);
  }

  #test(test: RowTest, negated: boolean, scope: Scope): Condition {
    if (this.#assumed && valuesIn(test).some(isElsewhere)) return this.#assumedFor(test, scope);
    if (!negated) return this.#opened(test, [], scope);
    const open = (inner: Scope, left: readonly TypeName[]): Condition => {
      const [first, ...others] = left;
      if (first !== undefined) return this.#ownInstance(first, undefined, inner, (deeper) => open(deeper, others));
      return allOf([...this.#presentProfiles(test, inner), { kind: 'not', condition: this.#opened(test, [], inner) }]);
    };
    return open(scope, [...unbound(test, scope)]);
  }

  /** What is asked of a profile alone is known beforehand. */
  #assumedFor(test: RowTest, scope: Scope): Condition {
    return allOf([...unbound(test, scope)].map((each) => this.#ownInstance(each, undefined, scope, () => everything)));
  }

  /** A profile without a value is as good as none: its absence opens nothing. */
  #presentProfiles(test: RowTest, scope: Scope): readonly Condition[] {
    if (test.tests.some(({ right }) => right === undefined)) return [];
    return valuesIn(test).flatMap((each): readonly Condition[] =>
      each.kind === 'profile' ? [{ kind: 'compare', operator: 'not-null', ...this.#columnOf(this.#profileAt(each, scope), scope) }] : [],
    );
  }

  /** Inside of all rows that its values are of: paths first, then the caller's own instance, which finds the others. */
  #opened(test: RowTest, found: readonly At[], scope: Scope): Condition {
    const values = valuesIn(test).toSorted((one, other) => Number(one.kind === 'profile') - Number(other.kind === 'profile'));
    const value = values[found.length];
    if (value === undefined) return this.#compared(test, values, found, scope);
    if (value.kind === 'path')
      return this.#walked(value.steps, this.#plan, 0, scope, (plan, depth, inner) =>
        this.#opened(test, [...found, { column: columnIn(plan, value.attribute.name), depth }], inner),
      );
    if (scope.profiles.has(value.entity.name)) return this.#opened(test, [...found, this.#profileAt(value, scope)], scope);
    const joined = joinedBy(test, found[0], values);
    return this.#ownInstance(value.entity.name, joined, scope, (inner) =>
      joined === undefined ? this.#opened(test, [...found, this.#profileAt(value, inner)], inner) : everything,
    );
  }

  #compared(test: RowTest, values: readonly RowValue[], found: readonly At[], scope: Scope): Condition {
    const placeOf = (value: RowValue): ColumnOf => this.#columnOf(found[values.indexOf(value)] ?? { column: '', depth: 0 }, scope);
    const conditions = test.tests.map((each) => comparison(placeOf(test.left), each, placeOf));
    return allOf([...this.#presentProfiles(test, scope), test.join === 'and' ? allOf(conditions) : anyOf(conditions)]);
  }

  #walked(
    [step, ...rest]: readonly RowStep[],
    from: EntityPlan | LinkPlan,
    at: number,
    scope: Scope,
    work: (plan: EntityPlan | LinkPlan, depth: number, scope: Scope) => Condition,
  ): Condition {
    if (step === undefined) return work(from, at, scope);
    const target = required(this.#parts.entities, step.entity);
    const is = (column: string): ColumnOf => this.#columnOf({ column, depth: at }, scope);
    const on = (inner: Scope): Condition => this.#walked(rest, target, inner.depth, inner, work);
    switch (step.kind) {
      case 'ref':
        return related(target.table, columnIn(target, step.target), is(columnIn(from, step.attribute)), on(deeper(scope)));
      case 'end': {
        const end = from.kind === 'link' ? from.ends.find(({ attribute }) => attribute === step.end) : undefined;
        return end === undefined ? nothing : related(target.table, target.key, is(end.column), on(deeper(scope)));
      }
      case 'parent': {
        const contains = from.kind === 'entity' ? from.parents.find((each) => each.contains.name === step.relationship) : undefined;
        return contains === undefined ? nothing : related(target.table, target.key, is(contains.column), on(deeper(scope)));
      }
      case 'child': {
        const contains = target.parents.find((each) => each.contains.name === step.relationship);
        return contains === undefined ? nothing : related(target.table, contains.column, is(from.key), on(deeper(scope)));
      }
      case 'link': {
        const link = required(this.#parts.links, step.relationship);
        const [start, end] = [step.from, step.to].map((name) => link.ends.find(({ attribute }) => attribute === name)?.column);
        if (start === undefined || end === undefined) return nothing;
        const there = related(target.table, target.key, { column: end }, on(deeper(deeper(scope))));
        return related(link.table, start, is(from.key), there);
      }
      default:
        return unreachable(step);
    }
  }

  /** One of the caller's own instances, for which `work` holds; `joined` is an attribute of it that a column must have the value of. */
  #ownInstance(type: TypeName, joined: Joined | undefined, scope: Scope, work: (scope: Scope) => Condition): Condition {
    const { unproven } = this.#parts;
    const plan = this.#parts.entities.get(type);
    if (unproven === undefined || plan === undefined) return nothing;
    const inner = { depth: scope.depth + 1, profiles: new Map(scope.profiles).set(type, scope.depth + 1) };
    const where = allOf([ownProfile(plan, unproven), work(inner)]);
    if (joined === undefined) return { kind: 'exists', table: plan.table, where };
    return foundBy(plan.table, columnIn(plan, joined.attribute), this.#columnOf(joined.with, scope), where);
  }

  /** A part by which the rows of the rule are found: an attribute of the profile is one of their own. */
  #joiningTest(formula: Formula, profile: TypeName): Joined | undefined {
    if (formula.kind !== 'test' || formula.negated) return undefined;
    const { test } = formula;
    const values = valuesIn(test);
    const own = values.find((each) => each.kind === 'path' && each.steps.length === 0);
    const isOfProfile = values.some((each) => each.kind === 'profile' && each.entity.name === profile);
    if (own === undefined || !isOfProfile || values.length !== 2) return undefined;
    return joinedBy(test, { column: columnIn(this.#plan, own.attribute.name), depth: 0 }, [own, ...values.filter((each) => each !== own)]);
  }

  #profileAt({ entity, attribute }: RowValue & { kind: 'profile' }, { profiles }: Scope): At {
    const plan = required(this.#parts.entities, entity.name);
    return { column: columnIn(plan, attribute.name), depth: profiles.get(entity.name) ?? 0 };
  }

  #columnOf({ column, depth }: At, scope: Scope): ColumnOf {
    const outer = scope.depth - depth;
    return outer === 0 ? { column } : { column, outer };
  }
}

interface Joined {
  readonly attribute: string;
  readonly with: At;
}

/** Where a test asks for nothing but a profile's attribute to be what another column holds, and that is the same in every spelling. */
function joinedBy({ tests }: RowTest, other: At | undefined, [first, second]: readonly RowValue[]): Joined | undefined {
  const [only, ...more] = tests;
  if (only?.operator !== 'eq' || more.length > 0 || other === undefined || first === undefined) return undefined;
  if (first.kind !== 'path' || second?.kind !== 'profile' || kindOf(first) !== kindOf(second) || !keyKinds.has(kindOf(first)))
    return undefined;
  return { attribute: second.attribute.name, with: other };
}

const keyKinds: ReadonlySet<string> = new Set(['text', 'uuid', 'integer']);

function deeper({ depth, profiles }: Scope): Scope {
  return { depth: depth + 1, profiles };
}

/** Found by what it must fulfil where few rows do, else row by row. */
function related(table: Table, column: string, is: ColumnOf, where: Condition): Condition {
  if (where === nothing) return nothing;
  return (isFoundFirst(where, table) ? foundBy : existsWith)(table, column, is, where);
}

function comparison(left: ColumnOf, { operator, right }: Test, placeOf: (value: RowValue) => ColumnOf): Condition {
  if (right === undefined || operator === 'null' || operator === 'not-null' || operator === 'like')
    return { kind: 'compare', ...left, operator, ...(right?.kind === 'constant' ? { value: { constants: [right.value] } } : {}) };
  if (!isOfRow(right)) return { kind: 'compare', ...left, operator, value: operandOf(right) };
  const compared: Condition = { kind: 'columns', left, operator, right: placeOf(right) };
  // Two absent values are not the same here: nobody gets a right by what is missing.
  return operator === 'eq' ? allOf([{ kind: 'compare', ...left, operator: 'not-null' }, compared]) : compared;
}

function operandOf(term: Exclude<RowTerm, RowValue>): Operand {
  switch (term.kind) {
    case 'constant':
      return { constants: [term.value] };
    case 'caller':
      return { ambient: term.name === 'user' ? 'caller.user' : 'caller.id' };
    case 'time':
      return { ambient: term.name };
    default:
      return unreachable(term);
  }
}

function isElsewhere(value: RowValue): boolean {
  return value.kind === 'path' && value.steps.length > 0;
}

function unbound(test: RowTest, { profiles }: Scope): ReadonlySet<TypeName> {
  return new Set(valuesIn(test).flatMap((each) => (each.kind === 'profile' && !profiles.has(each.entity.name) ? [each.entity.name] : [])));
}

function profilesIn(formula: Formula): ReadonlySet<TypeName> {
  if (formula.kind === 'never') return new Set();
  if (formula.kind === 'test') return unbound(formula.test, { depth: 0, profiles: new Map() });
  return new Set(formula.parts.flatMap((each) => [...profilesIn(each)]));
}

/** What is left of parts where the caller has no such instance; nothing where they cannot hold then. */
function without(profile: TypeName, parts: readonly Formula[]): readonly Formula[] | undefined {
  const left: Formula[] = [];
  for (const each of parts) {
    const rest = leftWithout(profile, each);
    if (rest === undefined) return undefined;
    left.push(rest);
  }
  return left;
}

function leftWithout(profile: TypeName, formula: Formula): Formula | undefined {
  if (formula.kind === 'never') return undefined;
  if (formula.kind === 'test') return profilesIn(formula).has(profile) ? undefined : formula;
  if (formula.kind === 'and') {
    const parts = without(profile, formula.parts);
    return parts && { kind: 'and', parts };
  }
  const parts = formula.parts.flatMap((each) => leftWithout(profile, each) ?? []);
  return parts.length === 0 ? undefined : { kind: 'or', parts };
}

function columnIn(plan: EntityPlan | LinkPlan, attribute: string): string {
  const found = plan.attribute.get(attribute);
  if (found === undefined) throw new Error(`${plan.type} has no attribute ${attribute}`);
  return found.column;
}

function required<T>(made: ReadonlyMap<TypeName, T>, name: TypeName): T {
  const found = made.get(name);
  if (found === undefined) throw new Error(`no plan for ${name}`);
  return found;
}
