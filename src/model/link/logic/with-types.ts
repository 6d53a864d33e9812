// `:with-types`: an event that is made with subtypes in the place of the types that its dataflow names.

import { localOf, type TypeName } from '../../model.ts';
import type { InstancePattern, Name } from '../../pattern.ts';
import { subtypesOf } from '../../subtypes.ts';
import { lookUp, reportUnknown } from '../scope.ts';
import type { Environment, Logic } from './environment.ts';

/** What the dataflow of an event is called when these types take the place of their bases. */
export function linkSubstitution(pattern: InstancePattern, event: TypeName, environment: Environment, logic: Logic): string | undefined {
  const { withTypes: pairs } = pattern.options;
  if (pairs === undefined) return undefined;
  if (!logic.types.events.has(event)) {
    logic.linking.report.fault('pattern-mixed', pattern.span, '`:with-types` belongs to an event, whose dataflow names the types');
    return undefined;
  }
  const types = new Map<TypeName, TypeName>();
  for (const { base, subtype } of pairs) {
    const [from, to] = [typeOf(base, environment, logic), typeOf(subtype, environment, logic)];
    if (from === undefined || to === undefined) continue;
    if (subtypesOf(from, logic.types, false).includes(to)) types.set(from, to);
    else logic.linking.report.fault('pattern-type', subtype.span, `\`${localOf(to)}\` does not extend \`${localOf(from)}\``);
  }
  const name = `${event} with ${[...types].map(([from, to]) => `${from} as ${to}`).join(', ')}`;
  logic.substitutions.set(name, { event, types });
  return name;
}

function typeOf(name: Name, { module }: Environment, logic: Logic): TypeName | undefined {
  const entry = lookUp(name.text, module, logic.linking.scope);
  if (entry?.kind === 'entity' || entry?.kind === 'record') return entry.name;
  const wanted = { what: 'entity or record', name: name.text, span: name.span, module };
  reportUnknown(logic.linking, 'name-unknown', wanted, (each) => each.kind === 'entity' || each.kind === 'record');
  return undefined;
}
