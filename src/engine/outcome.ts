// What a workflow gives back: plain values, and what is known of those that are instances or records.

import type { TypeName } from '../model/model.ts';
import { responseType } from '../plan/flow/flow.ts';
import type { AttributePlan, EntityPlan, LinkPlan } from '../plan/plan.ts';
import { isObject } from '../plan/rows/attribute.ts';
import type { Row } from '../store/store.ts';
import type { Value } from '../values/value.ts';
import type { Located } from './row.ts';

/** Surfaces write it in their own form. */
export interface Outcome {
  readonly value: Value;
  /** Whether the last thing done was to create it, which the earlier surface shows. */
  readonly created: boolean;
  /** The JSON of what is stored, where the value is one instance as it stands there, or a list of such. */
  readonly texts: string | readonly string[] | undefined;
  /** Of those texts. */
  readonly type: TypeName | undefined;
  metaOf(value: object): Origin | undefined;
}

export type Origin =
  | {
      readonly kind: 'instance';
      readonly plan: EntityPlan | LinkPlan;
      readonly located: Located;
      readonly row: Row | undefined;
      /** Related instances stand in the value under these names. */
      readonly nested: readonly { readonly name: string; readonly relationship: TypeName }[];
      /** Not stored yet: a trigger that comes before may still change it. */
      readonly pending: boolean;
      /** Attributes whose values expressions see in another form than answers do. */
      readonly operands: ReadonlyMap<string, AttributePlan>;
    }
  | { readonly kind: 'record' | 'event'; readonly type: TypeName; readonly operands: ReadonlyMap<string, AttributePlan> };

/** What a result says about how it is to be answered, where it is a `Response`. */
export function responseOf(value: Value, metaOf: Outcome['metaOf']): { readonly status: number; readonly body: Value } | undefined {
  const origin = isObject(value) ? metaOf(value) : undefined;
  const http = isObject(value) && origin?.kind === 'record' && origin.type === responseType ? value['HTTP'] : undefined;
  if (!isObject(http)) return undefined;
  const { status = 200, body = null } = http;
  return { status: typeof status === 'number' && Number.isInteger(status) && status >= 200 && status <= 599 ? status : 500, body };
}
