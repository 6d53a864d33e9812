// What an application is: resolved, checked, frozen. Everybody behind `link` reads this and nothing else.

import type { Span } from '../source.ts';
import type { Value, Values } from '../values/value.ts';
import type { Facet } from './facets/facet.ts';
import type { Expression, FunctionReference, Name, Statement } from './pattern.ts';
import type { AttributeType, ColumnKind } from './types/attribute-type.ts';

/** A qualified name: `blog.core/Post`, `Acme.Company/Department`. */
export type TypeName = string;

/** There wherever runs are kept: of agents, and of workflows that resolvers may suspend. */
export const runType = 'platform.ai/Run';

/** The name without its module. */
export function localOf(name: TypeName): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

export interface Model {
  readonly modules: readonly string[];
  readonly entities: ReadonlyMap<TypeName, Entity>;
  readonly records: ReadonlyMap<TypeName, RecordType>;
  readonly events: ReadonlyMap<TypeName, EventType>;
  readonly relationships: ReadonlyMap<TypeName, Relationship>;
  readonly workflows: ReadonlyMap<TypeName, Workflow>;
  /** The bodies of workflows with subtypes in the place of types (`:with-types`), by what patterns call them. */
  readonly substitutions: ReadonlyMap<string, readonly Statement[]>;
  /** `workflow @after create:Post { ... }` and `@after {create Ev}`, in the order of the text. */
  readonly triggers: readonly Trigger[];
  readonly agents: ReadonlyMap<TypeName, Agent>;
  readonly flows: ReadonlyMap<TypeName, Flow>;
  readonly decisions: ReadonlyMap<TypeName, Decision>;
  readonly resolvers: ReadonlyMap<TypeName, Resolver>;
  readonly functions: readonly ImportedFunctions[];
  /** Function definitions in the text of the model itself, in the order of the files. */
  readonly code: readonly ModuleCode[];
  /** `rule`: what is done when an instance is stored that fulfils its conditions. */
  readonly reactions: readonly Reaction[];
  /** What is declared, but has no behaviour in this service (`view`, `inference`), with the word it is declared by. */
  readonly unavailable: ReadonlyMap<TypeName, string>;
  readonly startup: readonly Statement[];
  /** `{platform.ai/LLM {…}}`: by the name that agents choose them with. */
  readonly languageModels: ReadonlyMap<string, NamedLanguageModel>;
  /** `{platform.ai/doc {…}}`: by their titles. */
  readonly documents: ReadonlyMap<string, ModelDocument>;
  /** Values of a declared type that a text is compared with: the text is then read as that type, which no store does. */
  readonly readAsTyped: ReadonlySet<Expression>;
}

interface Named {
  readonly name: TypeName;
  readonly module: string;
  /** The name without its module. */
  readonly local: string;
  readonly span: Span;
}

export interface Entity extends Named {
  readonly kind: 'entity';
  readonly extends: TypeName | undefined;
  /** Copied ones first (`extends`), a generated `__Id__` before all others. */
  readonly attributes: readonly Attribute[];
  /** The one that stands in paths: of a contained entity the `@id`, of others the `@guid`; where it is missing the other one, else `__Id__`. */
  readonly identifier: Attribute;
  /** The one that no two instances share, under whatever parent: `@guid`. */
  readonly guid: Attribute | undefined;
  /** Names in bodies that stand for a relationship: `(attribute :Employees {:extend :Department ...})`. */
  readonly extensions: readonly Extension[];
  readonly uniques: readonly (readonly string[])[];
  readonly rbac: readonly AccessRule[] | undefined;
  /** `@profile(email)`: the attribute that says which user an instance describes. */
  readonly profile: string | undefined;
  readonly meta: Values;
  readonly was: string | undefined;
  readonly system?: SystemType;
}

/** Of a type that the service brings: it has two names, one on each surface. */
export interface SystemType {
  /** Where it goes by this name. */
  readonly surface: 'current' | 'earlier';
  /** The name that its table goes by. */
  readonly stored: TypeName;
}

export interface RecordType extends Named {
  readonly kind: 'record';
  readonly extends: TypeName | undefined;
  readonly attributes: readonly Attribute[];
  readonly meta: Values;
}

export interface EventType extends Named {
  readonly kind: 'event';
  readonly attributes: readonly Attribute[];
  /** A workflow whose event is not declared takes any attributes, unvalidated. */
  readonly open: boolean;
  readonly isPublic: boolean;
  /** Who may run it; whoever is signed in where it is absent. */
  readonly rbac: readonly AccessRule[] | undefined;
  /** `@internal`: nothing leads to it from outside, and logic alone runs it. */
  readonly isInternal?: boolean;
  /** `@runAs`: with whose rights its workflow runs; with those of whoever runs it where nothing is said. */
  readonly runAs?: RunAs;
  /** When it is run by itself: `@schedule("every 5 minutes")`. */
  readonly schedule?: string;
  readonly meta: Values;
  readonly system?: Pick<SystemType, 'surface'>;
}

