// `@check(f)`: the application's own rule on a value, and hashing of what must not be kept as it was sent.

import { type Fault, invalid, isError } from '../../errors.ts';
import type { FunctionReference } from '../../model/model.ts';
import type { AttributePlan, RowPlan } from '../../plan/plan.ts';
import { fault } from '../../plan/rows/attribute.ts';
import type { Value, Values } from '../../values/value.ts';
import { startBudget, timeLeft, timeLimitExceeded } from '../budget.ts';
import { atOnce, callContext, inTime } from '../eval/functions.ts';
import { operandOf } from '../eval/operands.ts';
import type { Context } from '../operation.ts';
import type { Draft } from '../row.ts';

/** Checks, then hashes, a draft and everything nested in it. Nothing to do costs nothing. */
export async function finish(drafts: readonly Draft[], context: Context): Promise<void> {
  const faults: Fault[] = [];
  for (const each of drafts.flatMap(withNested)) {
    await runChecks(each.plan, each.plan.checked, each.values, each.prefix, faults, context);
  }
  if (faults.length > 0) throw invalid(faults);
  for (const each of drafts.flatMap(withNested)) await hashSecrets(each.plan, each.values, context);
}

export function needsFinishing(draft: Draft): boolean {
  return withNested(draft).some(({ plan }) => plan.checked.length > 0 || plan.secrets.length > 0);
}

/** `f(value, instance)` returns true, or false or a message. */
export async function runChecks(
  plan: RowPlan,
  checked: readonly AttributePlan[],
  values: readonly Value[],
  prefix: string,
  faults: Fault[],
  context: Context,
): Promise<void> {
  for (const each of checked) {
    const value = values[plan.attributes.indexOf(each)] ?? null;
    if (each.attribute.check === undefined || value === null) continue;
    const { check } = each.attribute;
    const verdict =
      check.language === 'clojure'
        ? clojureVerdict(check, each, value, context)
        : await verdictOf(check, [value, instanceOf(plan, values)], context);
    if (verdict === true) continue;
    faults.push(fault(`${prefix}${each.name}`, 'check', typeof verdict === 'string' ? verdict : 'is not accepted'));
  }
}

/** `(f value)`: anything but false and nil is a yes. It is called at once, so that nobody has to wait for it. */
export function clojureVerdict(check: FunctionReference, plan: AttributePlan, value: Value, context: Context): true | string {
  try {
    const verdict = atOnce(
      context.functions.call(check, [operandOf(plan, value)], context.outside, callContext(context)),
      'is checked by a function that waits',
    );
    return verdict === false || verdict === null ? 'is not accepted' : true;
  } catch (thrown) {
    return refusalOf(thrown);
  }
}

async function verdictOf(check: FunctionReference, values: readonly Value[], context: Context): Promise<Value> {
  try {
    const verdict = context.functions.call(check, values, context.outside, callContext(context));
    if (!(verdict instanceof Promise)) return verdict;
    const left = timeLeft(context.running?.budget ?? startBudget(context), context);
    return await inTime(verdict, left, () => timeLimitExceeded(context));
  } catch (thrown) {
    return refusalOf(thrown);
  }
}

/** What the author's own function throws is its verdict too; one that was ended, or has a bug, gave none. */
function refusalOf(thrown: unknown): string {
  if (!isError(thrown, 'dataflow-failed')) throw thrown;
  return thrown.message;
}

async function hashSecrets(plan: RowPlan, values: Value[], context: Context): Promise<void> {
  for (const each of plan.secrets) {
    const index = plan.attributes.indexOf(each);
    const value = values[index];
    if (typeof value === 'string') values[index] = await context.hash(value);
  }
}

function instanceOf(plan: RowPlan, values: readonly Value[]): Values {
  return Object.fromEntries(
    plan.attributes.filter((each) => !each.attribute.secret).map((each) => [each.name, values[plan.attributes.indexOf(each)] ?? null]),
  );
}

function withNested(draft: Draft): readonly Draft[] {
  if (draft.children.length === 0 && draft.link === undefined) return [draft];
  const link = draft.link === undefined ? [] : [draft.link];
  return [draft, ...link, ...draft.children.flatMap((children) => children.drafts.flatMap(withNested))];
}
