// What a front end emits: named, unresolved, with source spans. Rich enough to print the text again.

import type { Source, Span } from '../source.ts';
import type { CodeExpression, Expression, Literal, MapExpression, Name, Statement } from './pattern.ts';

/** One source file. */
export interface Unit {
  readonly source: Source;
  readonly module?: Name;
  /** What else the declaration of the module says, as it is written: `{:refer [:Other.Core]}`. */
  readonly moduleOptions?: CodeExpression;
  readonly imports: readonly ImportDeclaration[];
  readonly declarations: readonly Declaration[];
  readonly comments: readonly Comment[];
}

export interface Comment {
  /** With its delimiters. */
  readonly text: string;
  readonly span: Span;
}

/** `import "rates.js" @as rates`, with `@external` where its functions act on other systems. */
export interface ImportDeclaration {
  readonly path: Literal;
  readonly alias: Name;
  readonly external: boolean;
  readonly span: Span;
}

export type Declaration =
  | TypeDeclaration
  | RelationshipDeclaration
  | WorkflowDeclaration
  | FlowDeclaration
  | AgentDeclaration
  | DecisionDeclaration
  | RuleDeclaration
  | FieldsDeclaration
  | ResolverDeclaration
  | StartupDeclaration
  | NamedAttributeDeclaration
  | ReactionDeclaration
  | CodeDeclaration
  | ForeignDeclaration;

export interface TypeDeclaration {
  readonly kind: 'entity' | 'record' | 'event';
  readonly name: Name;
  readonly isPublic: boolean;
  /** Of an event that takes any attributes, unvalidated. */
  readonly open?: boolean;
  readonly extends?: Name;
  readonly attributes: readonly AttributeDeclaration[];
  /** Those of the whole type, in its body: `@rbac`, `@meta`, `@with_unique`, `@before`, `@after`, `@was`, `@actions`. */
  readonly annotations: readonly Annotation[];
  readonly span: Span;
}

export interface AttributeDeclaration {
  readonly name: Name;
  /** Absent where `@enum`, `@ref` or `@oneof` stands in its place. */
  readonly type?: Name;
  readonly list: boolean;
  readonly annotations: readonly Annotation[];
  readonly span: Span;
}

export type Annotation =
  /** `@id`, `@default(uuid())`, `@meta {"audit": true}`, `@with_unique(a, b)`: what it means is decided by `link`. */
  | { readonly kind: 'plain'; readonly name: Name; readonly arguments: readonly Expression[]; readonly span: Span }
  | { readonly kind: 'rbac'; readonly name: Name; readonly rules: readonly RbacRule[]; readonly span: Span }
  /** `@after {create Ev, update Ev2 @async}`. */
  | { readonly kind: 'trigger'; readonly name: Name; readonly actions: readonly TriggerAction[]; readonly span: Span }
  /** `@assign(To -> From)`. */
  | { readonly kind: 'assign'; readonly name: Name; readonly to: Name; readonly from: Name; readonly span: Span }
  /** `@actions name Event, ...`: a hint for user interfaces, kept for printing. */
  | { readonly kind: 'actions'; readonly name: Name; readonly pairs: readonly (readonly [Name, Name])[]; readonly span: Span };

export interface RbacRule {
  readonly roles?: readonly Name[];
  /** Of an attribute: whether the rule speaks of the owners of the instance. */
  readonly owners?: boolean;
  readonly allow: readonly Name[];
  readonly where?: Expression;
  readonly span: Span;
}

export interface TriggerAction {
  readonly operation: Name;
  readonly event: Name;
  readonly async: boolean;
}

export interface RelationshipDeclaration {
  readonly kind: 'relationship';
  readonly name: Name;
  readonly type: 'contains' | 'between';
  readonly ends: readonly [RelationshipEnd, RelationshipEnd];
  readonly annotations: readonly Annotation[];
  readonly attributes: readonly AttributeDeclaration[];
  /** Annotations inside the braces, as on an entity. */
  readonly bodyAnnotations: readonly Annotation[];
  readonly span: Span;
}

export interface RelationshipEnd {
  readonly entity: Name;
  readonly role?: Name;
}

export interface WorkflowDeclaration {
  readonly kind: 'workflow';
  /** The event it runs on; absent on `workflow @after create:Post { ... }`. */
  readonly name?: Name;
  readonly trigger?: { readonly when: 'before' | 'after'; readonly operation: Name; readonly entity: Name; readonly span: Span };
  /** The event is made whenever an instance is stored that fulfils this: `[:Evt :when cond :on :E :where cond]`. */
  readonly condition?: { readonly when: Expression; readonly on?: Name; readonly where?: Expression; readonly span: Span };
  /** Text before the first pattern that says what it is for. */
  readonly documentation?: Literal;
  readonly isPublic: boolean;
  readonly annotations: readonly Annotation[];
  readonly body: readonly Statement[];
  readonly span: Span;
}

