// What a field of the schema stands for: the counterpart of the schema, by which a query becomes operations.

import type { Agent, EventType } from '../../model/model.ts';
import type { EntityPlan, LinkPlan } from '../../plan/plan.ts';
import type { IncludedWay } from '../../plan/query/related.ts';

/** A field of an instance, of a record or of a value. */
export type FieldMeaning =
  /** An attribute, the path or an end of a link, by the name that answers have; with `shaped`, only some of the fields of what it holds are wanted. */
  | { readonly kind: 'attribute'; readonly name: string; readonly shaped: boolean }
  | { readonly kind: 'version' }
  /** Behind which a list goes on. */
  | { readonly kind: 'cursor' }
  | { readonly kind: 'related'; readonly way: IncludedWay };

export type RootMeaning =
  | { readonly kind: 'one' | 'list' | 'count' | 'create' | 'update' | 'delete'; readonly plan: EntityPlan | LinkPlan }
  | { readonly kind: 'changes'; readonly plan: EntityPlan | LinkPlan }
  | { readonly kind: 'invoke'; readonly target: EventType | Agent };

export interface Meanings {
  /** What types are called. */
  readonly names: ReadonlyMap<EntityPlan | LinkPlan, string>;
  /** By the name of the field. */
  readonly roots: ReadonlyMap<string, RootMeaning>;
  /** By the name of the type, then that of the field. */
  readonly fields: ReadonlyMap<string, ReadonlyMap<string, FieldMeaning>>;
}
