// Compiled logic as data: what the statements of workflows and dataflows became at load time.

import type { EventType, RunAs, TypeName } from '../../model/model.ts';
import type { Alias, ComparisonOperator, Expression, Handler, InstancePattern } from '../../model/pattern.ts';
import type { ColumnKind } from '../../model/types/attribute-type.ts';
import type { Span } from '../../source.ts';
import type { Value } from '../../values/value.ts';
import type { AttributePlan, ContainsPlan, EntityPlan, LinkEnd, LinkPlan, Step } from '../plan.ts';
import type { Lookup, OrderTerm, Search } from '../query/condition.ts';
import type { Insert, JoinOutput, JoinQuery, Select } from '../query/shape.ts';

/** All logic of a model. */
export interface Dataflows {
  /** By the name of their event, or by what the model calls them with subtypes in the place of types. */
  readonly flows: ReadonlyMap<TypeName, FlowProgram>;
  readonly events: ReadonlyMap<TypeName, EventPlan>;
  readonly records: ReadonlyMap<TypeName, RecordPlan>;
  /** By `before create m/Post`. */
  readonly triggers: ReadonlyMap<string, readonly TriggerPlan[]>;
  readonly startup: FlowProgram;
  /** Patterns that stand where a value is expected. */
  readonly embedded: ReadonlyMap<InstancePattern, Action>;
}

export interface FlowProgram {
  /** What it is called in errors: the event, or `after create m/Post`. */
  readonly name: string;
  readonly steps: readonly FlowStep[];
  readonly effects: Effects;
}

/** What a flow does by itself; what it sets off besides is found through the names. */
export interface Effects {
  readonly writes: boolean;
  /** For something outside the store: an awaited function, a check, a hash. */
  readonly waits: boolean;
  /** It may call a function whose import says that it acts on other systems. */
  readonly external: boolean;
  /** It reads rows by something else than their identity: others may add or remove some of them meanwhile. */
  readonly queries: boolean;
  /** It is the question to an agent. */
  readonly asks: boolean;
  /** It calls a resolver that may suspend it. */
  readonly suspends: boolean;
  readonly calls: ReadonlySet<TypeName>;
  /** `create m/Post`: what may fire triggers. */
  readonly touches: ReadonlySet<string>;
}

/** What a part of the service says of how it does an event, in place of a workflow or before it. */
export interface Handled {
  /** The transaction that it needs; `own` where it opens short ones itself, and can be part of no other; `none` where it asks nothing of the store. */
  readonly transaction: 'read' | 'write' | 'own' | 'none';
  /** Whether it waits for something outside the store. */
  readonly waits: boolean;
  /** Whether the workflow of the event, where it has one, runs behind it and gives the result. */
  readonly composes?: boolean;
  /** Whether it may suspend the workflow that makes the event. */
  readonly suspends?: boolean | undefined;
}

export interface EventPlan {
  readonly event: EventType | undefined;
  readonly name: TypeName;
  readonly open: boolean;
  readonly attributes: readonly AttributePlan[];
  /** Attributes that a trigger gives besides the declared ones. */
  readonly given: ReadonlySet<string>;
  readonly operands: ReadonlyMap<string, AttributePlan>;
}

export interface RecordPlan {
  readonly name: TypeName;
  readonly attributes: readonly AttributePlan[];
  readonly operands: ReadonlyMap<string, AttributePlan>;
  /** Takes any attributes. */
  readonly open: boolean;
}

/** A record that says how a request is answered: `{:HTTP {:status 422 :body x}}`. */
export const responseType = 'Platform.Kernel.Lang/Response';

export interface TriggerPlan {
  readonly when: 'before' | 'after';
  readonly operation: 'create' | 'update' | 'delete';
  readonly entity: TypeName;
  readonly async: boolean;
  readonly runAs: RunAs;
  readonly flow: FlowProgram;
  /** The event that is made, with the instance under this attribute; absent where the body stands in the trigger itself. */
  readonly event: { readonly name: TypeName; readonly attribute: string } | undefined;
  /** What the instance must fulfil, under the name of its type. */
  readonly condition: Expression | undefined;
  /** What else the instance is called. */
  readonly alias: Alias | undefined;
  /** Instances of another type that belong to it: the condition is asked for each of them. */
  readonly related: { readonly type: TypeName; readonly flow: FlowProgram } | undefined;
}

