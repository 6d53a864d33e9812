// The description of a model as `GET /platform/model` gives it: plain facts, in the names that the surface has for them.

export interface ModelDescription {
  readonly application: { readonly name: string; readonly version: string };
  /** Paths below are those of this surface. */
  readonly surface: 'current' | 'earlier';
  /** Parts of the service that are on. */
  readonly features: Readonly<Record<'authentication' | 'accessControl' | 'audit' | 'agents' | 'graphql' | 'mcp', boolean>>;
  readonly caller: CallerDescription;
  readonly modules: readonly string[];
  readonly entities: readonly EntityDescription[];
  readonly relationships: readonly RelationshipDescription[];
  readonly records: readonly RecordDescription[];
  readonly events: readonly EventDescription[];
  readonly agents: readonly AgentDescription[];
  readonly flows: readonly FlowDescription[];
}

export interface CallerDescription {
  /** Absent where nobody is signed in. */
  readonly email?: string;
  readonly roles: readonly string[];
  /** Whether the paths for admins answer. */
  readonly isAdmin: boolean;
}

interface Named {
  /** Qualified: `blog/Post`. */
  readonly name: string;
  readonly module: string;
  readonly local: string;
}

/** `some` where it depends on the instance. */
export type Extent = 'all' | 'some' | 'none';
export type Operations = Readonly<Record<'create' | 'read' | 'update' | 'delete', Extent>>;

export interface EntityDescription extends Named {
  readonly path: string;
  readonly identifier: string;
  /** One of the service itself. */
  readonly system: boolean;
  readonly contained: boolean;
  /** Whether an instance may stand under no parent. */
  readonly rootable: boolean;
  /** Whether its texts are searched by `@search`. */
  readonly searchable: boolean;
  /** Kept by a resolver, not by the store: it cannot be followed, and to count it is to ask the resolver. */
  readonly external: boolean;
  readonly attributes: readonly AttributeDescription[];
  readonly operations: Operations;
  /** Where relationships lead from an instance: `<instance>/<segment>/<name>`. */
  readonly steps: readonly StepDescription[];
  /** Types that contain it. */
  readonly parents: readonly { readonly relationship: string; readonly entity: string }[];
}

export interface StepDescription {
  readonly relationship: string;
  readonly local: string;
  readonly kind: 'contains' | 'between';
  readonly segment: string;
  readonly name: string;
  readonly target: string;
  /** The attributes that the link itself has. */
  readonly linkAttributes: readonly AttributeDescription[];
}

export interface AttributeDescription {
  readonly name: string;
  readonly type: string;
  /** How it is stored, or that it is a record. */
  readonly kind: string;
  readonly list: boolean;
  readonly required: boolean;
  readonly identifier: boolean;
  readonly unique: boolean;
  readonly default?: 'value' | 'uuid' | 'now' | 'local-now' | 'autoincrement' | 'function';
  readonly defaultValue?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  /** `cascade` where deleting what is referred to deletes the referrer. */
  readonly reference?: { readonly entity: string; readonly attribute: string; readonly cascade?: true };
  readonly record?: string;
  readonly readOnly: boolean;
  readonly writeOnly: boolean;
  readonly secret: boolean;
  readonly computed: boolean;
  /** Of one that has rules of its own: what the caller may do with it, of the instances with which they may. */
  readonly rights?: { readonly create: Extent; readonly read: Extent; readonly update: Extent };
  readonly comment?: string;
}

export interface RelationshipDescription extends Named {
  readonly kind: 'contains' | 'between';
  readonly ends: readonly { readonly entity: string; readonly role: string }[];
  readonly cardinality: 'one-many' | 'many-many' | 'one-one';
  readonly cascade: boolean;
  readonly attributes: readonly AttributeDescription[];
  /** Of one that has instances of its own. */
  readonly path?: string;
  readonly operations?: Operations;
}

export interface RecordDescription extends Named {
  readonly attributes: readonly AttributeDescription[];
}

export interface EventDescription extends Named {
  readonly path: string;
  readonly attributes: readonly AttributeDescription[];
  /** Whether it takes any attributes. */
  readonly open: boolean;
  readonly schedule?: string;
  /** Whether its workflow runs with the rights of the system. */
  readonly runAs?: 'system' | 'caller';
  readonly mayRun: boolean;
  /** JSON Schema of what is known of its result. */
  readonly result: unknown;
}

export interface AgentDescription extends Named {
  readonly path: string;
  readonly tools: readonly string[];
  readonly flow?: string;
  readonly mayRun: boolean;
}

export interface FlowDescription extends Named {
  readonly first: string;
  readonly nodes: readonly { readonly name: string; readonly kind: 'agent' | 'event' | 'decision' | 'statement'; readonly runs?: string }[];
  readonly steps: readonly { readonly from: string; readonly to: string; readonly label?: string }[];
}

/** What an event does: `GET /platform/explain?event=…`. */
export interface Explanation {
  /** Whether it writes, and for which database its statements are. */
  readonly summary: string;
  readonly steps: readonly ExplainedStep[];
}

export interface ExplainedStep {
  /** `2.1` is the first step inside of the second. */
  readonly number: string;
  readonly text: string;
  readonly file: string;
  readonly line: number;
  /** Statements, and words about them. */
  readonly lines: readonly string[];
  readonly steps: readonly ExplainedStep[];
}

/** `GET /platform/explain?entity=…`. */
export interface EntityRules {
  /** The line of its declaration. */
  readonly line: number;
  readonly file: string;
  /** Access rules, as they are written. */
  readonly rules: readonly string[];
  readonly triggers: readonly { readonly when: string; readonly operation: string; readonly runs: string; readonly line: number }[];
  /** Attributes that are unique together. */
  readonly uniques: readonly (readonly string[])[];
}
