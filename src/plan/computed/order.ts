// Computed attributes of one type in the order in which they build on each other, and which of them wait for other instances.

import type { Attribute } from '../../model/model.ts';
import { isWhole, referencesIn, siblingOf } from '../../model/references.ts';
import { canonicalJson } from '../../values/json/canonical.ts';
import type { AttributePlan } from '../plan.ts';

interface ComputedOrder {
  /** Computed from siblings alone. */
  readonly computed: readonly AttributePlan[];
  /** Those that look along a relationship, and those that build on them. */
  readonly late: readonly AttributePlan[];
}

export function computedOrder(attributes: readonly AttributePlan[]): ComputedOrder {
  const all = attributes.filter((each) => each.attribute.expression !== undefined);
  if (all.length === 0) return nothingComputed;
  const late = new Set<AttributePlan>();
  for (const each of inOrder(all)) if (waits(each, late)) late.add(each);
  return { computed: inOrder(all).filter((each) => !late.has(each)), late: [...late] };
}

const nothingComputed: ComputedOrder = Object.freeze({ computed: [], late: [] });

/**
 * What it is computed from, as a text: where it is another one than before, stored values are out of date. It is the same wherever the
 * project lies. `functions` stands for the text of the application's functions, and counts where one of them is called.
 */
export function definitionOf({ type, list, expression }: Attribute, functions?: string): string | undefined {
  if (expression === undefined) return undefined;
  let callsFunction = false;
  const text = JSON.stringify(expression, (key, value: unknown) => {
    // Places in the text are no part of what it means.
    if (key === 'span') return undefined;
    if (key !== 'file' || typeof value !== 'string') return typeof value === 'bigint' ? `${value}n` : value;
    callsFunction = true;
    return value.replace(/^.*[\\/]/, '');
  });
  const called = callsFunction && functions !== undefined ? [functions] : [];
  return canonicalJson([type.kind === 'plain' ? type.type.name : type.record, list, text, ...called]);
}

function waits({ attribute: { expression } }: AttributePlan, late: ReadonlySet<AttributePlan>): boolean {
  if (expression === undefined) return false;
  const names = new Set([...late].map((each) => each.name));
  return referencesIn(expression).some(
    (each) => each.related !== undefined || names.has(siblingOf(each) ?? '') || (isWhole(each) && late.size > 0),
  );
}

/** Those that others build on come first, those that take the whole instance last; the model has no cycles. */
function inOrder(computed: readonly AttributePlan[]): readonly AttributePlan[] {
  const byName = new Map(computed.map((each) => [each.name, each]));
  const done = new Set<AttributePlan>();
  const visit = (each: AttributePlan): void => {
    if (done.has(each)) return;
    const references = each.attribute.expression === undefined ? [] : referencesIn(each.attribute.expression);
    for (const reference of references) {
      const used = byName.get(siblingOf(reference) ?? '');
      if (used !== undefined && used !== each) visit(used);
    }
    done.add(each);
  };
  for (const each of computed) if (!takesWhole(each)) visit(each);
  for (const each of computed) visit(each);
  return [...done];
}

function takesWhole({ attribute: { expression } }: AttributePlan): boolean {
  return expression !== undefined && referencesIn(expression).some(isWhole);
}
