// The names of a model: which declaration each of them belongs to, from every module.

import { nearest } from '../../diagnostics.ts';
import type { Span } from '../../source.ts';
import { type BuiltinType, builtinTypes } from '../builtin.ts';
import type {
  AgentDeclaration,
  Annotation,
  CodeDeclaration,
  DecisionDeclaration,
  FieldsDeclaration,
  FlowDeclaration,
  ForeignDeclaration,
  NamedAttributeDeclaration,
  ReactionDeclaration,
  RelationshipDeclaration,
  ResolverDeclaration,
  RuleDeclaration,
  StartupDeclaration,
  TypeDeclaration,
  WorkflowDeclaration,
} from '../declaration.ts';
import { didYouMean, type FaultReport } from '../fault-report.ts';
import { localOf, type TypeName } from '../model.ts';
import type { CodeExpression, FunctionReference, Name } from '../pattern.ts';

interface At<D> {
  readonly name: TypeName;
  /** The module it was declared in, whose names and imports it sees. */
  readonly module: string;
  readonly local: string;
  readonly span: Span;
  readonly declaration: D;
}

export type TypeEntry = At<TypeDeclaration> & { readonly kind: 'entity' | 'record' | 'event' };
export type RelationshipEntry = At<RelationshipDeclaration> & { readonly kind: 'relationship' };
/** The event of a workflow that nobody declared. */
type OpenEventEntry = At<WorkflowDeclaration> & { readonly kind: 'open-event' };
export type WorkflowEntry = At<WorkflowDeclaration> & {
  readonly kind: 'workflow';
  /** Further ones for the same event, which is then one of the service's own. */
  readonly more: readonly { readonly module: string; readonly declaration: WorkflowDeclaration }[];
};
export type AgentEntry = At<AgentDeclaration> & { readonly kind: 'agent' };
export type FlowEntry = At<FlowDeclaration> & { readonly kind: 'flow' };
type DecisionEntry = At<DecisionDeclaration> & { readonly kind: 'decision' };
export type ResolverEntry = At<ResolverDeclaration> & { readonly kind: 'resolver' };
export type RetryEntry = At<FieldsDeclaration> & { readonly kind: 'retry' };
export type NamedAttributeEntry = At<NamedAttributeDeclaration> & { readonly kind: 'attribute' };
export type ReactionEntry = At<ReactionDeclaration> & { readonly kind: 'rule' };
/** What is declared without a behaviour in this service. */
type ForeignEntry = At<ForeignDeclaration> & { readonly kind: 'foreign' };
export type BuiltinEntry = At<BuiltinType> & { readonly kind: 'builtin' };

/** What a name in a pattern, an end, a type or a step can mean. */
export type Entry =
  | TypeEntry
  | RelationshipEntry
  | OpenEventEntry
  | AgentEntry
  | FlowEntry
  | DecisionEntry
  | NamedAttributeEntry
  | ReactionEntry
  | ForeignEntry;

export interface Scope {
  readonly modules: readonly string[];
  readonly entries: ReadonlyMap<TypeName, Entry>;
  readonly workflows: ReadonlyMap<TypeName, WorkflowEntry>;
  /** `workflow @after create:Post { ... }`, in the order of the text. */
  readonly triggerWorkflows: readonly { readonly module: string; readonly declaration: WorkflowDeclaration }[];
  readonly flows: ReadonlyMap<TypeName, FlowEntry>;
  readonly resolvers: ReadonlyMap<TypeName, ResolverEntry>;
  readonly retries: ReadonlyMap<TypeName, RetryEntry>;
  /** `directive ag.d1`, `scenario ag.s1`, `glossaryEntry ag.g1`, waiting for their agents. */
  readonly additions: readonly { readonly module: string; readonly declaration: RuleDeclaration | FieldsDeclaration }[];
  readonly code: readonly { readonly module: string; readonly declaration: CodeDeclaration }[];
  readonly startup: readonly { readonly module: string; readonly declaration: StartupDeclaration }[];
  /** Entities that are the child in some contains relationship. */
  readonly contained: ReadonlySet<TypeName>;
  readonly imports: ReadonlyMap<string, ReadonlyMap<string, Import>>;
  /** Every name without its module, with the modules that declare it. */
  readonly localNames: ReadonlyMap<string, readonly TypeName[]>;
}

export interface Import {
  readonly alias: Name;
  readonly file: string;
  readonly external: boolean;
  /** Where the file is named. */
  readonly span: Span;
}

/** What every step of linking needs. */
export interface Linking {
  readonly scope: Scope;
  readonly report: FaultReport;
  /** What is called of an import, by `module alias`. */
  readonly usedImports: Map<string, Name[]>;
  /** The annotations of named attributes, once they have been looked at. */
  readonly namedMarks: Map<TypeName, readonly Annotation[]>;
  /** Modules that are not there, and have been told of. */
  readonly missingModules: Set<string>;
  /** Named attributes by the entity they extend, once that has been found out. */
  extensions?: ReadonlyMap<TypeName, readonly NamedAttributeEntry[]>;
}

export function qualified(text: string, module: string): TypeName {
  return text.includes('/') ? text : `${module}/${text}`;
}

/** What the name means when it is written in this module. */
/** What an agent is called that has the name of a workflow. */
export function agentBeside(workflow: TypeName): TypeName {
  return `${workflow}#agent`;
}