export interface FlowDeclaration {
  readonly kind: 'flow';
  readonly name: Name;
  readonly steps: readonly FlowStep[];
  readonly span: Span;
}

/** `step --> "value" next`; `next` is a name or a whole pattern (`{mod/E {x a.x}} @as made`). */
export interface FlowStep {
  readonly from: Name;
  readonly condition?: Literal;
  readonly to: Name | Statement;
  readonly span: Span;
}

export interface AgentDeclaration {
  readonly kind: 'agent';
  readonly name: Name;
  readonly isPublic: boolean;
  /** Behind its name: `@rbac`. */
  readonly annotations: readonly Annotation[];
  readonly fields: readonly Field[];
  /** As it was written, where it is an agent of the earlier surface: it is told something as `UserInstruction` too. */
  readonly text?: string;
  /** Its own name, where it is posted to as another event. */
  readonly alias?: string;
  readonly span: Span;
}

/** `instruction "..."`, `tools [blog/Post, blog/publish]`, `directives [{...}]`. */
export interface Field {
  readonly name: Name;
  readonly value: Expression;
}

/** `decision route { case (x > 3) { High } case ("free text") { Low } default { Other } }`. */
export interface DecisionDeclaration {
  readonly kind: 'decision';
  readonly name: Name;
  /** Without a condition it is the default. */
  readonly cases: readonly { readonly condition?: Expression; readonly results: readonly Name[]; readonly span: Span }[];
  readonly span: Span;
}

/** `directive ag.d1 { if ("cond") { "do this" } }`, `scenario ag.s1 { if ("says") { workflowName } }`, or the map form. */
export interface RuleDeclaration {
  readonly kind: 'directive' | 'scenario';
  readonly name: Name;
  readonly body: MapExpression | { readonly kind: 'rule'; readonly condition: Expression; readonly result: Statement; readonly span: Span };
  readonly span: Span;
}

/** `glossaryEntry ag.g1 { word "w", meaning "m" }`, `retry r1 { attempts 3, backoff { ... } }`, `eval ag { ... }`. */
export interface FieldsDeclaration {
  readonly kind: 'glossaryEntry' | 'retry' | 'eval';
  readonly name: Name;
  readonly body: readonly Field[] | MapExpression;
  readonly span: Span;
}

export interface ResolverDeclaration {
  readonly kind: 'resolver';
  readonly name: Name;
  readonly types: readonly Name[];
  readonly methods: readonly { readonly name: Name; readonly function: Name | CodeExpression }[];
  /** Instances are also kept in the own store. */
  readonly compose?: boolean;
  /** Further settings: `:type`, `:config`. */
  readonly options?: MapExpression;
  readonly span: Span;
}

const unusedMethods: readonly string[] = ['invoke', 'on-set-path', 'on-change-notification'];

/** Whether it is a method of resolvers that models in the wild have, and that this service never calls. */
export function isUnusedMethod(name: string): boolean {
  return unusedMethods.includes(name);
}

/** A bare statement at the top of a file: run once at start. */
export interface StartupDeclaration {
  readonly kind: 'startup';
  readonly statement: Statement;
  /** As it was written, where it is data and not a statement; empty where it stands inside of something else. */
  readonly text?: string;
  readonly span: Span;
}

/**
 * `attribute Gender String @enum("f", "m")`: a type of attributes, used by its name. With `@extend(Department) @relationship(WorksFor)` it is
 * instead one more name for what a relationship leads to, in the bodies of that entity.
 */
export interface NamedAttributeDeclaration {
  readonly kind: 'attribute';
  readonly name: Name;
  readonly type?: Name;
  readonly list: boolean;
  readonly annotations: readonly Annotation[];
  readonly span: Span;
}

/** `(rule :R {:A {:X [:> 500]} :as :A} :then {:B {:Y :A.X}})`: what is done when an instance is stored that fulfils the conditions. */
export interface ReactionDeclaration {
  readonly kind: 'rule';
  readonly name: Name;
  /** Whether it reacts to deletes in place of creates and updates. */
  readonly onDelete: boolean;
  readonly conditions: readonly Statement[];
  readonly body: readonly Statement[];
  readonly options?: MapExpression;
  readonly span: Span;
}

/** A function definition (`defn`, `def`, `require`), kept as text in the order of the file. */
export interface CodeDeclaration {
  readonly kind: 'code';
  /** What it defines, if it defines something. */
  readonly name?: Name;
  readonly text: string;
  readonly span: Span;
}

/** A form that is read and kept, but that this service has no behaviour for: `view`, `inference`. */
export interface ForeignDeclaration {
  readonly kind: 'foreign';
  readonly form: string;
  readonly name: Name;
  readonly text: string;
  readonly span: Span;
}
