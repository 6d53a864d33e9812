// What deleting instances takes along: what they contain, links, what refers to them. And how all of it is made again.

import {
  collectionOf,
  creation,
  type Instance,
  isTurned,
  type LinkedEnds,
  linking,
  pathOf,
  perform,
  type Row,
  readInstance,
  readPage,
} from '../../../api/instances.ts';
import { type EntityDescription, entityNamed, type ModelDescription, type StepDescription, tabsOf } from '../../../api/model.ts';
import { itemText } from '../../../components/form/draft.ts';
import { forEach, type Outcome } from '../bulk/batch.ts';

export interface Deletion {
  /** By their paths, with everything that they contain: those that could be read. */
  readonly instances: ReadonlyMap<string, Instance>;
  /** How many of what go along, in the order in which they are told. */
  readonly cascade: ReadonlyMap<string, number>;
  /** Whether nothing else can go along. */
  readonly isComplete: boolean;
  /** Why they could not be made again as they were. */
  readonly noUndo: string | undefined;
  readonly links: ReadonlyMap<string, LinkEnd>;
}

interface LinkEnd extends LinkedEnds {
  /** In which of the deleted its ends stand. */
  readonly roots: readonly string[];
}

interface Part {
  readonly root: string;
  readonly path: string;
  readonly entity: EntityDescription;
  readonly row: Row;
}

/** So many lists of links and of what refers are read for one dialog, and so many links of each. */
const mostLists = 200;
const mostLinks = 100;

export async function deletionOf(
  paths: readonly string[],
  entity: EntityDescription,
  model: ModelDescription,
  signal: AbortSignal,
): Promise<Deletion> {
  const read = await forEach(
    paths,
    async (path) => [path, await readInstance(`${path}?@tree=true`, signal)] as const,
    () => undefined,
  );
  const instances = new Map(read.done);
  const parts = read.done.flatMap(([root, { row }]) => [{ root, path: root, entity, row }, ...below(root, row, entity, model)]);
  const rootOf = new Map(parts.map((part) => [pathOf(part.entity, part.row), part.root]));
  const cascade = new Map<string, number>();
  const add = (name: string, count: number): unknown => count > 0 && cascade.set(name, (cascade.get(name) ?? 0) + count);
  for (const { entity: type } of parts.filter(({ root, path }) => path !== root)) add(type.name, 1);
  const links = new Map<string, LinkEnd>();
  let isComplete = read.failed.length === 0 && parts.every((part) => isAllRead(part, model));
  let isReferred = false;
  const lists = new Map<string, () => Promise<void>>();
  for (const part of parts) {
    for (const step of linksFrom(part.entity)) {
      const target = entityNamed(model, step.target);
      if (target === undefined || target.operations.read === 'none') continue;
      const collection = `${part.path}/${step.segment}/${step.name}`;
      lists.set(collection, async () => {
        const { rows, next } = await readPage(`${collection}?@limit=${mostLinks}`, signal);
        if (next !== undefined) isComplete = false;
        for (const row of rows) {
          const key = linkKey(part, step, pathOf(target, row), model);
          if (links.has(key)) continue;
          const other = rootOf.get(pathOf(target, row));
          links.set(key, {
            step,
            from: { entity: part.entity, row: part.row },
            to: { entity: target, row },
            roots: other === undefined ? [part.root] : [part.root, other],
          });
          add(`links by ${step.relationship}${next === undefined ? '' : ' and more'}`, 1);
        }
      });
    }
    for (const { referrer, attribute, to } of referrersOf(part.entity, model)) {
      const value = valueText(part, to);
      if (value === undefined || referrer.operations.read === 'none') continue;
      const path = `${referrer.path}?${encodeURIComponent(attribute)}=${encodeURIComponent(value)}`;
      lists.set(path, async () => {
        const count = await countOf(path, signal);
        if (count > 0) isReferred = true;
        // What goes along with those is not looked for.
        if (count > 0 && takesMore(referrer, model)) isComplete = false;
        add(`${referrer.name} that refer to it`, count);
      });
    }
  }
  if (lists.size > mostLists) isComplete = false;
  else {
    const { failed } = await forEach(
      [...lists.keys()],
      async (path) => lists.get(path)?.(),
      () => undefined,
    );
    if (failed.length > 0) isComplete = false;
  }
  const reasons: readonly (readonly [boolean, string])[] = [
    [model.surface === 'earlier', 'the earlier surface makes nothing again'],
    [model.features.accessControl, 'owners and grants would not come back'],
    [
      !parts.every((part) => isReadWhole(part.entity)) || ![...links.values()].every(({ step }) => isLinkReadWhole(step, model)),
      'a secret would not come back',
    ],
    [isReferred, 'what refers to it would not come back'],
    [parts.some((part) => isSettingFree(part, model)), 'what stays would stand in nothing'],
    [rootOf.size < parts.length, 'one of them stands in another'],
    [!isComplete, 'not all that goes along is known'],
  ];
  return { instances, cascade, isComplete, links, noUndo: reasons.find(([holds]) => holds)?.[1] };
}

