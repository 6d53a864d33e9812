// What a front end emits: named, unresolved, with source spans. Rich enough to print the text again.

import type { Source, Span } from '../source.ts';
import type { Expression, Literal, MapExpression, Name, Statement } from './pattern.ts';

/** One source file. */
export interface Unit {
  readonly source: Source;
  readonly module?: Name;
  readonly imports: readonly ImportDeclaration[];
  readonly declarations: readonly Declaration[];
  readonly comments: readonly Comment[];
}

export interface Comment {
  /** With its delimiters. */
  readonly text: string;
  readonly span: Span;
}

/** `import "rates.js" @as rates`. */
export interface ImportDeclaration {
  readonly path: Literal;
  readonly alias: Name;
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
  | StartupDeclaration;

export interface TypeDeclaration {
  readonly kind: 'entity' | 'record' | 'event';
  readonly name: Name;
  readonly isPublic: boolean;
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
  readonly fields: readonly Field[];
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
  readonly methods: readonly { readonly name: Name; readonly function: Name }[];
  readonly span: Span;
}

/** A bare statement at the top of a file: run once at start. */
export interface StartupDeclaration {
  readonly kind: 'startup';
  readonly statement: Statement;
  readonly span: Span;
}
