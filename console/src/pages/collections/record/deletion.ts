// What deleting an instance takes along: what it contains, links, what refers to it. And how all of it is made again.

import { creation, type Instance, pathOf, perform, type Row, readInstance, readPage } from '../../../api/instances.ts';
import { type EntityDescription, entityNamed, type ModelDescription, type StepDescription, tabsOf } from '../../../api/model.ts';
import { Problem } from '../../../api/request.ts';
import { settings } from '../../../api/settings.ts';

export interface Deletion extends Instance {
  /** How many of what go along, in the order in which they are told. */
  readonly along: ReadonlyMap<string, number>;
  /** Whether all of it is known, and can be made again as it was. */
  readonly canUndo: boolean;
  readonly links: readonly LinkEnd[];
}

interface LinkEnd {
  readonly collection: string;
  readonly target: EntityDescription;
  readonly row: Row;
}

interface Part {
  readonly path: string;
  readonly entity: EntityDescription;
  readonly row: Row;
}

/** Of so many parts the links are read, and so many links of each. */
const mostParts = 50;
const mostLinks = 100;

export async function deletionOf(path: string, entity: EntityDescription, model: ModelDescription, signal: AbortSignal): Promise<Deletion> {
  const instance = await readInstance(`${path}?@tree=true`, signal);
  const parts = [{ path, entity, row: instance.row }, ...below(instance.row, entity, model)];
  const along = new Map<string, number>();
  const add = (name: string, count: number): unknown => count > 0 && along.set(name, (along.get(name) ?? 0) + count);
  for (const { entity: type } of parts.slice(1)) add(type.name, 1);
  const links: LinkEnd[] = [];
  let isKnown =
    parts.length <= mostParts || parts.every((part) => linksFrom(part.entity).length + referrersOf(part.entity, model).length === 0);
  for (const part of parts.slice(0, mostParts)) {
    for (const step of linksFrom(part.entity)) {
      const target = entityNamed(model, step.target);
      if (target === undefined || target.operations.read === 'none') {
        isKnown = false;
        continue;
      }
      const collection = `${part.path}/${step.segment}/${step.name}`;
      const { rows, next } = await readPage(`${collection}?@limit=${mostLinks}`, signal);
      if (next !== undefined) isKnown = false;
      add(`links by ${step.relationship}${next === undefined ? '' : ' and more'}`, rows.length);
      links.push(...rows.map((row) => ({ collection, target, row })));
    }
    for (const { referrer, attribute, to } of referrersOf(part.entity, model)) {
      const count = await countOf(`${referrer.path}?${attribute}=${encodeURIComponent(String(part.row[to]))}`, signal);
      if (count > 0) isKnown = false;
      add(`${referrer.name} that refer to it`, count);
    }
  }
  return { ...instance, along, links, canUndo: isKnown && parts.every((part) => isReadWhole(part.entity)) };
}

/** Makes it again, then its links; says how many of those could not be. */
export async function restored(collection: string, entity: EntityDescription, model: ModelDescription, deleted: Deletion): Promise<number> {
  await perform(creation(collection, entity.name, writable(deleted.row, entity, model)));
  let missing = 0;
  for (const { collection: at, target, row } of deleted.links) {
    const held = row['@link'];
    const end = { [target.identifier]: row['__path__'] ?? row[target.identifier], ...(held === undefined ? {} : { '@link': held }) };
    try {
      await perform(creation(at, target.name, end));
    } catch (thrown) {
      // A link inside of what was deleted is seen from both of its ends.
      if (!(thrown instanceof Problem && thrown.status === 409)) missing += 1;
    }
  }
  return missing;
}

function linksFrom(entity: EntityDescription): readonly StepDescription[] {
  return tabsOf(entity).filter((step) => step.kind === 'between');
}

/** What is deleted with that which it refers to. */
function referrersOf({ name }: EntityDescription, model: ModelDescription) {
  return model.entities.flatMap((referrer) =>
    referrer.attributes.flatMap(({ name: attribute, reference }) =>
      reference?.cascade === true && reference.entity === name ? [{ referrer, attribute, to: reference.attribute }] : [],
    ),
  );
}

async function countOf(path: string, signal: AbortSignal): Promise<number> {
  const { total, rows } = await readPage(`${path}&@limit=1&@count=true`, signal);
  return total ?? rows.length;
}

/** A secret is not in the answer, so what had one cannot be made again as it was. */
function isReadWhole({ attributes }: EntityDescription): boolean {
  return settings.surface === 'current' && attributes.every((each) => !each.secret && !each.writeOnly);
}

/** Everything that stands in an instance, where deleting takes it along. */
function below(row: Row, entity: EntityDescription, model: ModelDescription): readonly Part[] {
  return contained(row, entity, model).flatMap(({ children, target }) =>
    children.flatMap((child) => [{ path: pathOf(target, child), entity: target, row: child }, ...below(child, target, model)]),
  );
}

function contained(row: Row, entity: EntityDescription, model: ModelDescription) {
  const known = new Set<string>();
  return entity.steps.flatMap((step) => {
    const relationship = model.relationships.find((each) => each.name === step.relationship);
    const target = entityNamed(model, step.target);
    const children = row[step.local] ?? Object(row['->'])[step.relationship];
    if (step.kind !== 'contains' || relationship?.cascade !== true || target === undefined || known.has(step.relationship)) return [];
    known.add(step.relationship);
    return [{ local: step.local, target, children: Array.isArray(children) ? children.map((each): Row => Object(each)) : [] }];
  });
}

/** What the API takes to make it again: no computed attribute, no path, everything that it contained. */
function writable(row: Row, entity: EntityDescription, model: ModelDescription): Row {
  const own = entity.attributes.filter((each) => !each.computed && row[each.name] !== null && row[each.name] !== undefined);
  const nested = contained(row, entity, model).filter(({ children }) => children.length > 0);
  return {
    ...Object.fromEntries(own.map(({ name }) => [name, row[name]])),
    ...Object.fromEntries(nested.map(({ local, target, children }) => [local, children.map((child) => writable(child, target, model))])),
  };
}
