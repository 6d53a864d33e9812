// In charge of what names mean inside a dataflow: which of them are aliases, and what a bare keyword refers to.

import type { Expression, InstancePattern } from '../../../model/pattern.ts';
import { type Collection, type Form, isKeyword, type Keyword, type MapForm } from '../read/form.ts';
import { type Lowering, pathOf, reference } from './lowering.ts';

/** Where a pattern stands. */
export interface DataflowNames {
  readonly lowering: Lowering;
  /** Every name that the dataflow binds, in whatever place. */
  readonly aliases: ReadonlySet<string>;
  /** Whether `:Instance` is what has been stored. */
  readonly isTrigger: boolean;
  /** The event that the dataflow runs on. */
  readonly event: string | undefined;
  /** Whether it is inside of `[:await ...]`. */
  readonly awaits?: boolean;
  /** The type of the pattern around, whose attributes go by their names alone. */
  readonly type: string | undefined;
  /** Handed in, because values hold patterns and patterns hold values. */
  pattern(form: MapForm, flow: DataflowNames): InstancePattern | undefined;
}

export function aliasesIn(forms: readonly Form[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const form of forms) collect(form, found);
  return found;
}

function collect(form: Form, found: Set<string>): undefined {
  if ('form' in form) return collect(form.form, found);
  if (!('items' in form)) return;
  for (const [index, item] of form.items.entries()) {
    if (isKeyword(item, 'as')) for (const name of boundNames(form.items[index + 1])) found.add(name);
    collect(item, found);
  }
}

function boundNames(form: Form | undefined): readonly string[] {
  if (isKeyword(form)) return [form.name];
  return form?.kind === 'vector' ? form.items.flatMap((each) => (isKeyword(each) ? [each.name] : [])) : [];
}

/** Names that mean the same in every dataflow. */
const known = new Set(['%', 'auth', 'EventContext', 'Error', 'this', '_']);

/** `:Alias.Attr`, `:C/Rec.Attr`, `:Attr` of the instance being built, `:%.Attr`. */
export function lowerReference({ name, span }: Keyword, { lowering, aliases, isTrigger, event, type }: DataflowNames): Expression {
  const [first = '', ...rest] = pathOf(name);
  if (isTrigger && first === 'Instance') return reference(['this', ...rest], span);
  if (aliases.has(first) || known.has(first) || first.includes('/')) return reference([first, ...rest], span);
  const plain = lowering.localNames && (first === event || first === type);
  if (lowering.declared.has(first)) return reference([plain ? first : `${lowering.component}/${first}`, ...rest], span);
  return reference(type !== undefined && rest.length === 0 ? [...pathOf(type), first] : [first, ...rest], span);
}

/** Whether it names an attribute of the type that is asked for: `:Pay`, `:Staff.Pay`. */
export function isColumn({ name }: Keyword, { lowering, aliases, type }: DataflowNames): boolean {
  const [first = '', second, ...rest] = pathOf(name);
  if (type === undefined || aliases.has(first) || known.has(first)) return false;
  if (second === undefined) return !first.includes('/');
  const qualified = (each: string) => (each.includes('/') ? each : `${lowering.component}/${each}`);
  return rest.length === 0 && qualified(first) === qualified(type);
}

/** Whether a map with this one key builds an instance, and is not just data. */
export function isInstance(map: Collection, { lowering, aliases }: DataflowNames): boolean {
  const [key, value] = map.items;
  if (map.items.length < 2 || !isKeyword(key) || value === undefined) return false;
  const name = key.name.replace(/\?$/, '');
  const [first = ''] = pathOf(name);
  const named = name.includes('/') || lowering.declared.has(first) || aliases.has(first);
  return named && value.kind === 'map';
}