/** In a pattern or a flow, of an agent and a workflow of one name the agent is meant. */
export function lookUpAsked(text: string, module: string, scope: Scope): Entry | BuiltinEntry | undefined {
  return scope.entries.get(agentBeside(qualified(text, module))) ?? lookUp(text, module, scope);
}

export function lookUp(text: string, module: string, scope: Scope): Entry | BuiltinEntry | undefined {
  const name = qualified(text, module);
  const entry = scope.entries.get(name);
  if (entry !== undefined) return entry;
  const builtin = builtinTypes.get(name);
  if (builtin === undefined) return undefined;
  return { kind: 'builtin', name, module: moduleOf(name), local: localOf(name), span: noSpan, declaration: builtin };
}

const noSpan: Span = { source: { file: '', text: '' }, start: 0, end: 0 };

function moduleOf(name: TypeName): string {
  return name.slice(0, name.lastIndexOf('/'));
}

const kinds = {
  entity: 'an entity',
  record: 'a record',
  event: 'an event',
  'open-event': 'a workflow',
  relationship: 'a relationship',
  agent: 'an agent',
  flow: 'a flow',
  decision: 'a decision',
  attribute: 'an attribute',
  rule: 'a rule',
  foreign: 'a form without behaviour here',
  builtin: 'a part of the service',
} as const;

/** What an entry is, in words. */
export function kindOf({ kind }: Pick<Entry | BuiltinEntry, 'kind'>): string {
  return kinds[kind];
}

/** Reports a name that means nothing (or not what is wanted here), with the nearest that would do. */
export function reportUnknown(
  linking: Linking,
  code: 'name-unknown' | 'type-unknown' | 'end-unknown' | 'tool-unknown' | 'flow-step-unknown',
  wanted: { readonly what: string; readonly name: string; readonly span: Span; readonly module: string },
  suits: (entry: Entry) => boolean,
  others: Iterable<string> = [],
): void {
  const { scope, report } = linking;
  const { name, span, module, what } = wanted;
  const found = lookUp(name, module, scope);
  const message = `there is no ${what} \`${name}\`${name.includes('/') ? '' : ` in module \`${module}\``}`;
  const elsewhere = name.includes('/') ? undefined : inOtherModule(name, scope, suits);
  if (found !== undefined) report.fault(code, span, `\`${name}\` is ${kindOf(found)}; what is needed here: ${what}`);
  else if (elsewhere !== undefined) report.fault(code, span, message, didYouMean(elsewhere));
  else {
    const near = candidates(name, module, scope, suits, others);
    if (isOfUnknownModule(name, scope) && nearest(name, near) === undefined) reportModule(moduleOf(name), span, linking);
    else report.unknown(code, span, message, name, candidates(name, module, scope, suits, others));
  }
}

/** Not of the model, and near to none that there is: what a package would bring. */
function isOfUnknownModule(name: string, { modules }: Scope): boolean {
  if (!name.includes('/')) return false;
  const module = moduleOf(name);
  const known = [...modules, ...[...builtinTypes.keys()].map(moduleOf)];
  return module !== '' && !known.includes(module) && nearest(module, known) === undefined;
}

/** Once, however often its names are used. */
function reportModule(module: string, span: Span, { report, missingModules }: Linking): void {
  if (missingModules.has(module)) return;
  missingModules.add(module);
  const message = `there is no module \`${module}\`; a package that brings it is not installed`;
  report.fault('package-missing', span, message, `npm install the package, and name it in package.json`);
}

function inOtherModule(local: string, scope: Scope, suits: (entry: Entry) => boolean): TypeName | undefined {
  return scope.localNames.get(local)?.find((name) => {
    const entry = scope.entries.get(name);
    return entry !== undefined && suits(entry);
  });
}

function* candidates(
  name: string,
  module: string,
  scope: Scope,
  suits: (entry: Entry) => boolean,
  others: Iterable<string>,
): Iterable<string> {
  yield* others;
  const qualifiedWanted = name.includes('/');
  for (const entry of scope.entries.values()) {
    if (!suits(entry)) continue;
    if (qualifiedWanted) yield entry.name;
    else if (entry.module === module) yield entry.local;
  }
  if (qualifiedWanted) yield* builtinTypes.keys();
}

/** A function of the model's own code, or one that is written in place. */
export function clojureFunction({ text, span }: CodeExpression): FunctionReference {
  return { file: span.source.file, function: text, language: 'clojure' };
}

/** The imported function that `alias.name` means in this module, or `undefined`. Counts as use of the import. */
export function importedFunction(path: readonly string[], span: Span, module: string, linking: Linking): FunctionReference | undefined {
  const [alias, name, ...more] = path;
  if (alias === undefined || name === undefined || more.length > 0) return undefined;
  const found = linking.scope.imports.get(module)?.get(alias);
  if (found === undefined) return undefined;
  usesOf(module, alias, linking).push({ text: name, span });
  return { file: found.file, function: name, ...(found.external ? { external: true } : {}) };
}

/** What code calls of imports counts as use; which functions these are is found out when it is evaluated. */
export function noteImports(text: string, module: string, linking: Linking): void {
  for (const alias of linking.scope.imports.get(module)?.keys() ?? []) if (text.includes(`${alias}/`)) usesOf(module, alias, linking);
}

/** The names that are called of an import; asking for them counts as use. */
export function usesOf(module: string, alias: string, { usedImports }: Linking): Name[] {
  const key = `${module} ${alias}`;
  const uses = usedImports.get(key) ?? [];
  usedImports.set(key, uses);
  return uses;
}
