// What types of the model are called in GraphQL: by their own names, with their module in front where these are not enough.

import type { Names, Target } from '../../plan/plan.ts';

export interface NamedTarget {
  readonly name: string;
  readonly target: Target;
}

/** Names that the schema itself needs. */
const reserved: ReadonlySet<string> = new Set([
  ...['Query', 'Mutation', 'Subscription', 'Direction'],
  ...['Int', 'Float', 'String', 'Boolean', 'ID', 'Long', 'Decimal', 'DateTime', 'Date', 'Time', 'UUID', 'Email', 'URL', 'JSON'],
]);

/** Every type that requests can address. Two of one name both get their module in front; a type of the service gives way to one of the application. */
export function namedTargets(names: Names, isOwn: (target: Target) => boolean): readonly NamedTarget[] {
  const all = [...names].flatMap(([module, locals]) => [...locals].map(([local, target]) => ({ module, local, target })));
  const [own, service] = [all.filter(({ target }) => isOwn(target)), all.filter(({ target }) => !isOwn(target))];
  const count = (local: string, within: typeof all): number => within.filter((each) => each.local === local).length;
  return all.map(({ module, local, target }) => {
    const isClear = isOwn(target) ? count(local, own) === 1 : count(local, own) === 0 && count(local, service) === 1;
    return { name: isClear ? spelled(local) : `${spelled(module)}_${spelled(local)}`, target };
  });
}

function spelled(name: string): string {
  const text = name.replaceAll('.', '_');
  return reserved.has(text) ? `${text}_` : text;
}

/** The field of a single instance: `post` of `Post`. */
export function lowered(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** How an attribute is called: what begins with two underscores belongs to GraphQL. */
export function fieldName(attribute: string): string {
  return systemNames.get(attribute) ?? attribute;
}

const systemNames: ReadonlyMap<string, string> = new Map([
  ['__Id__', '_id'],
  ['__path__', '_path'],
  ['@link', '_link'],
]);

/** The name of the model for one of GraphQL. */
export function attributeName(field: string): string {
  for (const [attribute, name] of systemNames) if (name === field) return attribute;
  return field;
}

export function isSpellable(name: string): boolean {
  return /^(?!__)[_A-Za-z][_0-9A-Za-z]*$/.test(name);
}
