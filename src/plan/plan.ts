// A model compiled for running: tables, shapes, names and checks, all decided once at load time.

import type { ByteCache } from '../byte-cache.ts';
import type { Fault } from '../errors.ts';
import type { Agent, Attribute, Between, Contains, Entity, EventType, Model, TypeName } from '../model/model.ts';
import type { Value } from '../values/value.ts';
import type { AccessPlan } from './access/right.ts';
import type { RelatedComputed } from './computed/related-computed.ts';
import type { ExternalHandlers, ExternalTypes } from './external.ts';
import type { Dataflows } from './flow/flow.ts';
import type { Lookup, Search } from './query/condition.ts';
import type { Delete, Insert, JoinQuery, LinkField, Output, Select, Update } from './query/shape.ts';
import type { IdentifierForm } from './rows/keys.ts';
import type { AgentTables } from './rows/own/agents.ts';
import type { AuditTables } from './rows/own/audit.ts';
import type { IdentityTables } from './rows/own/identity.ts';
import type { Table } from './rows/table.ts';

export interface Plan {
  readonly model: Model;
  /** Those of the model, then the service's own. */
  readonly tables: readonly Table[];
  readonly entities: ReadonlyMap<TypeName, EntityPlan>;
  readonly links: ReadonlyMap<TypeName, LinkPlan>;
  readonly names: Names;
  /** The same on the earlier surface: what the service itself brings goes by other names there. */
  readonly earlierNames: Names;
  readonly idempotency: IdempotencyPlan;
  /** Where authentication is on. */
  readonly identity: IdentityTables | undefined;
  /** Where the model has agents. */
  readonly agents: AgentTables | undefined;
  /** Where the audit trail is on. */
  readonly audit: AuditTables | undefined;
  /** Where access control is on. */
  readonly access: AccessPlan | undefined;
  /** Workflows, triggers and what runs at start. */
  readonly dataflows: Dataflows;
  /** What of the model is kept elsewhere. */
  readonly external: ExternalTypes;
  /** What is written down before a composing resolver is called; absent where none composes. */
  readonly intentions: Table | undefined;
  /** Which process has a subscription of a resolver, and how far it is; absent where no resolver has one. */
  readonly subscriptions: Table | undefined;
  /** Who depends on whom; absent where no attribute looks along a relationship. */
  readonly relatedComputed: RelatedComputed | undefined;
}

/** Module name → local name → what stands there. */
export type Names = ReadonlyMap<string, ReadonlyMap<string, Target>>;

/** What the path `/<module>/<name>` can address. */
export type Target =
  | { readonly kind: 'entity'; readonly plan: EntityPlan }
  | { readonly kind: 'link'; readonly plan: LinkPlan }
  | { readonly kind: 'event'; readonly event: EventType }
  | { readonly kind: 'agent'; readonly agent: Agent };

/** What entities and links share: rows with attributes, an identifier and a version. */
export interface RowPlan {
  readonly type: TypeName;
  readonly local: string;
  readonly table: Table;
  readonly attributes: readonly AttributePlan[];
  readonly attribute: ReadonlyMap<string, AttributePlan>;
  readonly identifier: AttributePlan;
  /** The column by which a row is found: the identifier's, or `__key` of contained entities. */
  readonly key: string;
  readonly output: Output;
  /** Names that answers carry besides the attributes: `__path__`. */
  readonly systemFields: readonly string[];
  readonly shapes: RowShapes;
  /** Shapes that requests made up (filters, orders, changed attributes), by what they ask, so that each is made once. */
  readonly cached: ByteCache<string, Select | Update | JoinQuery>;
  /** Attributes with `@expr`, those that others build on first. */
  readonly computed: readonly AttributePlan[];
  /** Those of them that depend on other instances, which are computed when everything is written. */
  readonly late: readonly AttributePlan[];
  readonly checked: readonly AttributePlan[];
  readonly secrets: readonly AttributePlan[];
  /** With rules of their own, which say who may read and set them. */
  readonly ruled: readonly AttributePlan[];
  /** Absent where nothing of it can be searched by its words. */
  readonly search: Search | undefined;
  /** Whether a row is written as it was given: nothing of it is counted up, computed, checked, hashed or looked up. */
  readonly isPlain: boolean;
  /** Whether rows are only added, by the part of the service that they belong to: nobody else writes them. */
  readonly isAppendOnly: boolean;
  /** Where a resolver keeps all of it, and the store nothing: what that resolver can do. */
  readonly external?: ExternalHandlers | undefined;
  /** Whether it is stored, and each write of it told to resolvers first. */
  readonly composed?: boolean;
}