/** One statement: what is done, and what is done with its result. */
export interface FlowStep {
  readonly action: Action;
  readonly as: Alias | undefined;
  readonly catches: readonly FlowHandler[];
  readonly throws: readonly FlowHandler[];
  readonly empty: FlowStep | undefined;
  readonly then: readonly FlowStep[] | undefined;
  /** Whether anything is done about its failure, or about its finding nothing. */
  readonly handles: boolean;
  /** What it does, in the words of its pattern: `create shop/Order`, `throw`. */
  readonly words: string;
  readonly span: Span;
}

export interface FlowHandler {
  readonly on: Handler['on'];
  readonly step: FlowStep;
}

export type Action =
  | { readonly kind: 'value'; readonly value: Expression; readonly waits: boolean }
  | CreateAction
  | { readonly kind: 'record'; readonly record: RecordPlan; readonly values: readonly Assignment[]; readonly from: Expression | undefined }
  | {
      readonly kind: 'call';
      readonly event: TypeName;
      /** The name of the flow that runs: that of the event, or of what it becomes with subtypes. */
      readonly flow: string;
      readonly values: readonly Assignment[];
      readonly from: Expression | undefined;
    }
  | Find
  | { readonly kind: 'change'; readonly find: Find; readonly sets: readonly Assignment[]; readonly from: Expression | undefined }
  | { readonly kind: 'remove'; readonly find: Find }
  /** Changes what an alias holds. */
  | {
      readonly kind: 'change-alias';
      readonly target: readonly string[];
      readonly sets: readonly Assignment[];
      /** The same for the types that the alias has held, which are known only then. */
      readonly typedSets: Map<EntityPlan | LinkPlan, readonly Assignment[]>;
      readonly from: Expression | undefined;
      readonly links: readonly LinkStep[];
      /** Whether nobody looks at it afterwards. */
      readonly unread?: boolean;
    }
  | JoinAction
  | {
      readonly kind: 'for';
      readonly variable: string;
      readonly source: FlowStep;
      readonly body: readonly FlowStep[];
      /** Nobody looks at what its rounds give. */
      readonly unread: boolean;
    }
  | {
      readonly kind: 'if';
      readonly condition: Expression;
      readonly then: readonly FlowStep[];
      readonly otherwise: readonly FlowStep[] | undefined;
    }
  | {
      readonly kind: 'match';
      readonly subject: Expression;
      readonly cases: readonly { readonly value: Expression; readonly body: readonly FlowStep[] }[];
      readonly otherwise: readonly FlowStep[] | undefined;
    }
  | { readonly kind: 'block'; readonly steps: readonly FlowStep[] }
  | { readonly kind: 'return'; readonly step: FlowStep }
  | { readonly kind: 'throw'; readonly reason: Expression }
  | { readonly kind: 'eval'; readonly value: Expression; readonly check: Expression | undefined }
  | {
      readonly kind: 'later';
      readonly body: FlowStep;
      readonly done: readonly FlowStep[] | undefined;
      readonly handlers: readonly FlowHandler[];
    }
  | { readonly kind: 'path'; readonly start: Find; readonly further: readonly { readonly step: Step; readonly find: Find }[] }
  | { readonly kind: 'query'; readonly query: Expression }
  | { readonly kind: 'rethrow'; readonly after: FlowStep }
  /** Asks the handler of an event that a part of the service does itself; `asks` where that is an agent, which is asked between two transactions. */
  | { readonly kind: 'handle'; readonly event: TypeName; readonly asks: boolean }
  | { readonly kind: 'unavailable'; readonly what: string };

export interface Assignment {
  readonly name: string;
  readonly value: Expression;
  readonly waits: boolean;
}

export interface CreateAction {
  readonly kind: 'create';
  readonly plan: EntityPlan | LinkPlan;
  /** Those that others build on first. */
  readonly values: readonly Assignment[];
  readonly from: Expression | undefined;
  readonly upsert: boolean;
  readonly nested: readonly NestedStep[];
  readonly links: readonly LinkStep[];
  /** Where nothing is written but a row of values that stand for themselves: they, in the order of the plan's attributes. */
  readonly row: readonly RowValue[] | undefined;
  /** Present where nobody looks at what is created. */
  readonly unread?: Insert;
}

/** What an attribute of a row gets. */
export type RowValue =
  /** Checked at load time. */
  | { readonly kind: 'constant'; readonly value: Value }
  | { readonly kind: 'given'; readonly attribute: AttributePlan; readonly value: Expression }
  | { readonly kind: 'absent'; readonly attribute: AttributePlan };

/** `PostComment [...]`: patterns along a relationship of the instance around. */
export interface NestedStep {
  /** As it stands in bodies and answers. */
  readonly name: string;
  readonly relationship: { readonly name: TypeName; readonly local: string };
  readonly step: Step;
  readonly list: boolean;
  readonly actions: readonly (CreateAction | Find | Extract<Action, { kind: 'change' }>)[];
}

