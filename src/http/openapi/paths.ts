// The places of an API: every path of a model that a document describes, as data. Longer paths go on in the same way.

import type { EntityPlan, LinkPlan, Names, Step, Target } from '../../plan/plan.ts';
import { segment } from '../../plan/rows/keys.ts';

/** A collection and its instances, at the top of a module or below an instance. */
export interface RowPath {
  readonly module: string;
  /** Of the collection, with the parameters of the instances above it. */
  readonly path: string;
  /** The identifier's name, or another that no parameter of `path` has. */
  readonly parameter: string;
  /** The instances above, the outermost first. */
  readonly above: readonly PathParameter[];
  /** Unique among all places, and the same as long as the names of the model are. */
  readonly name: string;
  readonly plan: EntityPlan | LinkPlan;
  readonly under: { readonly parent: RowPath; readonly step: Step } | undefined;
}

export interface PathParameter {
  readonly name: string;
  readonly plan: EntityPlan | LinkPlan;
}

export interface CallPath {
  readonly module: string;
  readonly path: string;
  readonly name: string;
  readonly target: Exclude<Target, { kind: 'entity' | 'link' }>;
}

export type PathEntry = ({ readonly kind: 'rows' } & RowPath) | ({ readonly kind: 'call' } & CallPath);

/** Containment goes on without end where types contain each other; a document does not. */
const deepest = 3;

/** What a module is about comes first. */
const order: Readonly<Record<Target['kind'], number>> = { entity: 0, link: 1, event: 2, agent: 3 };

export function* placesOf(all: Names): Generator<PathEntry> {
  for (const [module, names] of all) {
    for (const [local, target] of [...names].sort(([, one], [, other]) => order[one.kind] - order[other.kind])) {
      const base = { module, path: `/${encodeName(module)}/${encodeName(local)}`, name: `${safe(module)}-${safe(local)}` };
      if (target.kind === 'entity' || target.kind === 'link') {
        const root: RowPath = {
          ...base,
          parameter: parameterName(target.plan, new Set()),
          above: [],
          plan: target.plan,
          under: undefined,
        };
        yield* rowsFrom(root, 0);
      } else if (target.kind === 'event' || target.agent.isPublic) yield { kind: 'call', ...base, target };
    }
  }
}

function* rowsFrom(place: RowPath, depth: number): Generator<PathEntry> {
  yield { kind: 'rows', ...place };
  const { plan, under } = place;
  if (plan.kind === 'link' || depth === deepest || under?.step.kind === 'link') return;
  for (const step of new Set([...plan.steps.values()].flat())) {
    // Links are shown below their own entity alone, and what contains itself one level deep.
    if (depth > 0 && (step.kind === 'link' || step === under?.step)) continue;
    yield* rowsFrom(placeBelow(place, plan, step), depth + 1);
  }
}

function placeBelow(parent: RowPath, plan: EntityPlan, step: Step): RowPath {
  const [relationship, child] = segmentsOf(plan, step);
  const above = [...parent.above, { name: parent.parameter, plan: parent.plan }];
  return {
    module: parent.module,
    path: `${parent.path}/{${parent.parameter}}/${encodeName(relationship)}/${encodeName(child)}`,
    parameter: parameterName(step.target, new Set(above.map((each) => each.name))),
    above,
    name: `${parent.name}-${safe(relationship)}-${safe(child)}`,
    plan: step.target,
    under: { parent, step },
  };
}

/** The names by which a path reaches this step and no other; the child is qualified when it is of another module. */
function segmentsOf(plan: EntityPlan, step: Step): readonly [relationship: string, child: string] {
  const { type } = step.kind === 'contains' ? { type: step.contains.name } : step.link;
  const relationships = [type.slice(type.indexOf('/') + 1), segment(type)];
  const isForeign = moduleOf(plan.type) !== moduleOf(step.target.type);
  const qualified = segment(step.target.type);
  const children = isForeign && step.names.includes(qualified) ? [qualified, ...step.names] : step.names;
  for (const relationship of relationships) {
    for (const child of children) {
      if (plan.steps.get(relationship)?.find((each) => each.names.includes(child)) === step) return [relationship, child];
    }
  }
  return [segment(type), qualified];
}

function parameterName(plan: EntityPlan | LinkPlan, taken: ReadonlySet<string>): string {
  // Tools look for plain names between the braces.
  const name = /^\w+$/.test(plan.identifier.name) ? plan.identifier.name : 'id';
  if (!taken.has(name)) return name;
  const longer = /^\w+$/.test(plan.local) ? `${plan.local}_${name}` : `${name}_`;
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? longer : `${longer}${count}`;
    if (!taken.has(candidate)) return candidate;
  }
}

function moduleOf(type: string): string {
  return type.slice(0, type.indexOf('/'));
}

/** `$` may stand in a path as it is. */
function encodeName(name: string): string {
  return encodeURIComponent(name).replaceAll('%24', '$');
}

/** For identifiers of operations, which become names in programs and addresses. */
function safe(name: string): string {
  return name.replaceAll('$', '.').replace(/[^\w.]/gu, (character) => `~${character.codePointAt(0)?.toString(16)}`);
}