export interface Attribute {
  readonly name: string;
  readonly type: TypeReference;
  readonly list: boolean;
  readonly optional: boolean;
  readonly identifier: boolean;
  readonly default: Default | undefined;
  readonly unique: boolean;
  readonly indexed: boolean;
  /** Searched by its words. */
  readonly fulltext: boolean;
  readonly readonly: boolean;
  readonly writeonly: boolean;
  /** Kept as a hash: `@secret`, or the type `Password`. */
  readonly secret: boolean;
  readonly autoincrement: boolean;
  readonly check: FunctionReference | undefined;
  readonly expression: Expression | undefined;
  readonly values: readonly string[] | undefined;
  /** `@enum(1, 2)`: the allowed values where they are not texts. */
  readonly choices: readonly Value[] | undefined;
  /** What its values must be besides, and what is said of them: `@format("[A-Z]+")`. */
  readonly facets: readonly Facet[];
  /** `@oneof(Entity.attr)`: the value must stand in that column. */
  readonly oneOf: AttributeReference | undefined;
  /** `@ref(Entity.attr)`: a foreign key. */
  readonly ref: AttributeReference | undefined;
  readonly meta: Values;
  readonly comment: string | undefined;
  readonly was: string | undefined;
  /** Who of those who may do it with the instance may do it with this attribute too; all of them where it is absent. */
  readonly rbac?: readonly AccessRule[];
  readonly span: Span;
}

export type TypeReference =
  | { readonly kind: 'plain'; readonly type: AttributeType }
  /** A record; in events and records also an entity, whose attributes it then has. */
  | { readonly kind: 'record'; readonly record: TypeName };

export type Default =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'uuid' }
  | { readonly kind: 'now' }
  /** The server's local date and time, without a zone. */
  | { readonly kind: 'local-now' }
  | { readonly kind: 'autoincrement' }
  | { readonly kind: 'function'; readonly function: FunctionReference };

/** As what its values are stored. */
export function columnKind({ list, type, values, secret }: Attribute): ColumnKind {
  if (list || type.kind === 'record') return 'json';
  return values !== undefined || secret ? 'text' : type.type.column;
}

export interface AttributeReference {
  readonly entity: TypeName;
  readonly attribute: string;
  /** Whether deleting what is referred to deletes the referrer; without it, it cannot be deleted. */
  readonly cascade?: boolean;
}

export interface Extension {
  readonly name: string;
  readonly relationship: TypeName;
  /** Whether each value holds the attributes of the link itself, not those of the instance at its other end. */
  readonly ofLink: boolean;
  readonly list: boolean;
  readonly order: number;
}

/** `import "rates.js" @as rates`, seen from one module of the model. */
export interface ImportedFunctions {
  readonly module: string;
  readonly alias: string;
  /** Absolute, or relative to where the project was read from. */
  readonly file: string;
  /** Whether its functions act on other systems: they are never called again for a write that is begun anew. */
  readonly external: boolean;
  /** Where the file is named. */
  readonly span: Span;
  /** The functions of it that the model calls, each where it does. */
  readonly uses: readonly Name[];
}

/** Code in the text of one module. */
export interface ModuleCode {
  readonly module: string;
  readonly name: string | undefined;
  readonly text: string;
  readonly span: Span;
}

export interface Reaction extends Named {
  readonly onDelete: boolean;
  readonly conditions: readonly Statement[];
  readonly body: readonly Statement[];
  readonly options: Values;
}

export type Relationship = Contains | Between;

/** The entities in whose bodies and paths the relationship is used by its name. */
export function usableAt(relationship: Relationship): readonly TypeName[] {
  return relationship.kind === 'contains' ? [relationship.parent] : relationship.ends.map((end) => end.entity);
}

export interface Contains extends Named {
  readonly kind: 'contains';
  readonly parent: TypeName;
  readonly child: TypeName;
  readonly parentRole: string | undefined;
  readonly childRole: string | undefined;
  /** Whether deleting a parent deletes its children. */
  readonly cascade: boolean;
  /** `@inherit`: owners of a parent own its children, also where these have rules of their own. */
  readonly inherit: boolean;
  readonly rbac: readonly AccessRule[] | undefined;
  readonly meta: Values;
  readonly was: string | undefined;
}

export interface Between extends Named {
  readonly kind: 'between';
  readonly ends: readonly [BetweenEnd, BetweenEnd];
  readonly cardinality: 'many-many' | 'one-many' | 'one-one';
  /** Its own, with the identifier; those of `ends` are not among them. */
  readonly attributes: readonly Attribute[];
  readonly identifier: Attribute;
  readonly uniques: readonly (readonly string[])[];
  readonly rbac: readonly AccessRule[] | undefined;
  /** `@owner(From)`: the owner of that end may link alone. */
  readonly owner: string | undefined;
  /** `@assign(To -> From)`: owners of `to` become owners of `from`. */
  readonly assign: { readonly to: string; readonly from: string } | undefined;
  readonly meta: Values;
  readonly was: string | undefined;
}