/** `:-> [[:WorksFor :D]]`: where an instance hangs, or what it is linked with. */
export interface LinkStep {
  readonly query: boolean;
  readonly to:
    | { readonly kind: 'contains'; readonly contains: ContainsPlan }
    | { readonly kind: 'link'; readonly link: LinkPlan; readonly own: LinkEnd; readonly other: LinkEnd };
  /** Those of the link itself. */
  readonly values: readonly Assignment[];
  readonly find: Find | undefined;
  readonly other: Expression | undefined;
  readonly id: Expression | undefined;
}

export interface Find {
  readonly kind: 'find';
  readonly plan: EntityPlan | LinkPlan;
  /** All of them must hold. */
  readonly tests: readonly Test[];
  readonly order: readonly OrderTerm[];
  readonly limit: Expression | undefined;
  readonly offset: Expression | undefined;
  readonly nested: readonly NestedStep[];
  readonly links: readonly LinkStep[];
  /** Present where it asks for the one row with a key. */
  readonly key: { readonly column: ColumnPlan; readonly value: Expression } | undefined;
  /** Shapes by which of the values are null and how many a list has, each made once. */
  readonly cached: Map<string, Select>;
}

/** What rows must fulfil. */
export type Test =
  | { readonly kind: 'compare'; readonly column: ColumnPlan; readonly operator: ComparisonOperator; readonly value: Expression }
  | { readonly kind: 'columns'; readonly left: ColumnPlan; readonly operator: ComparisonOperator; readonly right: ColumnPlan }
  | { readonly kind: 'and' | 'or'; readonly tests: readonly Test[] }
  | { readonly kind: 'not'; readonly test: Test }
  /** All words of a text stand in the row. */
  | { readonly kind: 'search'; readonly search: Search; readonly value: Expression }
  /** Without any column: the same for every row. */
  | { readonly kind: 'value'; readonly value: Expression }
  /** Decided on the rows that were read: an expression over columns that the store is not asked to compute. */
  | { readonly kind: 'filter'; readonly value: Expression };

export interface ColumnPlan {
  readonly name: string;
  readonly column: string;
  /** Which of the tables of a report; 0 is the first. */
  readonly source: number;
  readonly attribute: AttributePlan | undefined;
  /** Where the column is an end of a link. */
  readonly end: LinkEnd | undefined;
  /** Where the column holds a key that answers and expressions do not show. */
  readonly lookup?: Lookup | undefined;
  /** Where it is the path of this type: of what is contained nowhere, the identifier stands for it. */
  readonly path?: EntityPlan | LinkPlan;
}

/** Rows that are no instances: joins, columns, aggregates. */
export interface JoinAction {
  readonly kind: 'report';
  /** The first type, then those joined to it. */
  readonly sources: readonly (EntityPlan | LinkPlan)[];
  readonly shape: Omit<JoinQuery, 'where' | 'joins'>;
  readonly tests: readonly Test[];
  readonly joins: readonly {
    readonly side: 'inner' | 'left' | 'right' | 'full';
    readonly table: JoinQuery['table'];
    readonly tests: readonly Test[];
  }[];
  readonly limit: Expression | undefined;
  readonly offset: Expression | undefined;
  /** Its rows stand for instances of the first type: their keys are read, then they. */
  readonly instances: boolean;
  /** The declared types of its columns, as far as they have one. */
  readonly declared: ReadonlyMap<string, ColumnKind>;
  /** What is done with the rows that were read, where the store is not asked to compute. */
  readonly apart: InMemoryPart | undefined;
  readonly cached: Map<string, JoinQuery>;
}

/** Columns go by `<source>.<column>` in the rows. */
export interface InMemoryPart {
  readonly columns: readonly ColumnPlan[];
  readonly results: readonly (JoinOutput | Computed)[];
  readonly groupBy: JoinQuery['groupBy'];
  readonly order: JoinQuery['order'];
  readonly distinct: boolean;
}

export interface Computed {
  readonly kind: 'computed';
  readonly name: string;
  readonly value: Expression;
}

/** The name of a pattern that is a step of a flow of agents: no event is called so. */
export function statementName(flow: TypeName, step: string): string {
  return `${flow} ${step}`;
}

/** The key by which triggers are found. */
export function triggerKey(when: 'before' | 'after', operation: 'create' | 'update' | 'delete', entity: TypeName): string {
  return `${when} ${operation} ${entity}`;
}