export interface EntityPlan extends RowPlan {
  readonly kind: 'entity';
  readonly entity: Entity;
  /** Whether it is the child in some contains relationship. */
  readonly contained: boolean;
  /** Whether requests only read it: workflows may write it all the same. */
  readonly readOnly: boolean;
  readonly form: IdentifierForm;
  /** Whether an instance may also stand under no parent: it contains itself, or is no child at all. */
  readonly rootable: boolean;
  /** Of what is told apart under a parent by its identifier, and everywhere else by another attribute: that attribute. */
  readonly guid: AttributePlan | undefined;
  readonly parents: readonly ContainsPlan[];
  readonly children: readonly ContainsPlan[];
  /** Relationship segment (`Rel` or `module$Rel`) → where it leads from here. */
  readonly steps: ReadonlyMap<string, readonly Step[]>;
  /** Names in bodies whose values are links of this entity, with the attributes of the link itself. */
  readonly linkNames: ReadonlyMap<string, LinkWay>;
}

export interface LinkPlan extends RowPlan {
  readonly kind: 'link';
  readonly between: Between;
  readonly ends: readonly [LinkEnd, LinkEnd];
  /** Whether it has attributes besides a generated identifier: linked instances then show them, and take them, under `@link`. */
  readonly hasAttributes: boolean;
}

export interface LinkEnd {
  readonly attribute: string;
  readonly column: string;
  readonly entity: EntityPlan;
  /** What tells an instance under a parent from all others: it is then named by that, and not by its path. */
  readonly guid: AttributePlan | undefined;
  /** What answers show instead of the key of an instance under a parent; absent where the key is the identifier itself. */
  readonly lookup: Lookup | undefined;
  /** The entities at this end, by their identifier and the key of the row at the other end: several where they are contained. */
  readonly linked: Select;
  /** The link row between two keys: this end's, then the other's. */
  readonly unlink: Delete;
}

export interface ContainsPlan {
  readonly contains: Contains;
  /** What the surface of the parent calls the relationship; keys and paths have its own name. */
  readonly name: TypeName;
  readonly parent: EntityPlan;
  readonly child: EntityPlan;
  /** The child's column that holds the parent's key. */
  readonly column: string;
}

/** One way on from an entity: `/Rel/Child`. */
export type Step =
  | { readonly kind: 'contains'; readonly contains: ContainsPlan; readonly target: EntityPlan; readonly names: readonly string[] }
  | LinkWay;

/** From one end of a link to the other. */
export interface LinkWay {
  readonly kind: 'link';
  readonly link: LinkPlan;
  readonly from: LinkEnd;
  readonly to: LinkEnd;
  readonly target: EntityPlan;
  readonly names: readonly string[];
  /** The attributes of the link beside those of the instance that it leads to; absent where it has none. */
  readonly field: LinkField | undefined;
}

/** What nobody sends of a record: only the engine knows the time, and evaluates expressions. */
export interface Filling {
  /** Of an attribute that was left out. */
  default(attribute: Attribute): Value;
  /** Sets what is computed from the other fields; faults are added under `path`. */
  compute(attributes: readonly AttributePlan[], fields: Record<string, Value>, path: string, faults: Fault[]): void;
}

export interface AttributePlan {
  readonly attribute: Attribute;
  readonly name: string;
  readonly column: string;
  /** In no answer, filter or order. */
  readonly hidden: boolean;
  /** What `@ref` and `@oneof` point at: the value must stand there. */
  readonly target: ReferenceTarget | undefined;
  /** The value to keep; faults are added under `path`. */
  parse(input: Value, path: string, faults: Fault[], fill?: Filling): Value;
  /** The value of a text in a path or query, or `undefined` when it does not fit. */
  parseText(text: string): Value | undefined;
  /** What numbers its values, or the items of its list, may be or hold; absent where they are texts, times and the like. */
  readonly numbers: 'integer' | 'decimal' | 'real' | 'json' | 'record' | undefined;
  /** Of a record: the attributes of its type, or of one that extends it. */
  readonly fieldsOf?: (type?: TypeName) => readonly AttributePlan[];
}

export interface ReferenceTarget {
  readonly entity: string;
  readonly attribute: string;
  readonly exists: Select;
}

export interface RowShapes {
  /** By key: what an answer holds of the row, its version. */
  readonly read: Select;
  /** By key: the row, its version, its key, its path. */
  readonly byKey: Select;
  /** By key, to be changed in the same transaction. */
  readonly toChange: Select;
  /** By key, to be removed in the same transaction. */
  readonly toRemove: Select;
  /** By identifier alone, at most two rows: key, version. */
  readonly byIdentifier: Select;
  /** By key: every attribute, those in no answer too. */
  readonly whole: Select;
  /** By key: nothing but whether it is there. */
  readonly exists: Select;
  readonly insert: Insert;
  readonly remove: Delete;
}

export interface IdempotencyPlan {
  readonly table: Table;
  readonly find: Select;
  readonly insert: Insert;
  /** The oldest that were given before a time: at most so many. */
  readonly expired: Select;
  /** By `expiredAtOnce` scopes. */
  readonly expire: Delete;
}
