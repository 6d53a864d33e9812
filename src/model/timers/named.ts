// What the logic of a model says itself that timers run: not by a name that is computed, or that comes with an event.

import { literalValue } from '../literals.ts';
import type { Model, TypeName } from '../model.ts';
import { type Expression, isQuery } from '../pattern.ts';
import { eachNode, statementsOf } from '../walk.ts';
import { triggerOf } from './definition.ts';
import { timerTypes } from './timers.ts';

const known = new WeakMap<Model, ReadonlySet<TypeName>>();

export function namedInTimers(model: Model): ReadonlySet<TypeName> {
  const names = known.get(model) ?? namesIn(model);
  known.set(model, names);
  return names;
}

const triggers: ReadonlySet<string> = new Set(['trigger', 'ExpiryEvent']);

function namesIn(model: Model): ReadonlySet<TypeName> {
  const names = new Set<TypeName>();
  eachNode(statementsOf(model), (node) => {
    if (node.kind !== 'instance' || !timerTypes.has(node.type.text) || isQuery(node)) return;
    const given = node.attributes.find(({ name }) => triggers.has(name.text))?.value;
    const name = given === undefined || given.kind === 'aggregate' ? undefined : nameIn(given);
    if (name !== undefined) names.add(name);
  });
  return names;
}

/** Also where the attributes of what is run are computed. */
function nameIn(trigger: Expression): TypeName | undefined {
  if (trigger.kind === 'quote') return nameIn(trigger.value);
  const [entry] = trigger.kind === 'map' ? trigger.entries : [];
  const name = entry?.key.value ?? literalValue(trigger);
  return typeof name === 'string' ? triggerOf(name)?.name : undefined;
}