export interface BetweenEnd {
  readonly entity: TypeName;
  /** The link's attribute that holds this end: its role, else the entity's local name. */
  readonly attribute: string;
}

export type Operation = 'create' | 'read' | 'update' | 'delete';

export interface AccessRule {
  readonly roles: readonly string[];
  readonly allow: readonly Operation[];
  readonly where: Expression | undefined;
  readonly span: Span;
  /** Of an attribute: only for owners of the instance. */
  readonly owners?: true;
}

/** Named as its event; `module` is where it was written, for an event of another module too (`workflow platform.auth/PostSignUp`). */
export interface Workflow extends Named {
  /** Not among `events` when it is built in. */
  readonly event: TypeName;
  readonly isPublic: boolean;
  /** The event is made whenever an instance is stored that fulfils this. */
  readonly condition: { readonly when: Expression; readonly on: TypeName | undefined; readonly where: Expression | undefined } | undefined;
  readonly body: readonly Statement[];
}

/** The system, or whoever has set it off. */
export type RunAs = 'system' | 'caller';

export interface Trigger {
  readonly when: 'before' | 'after';
  readonly operation: Exclude<Operation, 'read'>;
  readonly entity: TypeName;
  readonly module: string;
  readonly runs:
    | { readonly kind: 'event'; readonly event: TypeName; readonly async: boolean }
    | { readonly kind: 'body'; readonly body: readonly Statement[] };
  /** Of a body: as the system where nothing is said; of an event, that event says it. */
  readonly runAs?: RunAs;
  readonly span: Span;
}

export interface Agent extends Named {
  readonly isPublic: boolean;
  /** Whether it may be told something as `UserInstruction`, as agents of the earlier surface are. */
  readonly isEarlier: boolean;
  /** Who may run it; whoever is signed in where it is absent. */
  readonly rbac: readonly AccessRule[] | undefined;
  /** As of an event. */
  readonly isInternal?: boolean;
  readonly instruction: string | undefined;
  readonly role: string | undefined;
  readonly directives: readonly { readonly condition: string; readonly result: string }[];
  readonly scenarios: readonly { readonly user: string; readonly ai: string }[];
  readonly glossary: readonly { readonly name: string; readonly meaning: string; readonly synonyms: string | undefined }[];
  /** Entities, events and modules the agent may use. */
  readonly tools: readonly TypeName[];
  /** Agents that it may ask, as tools. */
  readonly delegates: readonly TypeName[];
  /** Fields whose text is exported by an imported module: read at start. */
  readonly texts: readonly ImportedText[];
  readonly flow: TypeName | undefined;
  /** The other fields (`llm`, `goal`, `responseSchema`, ...), checked, as written. */
  readonly settings: Values;
  readonly retry: RetryPolicy | undefined;
}

export interface ImportedText {
  readonly field: 'instruction' | 'role' | 'goal';
  readonly file: string;
  readonly name: string;
  readonly span: Span;
}

/** What is not said is as in the settings. */
export interface NamedLanguageModel {
  readonly provider?: 'openai' | 'openai-responses' | 'anthropic' | 'scripted';
  readonly model?: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
}

/** Text that agents are shown passages of. */
export interface ModelDocument {
  readonly title: string;
  /** A path in the folder of the project, or an address. */
  readonly url: string;
  /** The agents that it is of besides those that name its title. */
  readonly agents: readonly TypeName[];
  readonly span: Span;
}

export interface RetryPolicy {
  readonly attempts: number;
  readonly strategy: 'exponential' | 'linear' | 'constant';
  readonly delayMs: number;
  readonly factor: number;
}

export interface Flow extends Named {
  readonly first: string;
  readonly steps: readonly {
    readonly from: string;
    readonly condition: string | undefined;
    readonly to: string;
  }[];
  /** What each step of the flow runs. */
  readonly nodes: ReadonlyMap<string, FlowNode>;
}

export type FlowNode =
  | { readonly kind: 'agent' | 'event' | 'decision'; readonly name: TypeName }
  | { readonly kind: 'statement'; readonly statement: Statement };

export interface Decision extends Named {
  readonly cases: readonly { readonly condition: Expression | undefined; readonly results: readonly string[] }[];
}

export interface Resolver extends Named {
  readonly types: readonly TypeName[];
  readonly methods: Readonly<Partial<Record<ResolverMethod, FunctionReference>>>;
  /** Instances are also kept in the own store. */
  readonly compose: boolean;
  readonly options: Values;
  /** The event that runs for each message of a subscription. */
  readonly onSubscription: TypeName | undefined;
  /** One of the service's own, without methods of the application. */
  readonly kind?: ResolverKind;
}

export type ResolverKind = 'memory' | 'rest' | 'sql' | 'openapi' | 'mcp';

export type ResolverMethod =
  | 'create'
  | 'update'
  | 'upsert'
  | 'delete'
  | 'query'
  | 'eval'
  | 'subscribe'
  | 'startTransaction'
  | 'commitTransaction'
  | 'rollbackTransaction';

/** `link` keeps names it has resolved in the same shape, with the qualified text. */
export type { FunctionReference, Name };
