// What the caller may do with an instance: as the instance says it (`@rights`), else as its type does.

import type {
  AttributeDescription,
  EntityDescription,
  ModelDescription,
  Operations,
  StepDescription,
} from '../../../src/http/platform/description.ts';

/** An instance as a flat object. */
export type Row = Readonly<Record<string, unknown>>;

type Extent = Operations['create'];

export type RowOperation = 'update' | 'delete';

/** What of an instance depends on it, so that it has to be asked for with it: itself, what stands in it, its links. */
export function rightsPath(model: ModelDescription, entity: EntityDescription, path: string): string {
  const isAsked = needsRights(entity) || entity.steps.some((step) => stepExtents(model, step).includes('some'));
  return isAsked ? `${path}${path.includes('?') ? '&' : '?'}@rights=related` : path;
}

export type StepOperation = 'create' | 'link' | 'unlink';

function stepExtents(model: ModelDescription, step: StepDescription): readonly Extent[] {
  const operations = step.kind === 'contains' ? ['create' as const] : (['link', 'unlink'] as const);
  return operations.map((operation) => stepExtent(operation, model, step));
}

function stepExtent(operation: StepOperation, model: ModelDescription, step: StepDescription): Extent {
  if (operation === 'create') return model.entities.find(({ name }) => name === step.target)?.operations.create ?? 'none';
  const link = model.relationships.find((each) => each.name === step.relationship)?.operations;
  return link?.[operation === 'link' ? 'create' : 'delete'] ?? 'none';
}

/** Of a link each end has its say: it is asked of both. */
export function mayAt(operation: StepOperation, model: ModelDescription, step: StepDescription, row: Row): boolean {
  const extent = stepExtent(operation, model, step);
  if (extent !== 'some') return extent === 'all';
  const rights: unknown = row['@rights'];
  return Array.isArray(rights) && rights.includes(`${operation} ${step.relationship}`);
}

/** Whether it depends on the instance, so that it has to be asked for with it. */
export function needsRights({ operations, attributes }: EntityDescription): boolean {
  return operations.update === 'some' || operations.delete === 'some' || attributes.some(({ rights }) => rights?.update === 'some');
}

/** As the form of an instance has them: without those that the caller does not see of it, and those that may not be set read-only. */
export function attributesOf(entity: EntityDescription, row: Row): readonly AttributeDescription[] {
  const listed: unknown = row['@rights'];
  return entity.attributes.flatMap((attribute): readonly AttributeDescription[] => {
    const { name, rights, readOnly } = attribute;
    if (rights === undefined) return [attribute];
    const isSettable = rights.update === 'all' || (rights.update === 'some' && Array.isArray(listed) && listed.includes(`update ${name}`));
    if (!Object.hasOwn(row, name) && !isSettable) return [];
    return [{ ...attribute, readOnly: readOnly || !isSettable }];
  });
}

/** As the form of a new one has them. */
export function settableOf({ attributes }: EntityDescription): readonly AttributeDescription[] {
  return attributes.filter(({ rights }) => rights?.create !== 'none');
}

export function mayDo(operation: RowOperation, entity: EntityDescription, row: Row): boolean {
  const extent = entity.operations[operation];
  if (extent !== 'some') return extent === 'all';
  const rights: unknown = row['@rights'];
  return Array.isArray(rights) && rights.includes(operation);
}

/** Why a button cannot be used; nothing where it can. */
export function missingRight(operation: RowOperation, entity: EntityDescription, row: Row): string | undefined {
  if (mayDo(operation, entity, row)) return undefined;
  return entity.operations[operation] === 'none'
    ? `You may not ${operation} instances of ${entity.name}: no rule gives you the right to ${operation}.`
    : `You may not ${operation} this one: no rule, ownership or grant gives you the right to ${operation}.`;
}
