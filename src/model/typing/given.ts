// Which attributes of events may hold instances: a workflow may hand one over, whatever the type of the attribute is.

import { localOf, type Model, type TypeName } from '../model.ts';
import type { Expression, InstancePattern } from '../pattern.ts';
import { eachNode, statementsOf } from '../walk.ts';

export interface GivenAttributes {
  of(event: TypeName): Iterable<string>;
}

export function givenAttributes(model: Model): GivenAttributes {
  const given = new Map<TypeName, Set<string>>();
  const add = (event: TypeName, names: Iterable<string>): void => {
    const known = given.get(event) ?? new Set<string>();
    for (const each of names) known.add(each);
    given.set(event, known);
  };
  eachNode(statementsOf(model), (node) => {
    if (node.kind !== 'instance' || node.target !== undefined) return;
    const event = model.events.get(node.type.text);
    if (event?.open === false) add(event.name, handedOver(node, event.attributes));
  });
  // A trigger hands over the instance, under the name of its type.
  for (const { runs, entity } of model.triggers) if (runs.kind === 'event') add(runs.event, [localOf(entity)]);
  return { of: (event) => given.get(event) ?? [] };
}

function handedOver({ attributes, options }: InstancePattern, declared: readonly { readonly name: string }[]): readonly string[] {
  if (options.from !== undefined) return declared.map((each) => each.name);
  return attributes.flatMap(({ name, value }) => (value.kind === 'aggregate' || isPlain(value) ? [] : [name.text]));
}

const plainKinds: ReadonlySet<Expression['kind']> = new Set<Expression['kind']>(['literal', 'unary', 'map', 'list', 'quote']);

/** Whether its value is no instance, whatever it refers to. */
function isPlain(expression: Expression): boolean {
  if (expression.kind === 'binary') return expression.operator !== 'and' && expression.operator !== 'or';
  if (expression.kind === 'call') return expression.function === undefined;
  return plainKinds.has(expression.kind);
}