export interface Restored {
  readonly instances: Outcome<string>;
  readonly missingLinks: number;
}

/** Makes those again that were deleted, and when all of them are there their links. */
export async function restored(
  deleted: readonly string[],
  entity: EntityDescription,
  model: ModelDescription,
  deletion: Deletion,
): Promise<Restored> {
  const again = async (path: string): Promise<string> => {
    const row = deletion.instances.get(path)?.row ?? {};
    await perform(creation(collectionOf(path), entity.name, writable(row, entity, model)));
    return path;
  };
  const instances = await forEach(deleted, again, () => undefined);
  const isThere = (root: string): boolean => !deleted.includes(root) || instances.done.includes(root);
  const gone = [...deletion.links].filter(([, { roots }]) => roots.some((root) => deleted.includes(root)));
  const possible = new Map(gone.filter(([, { roots }]) => roots.every(isThere)));
  const link = async (key: string): Promise<void> => {
    const end = possible.get(key);
    if (end !== undefined) await perform(linking(model, end));
  };
  const { done } = await forEach([...possible.keys()], link, () => undefined);
  return { instances, missingLinks: gone.length - done.length };
}

/** The same from both of its ends. */
function linkKey(part: Part, step: StepDescription, target: string, model: ModelDescription): string {
  const ends = [pathOf(part.entity, part.row), target];
  return JSON.stringify([step.relationship, ...(isTurned(model, step) ? ends.toReversed() : ends)]);
}

/** Whether the caller reads everything that goes along with it. */
function isAllRead({ entity, row }: Part, model: ModelDescription): boolean {
  const isRead = (name: string): boolean => entityNamed(model, name)?.operations.read === 'all';
  return (
    entity.steps.every((step) => {
      const relationship = model.relationships.find((each) => each.name === step.relationship);
      return isRead(step.target) && (step.kind === 'contains' || relationship?.operations?.read === 'all');
    }) && referrersOf(entity, model).every(({ referrer, to }) => row[to] === null || (row[to] !== undefined && isRead(referrer.name)))
  );
}

/** The text by which it is asked for; none where it has no value. */
function valueText({ entity, row }: Part, name: string): string | undefined {
  const attribute = entity.attributes.find((each) => each.name === name);
  const isValue = row[name] !== null && row[name] !== undefined;
  return attribute === undefined || attribute.list || !isValue ? undefined : itemText(attribute, row[name]);
}

function takesMore(entity: EntityDescription, model: ModelDescription): boolean {
  return entity.steps.length > 0 || referrersOf(entity, model).length > 0;
}

/** Children of a relationship that does not cascade stay, under no parent. */
function isSettingFree({ entity, row }: Part, model: ModelDescription): boolean {
  return entity.steps.some((step) => {
    const children = row[step.local] ?? Object(row['->'])[step.relationship];
    const relationship = model.relationships.find((each) => each.name === step.relationship);
    return step.kind === 'contains' && relationship?.cascade !== true && Array.isArray(children) && children.length > 0;
  });
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
function isReadWhole({ attributes }: Pick<EntityDescription, 'attributes'>): boolean {
  return attributes.every((each) => !each.secret && !each.writeOnly);
}

export function isLinkReadWhole({ relationship }: StepDescription, model: ModelDescription): boolean {
  return model.relationships.every((each) => each.name !== relationship || isReadWhole(each));
}

/** Everything that stands in an instance, where deleting takes it along. */
function below(root: string, row: Row, entity: EntityDescription, model: ModelDescription): readonly Part[] {
  return contained(row, entity, model).flatMap(({ children, target }) =>
    children.flatMap((child) => [{ root, path: pathOf(target, child), entity: target, row: child }, ...below(root, child, target, model)]),
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
