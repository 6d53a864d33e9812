// Rows as the parts of the engine hand them to each other: where one stands, one to be, what is to change in one, and where one is to go.

import type { Fault } from '../errors.ts';
import type { AttributePlan, ContainsPlan, EntityPlan, LinkEnd, LinkPlan, LinkWay, Step } from '../plan/plan.ts';
import type { EndReference } from '../plan/rows/link-references.ts';
import type { Value } from '../values/value.ts';

/** A row that an address leads to; whether it exists is seen when it is read. */
export interface Located {
  readonly plan: EntityPlan | LinkPlan;
  readonly key: Value;
  readonly id: Value;
  /** Present on what stands under a parent. */
  readonly path: string | undefined;
  /** Where it was reached by a link: the way, and the key of the row at its other end. */
  readonly link?: { readonly way: LinkWay; readonly start: Value };
}

export interface Parent {
  readonly located: Located;
  readonly contains: ContainsPlan;
  /** Whether nobody has looked yet if it exists. */
  readonly assumed?: boolean;
}

/** One row to be. `values` are by attribute, in the plan's order. */
export interface Draft {
  readonly plan: EntityPlan | LinkPlan;
  readonly values: Value[];
  readonly children: readonly DraftChildren[];
  /** What stands in errors before the names of its attributes: `PostComment[0].`. */
  readonly prefix: string;
  /** Whether the body held nothing but what names an instance: enough to link an existing one. */
  readonly onlyIdentifier: boolean;
  /** Attributes with rules that the body names: not what their defaults give. */
  readonly given?: readonly AttributePlan[];
  /** Whether it was stored before, and is put back as it was. */
  readonly restored?: boolean;
  /** Where that is not its identifier: its guid or its path. */
  readonly named?: NamedTarget;
  /** Ends of a link, as sent. */
  readonly ends: readonly [Value, Value] | undefined;
  /** The link to be, without its ends, where this is the instance at the other end of one. */
  readonly link?: Draft;
}

export interface NamedTarget {
  readonly name: string;
  readonly end: LinkEnd;
  readonly reference: EndReference;
  /** Whether the body is not enough to make a new instance of. */
  readonly mustExist: boolean;
}

export interface DraftChildren {
  readonly name: string;
  readonly step: Step;
  readonly drafts: readonly Draft[];
  /** Where the drafts are links themselves, and not what stands at their other end. */
  readonly ofLink?: LinkWay;
}

/** What a body changes. */
export interface Changes {
  readonly changes: ReadonlyMap<AttributePlan, Value>;
  /** Values of what cannot change, which must then be what they are. */
  readonly unchanged: readonly { readonly name: string; readonly value: Value; readonly code: Fault['code'] }[];
  /** What is wrong with the rest, to be told together with what must not change. */
  readonly faults: readonly Fault[];
  /** Secrets as they were sent, for their checks; in `changes` they are what is kept of them. */
  readonly secrets?: ReadonlyMap<AttributePlan, Value>;
  /** What stands in errors before the names of the attributes. */
  readonly prefix: string;
  /** Where the instance is to stand, if that is somewhere else. */
  readonly move?: Moving;
}

/** Where an instance is to stand. */
export interface Moving {
  readonly plan: EntityPlan;
  readonly to: Located;
  /** Absent where it is to stand under none. */
  readonly parent: Parent | undefined;
}
