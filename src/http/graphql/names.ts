// What types of the model are called in GraphQL: by their own names, with their module in front where these are not enough.

import type { Fault } from '../../errors.ts';
import { attributeTypes } from '../../model/types/types.ts';
import type { EntityPlan, LinkPlan, Names, Target } from '../../plan/plan.ts';
import { type AddressArguments, addressArguments, freeName } from '../query/address.ts';

type Row = EntityPlan | LinkPlan;

export interface NamedTarget {
  readonly name: string;
  readonly target: Target;
}

const scalars = [
  ...['Int', 'Float', 'String', 'Boolean', 'ID', 'Long', 'JSON'],
  ...attributeTypes.flatMap(({ name, form }) => (form === undefined ? [] : [name])),
];

/** Names that the schema itself needs. */
const reserved: ReadonlySet<string> = new Set([
  ...['Query', 'Mutation', 'Subscription', 'Direction', 'ChangeKind', 'EndFilter', ...scalars],
  ...scalars.flatMap((each) => [`${each}Filter`, `${each}ListFilter`]),
]);

export interface TargetNames {
  readonly targets: readonly NamedTarget[];
  /** Names of types that these need. */
  readonly types: ReadonlySet<string>;
  /** What two of them would be called. */
  readonly clashes: readonly string[];
}

/**
 * Every type that requests can address. Two of one name both get their module in front, and so does what is called as something else is that is made
 * for a type; a type of the service gives way to one of the application, and what is called to what is stored.
 */
export function namedTargets(names: Names, isOwn: (target: Target) => boolean): TargetNames {
  const all = [...names].flatMap(([module, locals]) => [...locals].map(([local, target]) => ({ module, local, target })));
  const [own, service] = [all.filter(({ target }) => isOwn(target)), all.filter(({ target }) => !isOwn(target))];
  const count = (local: string, within: typeof all): number => within.filter((each) => each.local === local).length;
  const rank = ({ local, target }: (typeof all)[number]): number => ('plan' in target ? 0 : 1e6) + local.length;
  const [types, roots] = [new Set(reserved), new Set<string>()];
  const clashes: string[] = [];
  const found = new Map<Target, string>();
  for (const { module, local, target } of all.toSorted((one, other) => rank(one) - rank(other))) {
    const isClear = isOwn(target) ? count(local, own) === 1 : count(local, own) === 0 && count(local, service) === 1;
    const full = `${spelled(module)}_${spelled(local)}`;
    const name = [...(isClear ? [spelled(local)] : []), full].find((each) => isFree(each, target, types, roots));
    if (name === undefined) clashes.push(full);
    const claimed = claimsOf(name ?? full, target);
    for (const each of claimed.types) types.add(each);
    for (const each of claimed.roots) roots.add(each);
    found.set(target, name ?? full);
  }
  return { targets: all.map(({ target }) => ({ target, name: found.get(target) ?? '' })), types, clashes };
}

function isFree(name: string, target: Target, types: ReadonlySet<string>, roots: ReadonlySet<string>): boolean {
  const claimed = claimsOf(name, target);
  return !claimed.types.some((each) => types.has(each)) && !claimed.roots.some((each) => roots.has(each));
}

/** The types and the root fields that are made for it. */
function claimsOf(name: string, target: Target): { readonly types: readonly string[]; readonly roots: readonly string[] } {
  if (!('plan' in target)) return { types: [`${name}EventInput`], roots: [name] };
  const field = lowered(name);
  return {
    types: ['', 'Input', 'LinkInput', 'Changes', 'Where', 'Order', 'Change', 'Result'].map((end) => `${name}${end}`),
    roots: [
      ...['', 'List', 'Count', 'Changes'].map((end) => `${field}${end}`),
      ...['create', 'update', 'delete'].map((each) => `${each}${name}`),
    ],
  };
}

function spelled(name: string): string {
  const text = name.replaceAll('.', '_');
  return reserved.has(text) ? `${text}_` : text;
}

/** The field of a single instance: `post` of `Post`. */
export function lowered(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** How an attribute of a record or an event is called: what begins with two underscores belongs to GraphQL. */
export function fieldName(attribute: string): string {
  return systemNames.get(attribute) ?? attribute;
}

const systemNames: ReadonlyMap<string, string> = new Map([
  ['__Id__', '_id'],
  ['__path__', '_path'],
  ['@link', '_link'],
]);

/** Names that the schema needs wherever there are instances. */
const rowNames: ReadonlySet<string> = new Set(['_path', '_version', '_cursor', '_link', '_parent']);

function isRowName(name: string, { attribute }: Row): boolean {
  return rowNames.has(name) || (name === '_id' && attribute.has('__Id__'));
}

/** How an attribute of an instance is called: one that has a name of the schema gets an underscore behind it. */
export function fieldOf(name: string, plan: Row): string {
  if (!isRowName(name, plan)) return fieldName(name);
  return freeName(`${name}_`, (each) => plan.attribute.has(each));
}

/** The name of the model for one of GraphQL. */
export function attributeOf(field: string, plan: Row): string {
  if (plan.attribute.has(field) && !isRowName(field, plan)) return field;
  for (const [attribute, name] of systemNames) if (name === field) return attribute;
  const name = field.replace(/_+$/, '');
  return isRowName(name, plan) ? name : field;
}

const updateWords = ['changes', 'version'];
const deleteWords = ['version'];

/** What names an instance in the arguments of a field. */
export function addressNames(plan: Row, kind: 'one' | 'update' | 'delete'): AddressArguments {
  const others = kind === 'one' ? [] : kind === 'update' ? updateWords : deleteWords;
  return addressArguments(plan, fieldOf(plan.identifier.name, plan), others);
}

/** The ends of a link as arguments of its delete. */
export function endArguments({ ends: [one, other] }: LinkPlan): readonly [string, string] {
  const names = [one.attribute, other.attribute];
  const argument = (name: string): string =>
    deleteWords.includes(name) ? freeName(name, (each) => deleteWords.includes(each) || names.includes(each)) : name;
  return [argument(one.attribute), argument(other.attribute)];
}

/** The names of the service in a fault, which the model has no other use for, as the schema has them. */
export function graphqlFault({ attribute, code, message }: Fault): Fault {
  return { attribute: spelledNames(attribute), code, message: spelledNames(message) };
}

function spelledNames(text: string): string {
  return text.replace(/(?<![\w@])(?:__Id__|__path__|@link|@parent)(?!\w)/g, (name) => (name === '@parent' ? '_parent' : fieldName(name)));
}

export function isSpellable(name: string): boolean {
  return /^(?!__)[_A-Za-z][_0-9A-Za-z]*$/.test(name);
}
