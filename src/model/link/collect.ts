// Reads all units once and notes what each name stands for, in any order of files and declarations.

import { dirname, isAbsolute, join } from 'node:path';
import { unreachable } from '../../errors.ts';
import type { Span } from '../../source.ts';
import { builtinRecords, builtinTypes, reservedModules } from '../builtin.ts';
import type {
  AgentDeclaration,
  CodeDeclaration,
  Declaration,
  FieldsDeclaration,
  FlowDeclaration,
  ImportDeclaration,
  RuleDeclaration,
  TypeDeclaration,
  Unit,
  WorkflowDeclaration,
} from '../declaration.ts';
import type { FaultReport } from '../fault-report.ts';
import { localOf, type TypeName } from '../model.ts';
import type { Name } from '../pattern.ts';
import { checkTypeName, nameSpace } from './names.ts';
import {
  agentBeside,
  type Entry,
  type FlowEntry,
  type Import,
  kindOf,
  qualified,
  type ResolverEntry,
  type RetryEntry,
  type Scope,
  type WorkflowEntry,
} from './scope.ts';

export function collect(units: readonly Unit[], report: FaultReport): Scope {
  const collecting = startCollecting(report);
  for (const unit of units) {
    const module = unit.module?.text ?? '';
    if (unit.module !== undefined) addModule(unit.module, collecting);
    for (const each of unit.imports) addImport(each, module, collecting);
    for (const each of unit.declarations) addDeclaration(each, module, collecting);
  }
  addBuiltinRecords(units, collecting);
  // What an agent is called depends on which events and workflows there are.
  for (const { module, declaration } of collecting.laterAgents) addAgent(declaration, module, collecting);
  // Only now is it known which events and agents are declared, in whatever file.
  for (const { module, declaration } of collecting.laterWorkflows) addWorkflow(declaration, module, collecting);
  for (const { module, declaration } of collecting.laterFlows) addFlow(declaration, module, collecting);
  const { entries, modules } = collecting;
  return { ...collecting, modules: [...modules.keys()], localNames: indexLocalNames(entries), contained: containedTypes(entries) };
}

/** Only those that some file names: every other model stays without them. */
function addBuiltinRecords(units: readonly Unit[], { entries }: Collecting): void {
  for (const [name, declaration] of builtinRecords) {
    if (!units.some(({ source }) => source.text.includes(name))) continue;
    const [module = '', local = ''] = name.split('/');
    entries.set(name, { kind: 'record', name, module, local, span: declaration.span, declaration });
  }
}

type NameSpace = ReturnType<typeof nameSpace>;
type InModule<D> = { readonly module: string; readonly declaration: D };

interface Collecting {
  readonly report: FaultReport;
  /** By name, with the space of the names in it. */
  readonly modules: Map<string, NameSpace>;
  readonly moduleNames: NameSpace;
  readonly entries: Map<TypeName, Entry>;
  readonly workflows: Map<TypeName, WorkflowEntry>;
  readonly triggerWorkflows: InModule<WorkflowDeclaration>[];
  readonly flows: Map<TypeName, FlowEntry>;
  readonly resolvers: Map<TypeName, ResolverEntry>;
  readonly retries: Map<TypeName, RetryEntry>;
  readonly additions: InModule<RuleDeclaration | FieldsDeclaration>[];
  readonly code: InModule<CodeDeclaration>[];
  readonly startup: Scope['startup'][number][];
  readonly imports: Map<string, Map<string, Import>>;
  readonly laterWorkflows: InModule<WorkflowDeclaration>[];
  readonly laterFlows: InModule<FlowDeclaration>[];
  readonly laterAgents: InModule<AgentDeclaration>[];
}

function startCollecting(report: FaultReport): Collecting {
  return {
    report,
    modules: new Map(),
    moduleNames: nameSpace(report, 'name-repeated', 'module'),
    entries: new Map(),
    workflows: new Map(),
    triggerWorkflows: [],
    flows: new Map(),
    resolvers: new Map(),
    retries: new Map(),
    additions: [],
    code: [],
    startup: [],
    imports: new Map(),
    laterWorkflows: [],
    laterFlows: [],
    laterAgents: [],
  };
}

function addModule(name: Name, { modules, moduleNames, report }: Collecting): void {
  if (modules.has(name.text)) return;
  moduleNames(name.text, name.span);
  modules.set(name.text, nameSpace(report, 'name-repeated', 'name'));
  if (reservedModules.has(name.text)) {
    report.fault(
      'module-reserved',
      name.span,
      `\`/${name.text}\` is a path of the service itself; a module cannot be called so`,
      `call it \`app.${name.text}\``,
    );
  } else if (name.text.split('.').some((part) => part.startsWith('__'))) {
    report.fault('name-reserved', name.span, 'names that begin with `__` belong to the service');
  }
}

function addImport(declaration: ImportDeclaration, module: string, { imports, report }: Collecting): void {
  const aliases = imports.get(module) ?? new Map<string, Import>();
  imports.set(module, aliases);
  const path = String(declaration.path.value);
  const file = isAbsolute(path) ? path : join(dirname(declaration.span.source.file), path);
  const { alias, external } = declaration;
  const first = aliases.get(alias.text);
  if (first === undefined) aliases.set(alias.text, { alias, file, external, span: declaration.path.span });
  else if (first.file !== file) {
    report.fault('name-repeated', alias.span, `\`${alias.text}\` is already the alias of another import of this module`);
  } else if (external) aliases.set(alias.text, { ...first, external });
}

function addDeclaration(declaration: Declaration, module: string, collecting: Collecting): void {
  switch (declaration.kind) {
    case 'entity':
    case 'record':
    case 'event':
      declare({ ...placed(declaration.name, ownerOf(declaration, module, collecting)), kind: declaration.kind, declaration }, collecting);
      break;
    case 'relationship':
      declare({ ...placed(declaration.name, module), kind: 'relationship', declaration }, collecting);
      break;
    case 'agent':
      collecting.laterAgents.push({ module, declaration });
      break;
    case 'decision':
      declare({ ...placed(declaration.name, module), kind: 'decision', declaration }, collecting);
      break;
    case 'workflow':
      collecting.laterWorkflows.push({ module, declaration });
      break;
    case 'flow':
      collecting.laterFlows.push({ module, declaration });
      break;
    case 'resolver':
      addTo(collecting.resolvers, { ...placed(declaration.name, module), kind: 'resolver', declaration }, collecting.report);
      break;
    case 'retry':
      addTo(collecting.retries, { ...placed(declaration.name, module), kind: 'retry', declaration }, collecting.report);
      break;
    case 'directive':
    case 'scenario':
    case 'glossaryEntry':
      collecting.additions.push({ module, declaration });
      break;
    case 'eval':
      // Accepted and without effect, as reading has said.
      break;
    case 'startup':
      collecting.startup.push({ module, declaration });
      break;
    case 'attribute':
      declare({ ...placed(declaration.name, module), kind: 'attribute', declaration }, collecting);
      break;
    case 'rule':
      declare({ ...placed(declaration.name, module), kind: 'rule', declaration }, collecting);
      break;
    case 'foreign':
      declare({ ...placed(declaration.name, module), kind: 'foreign', declaration }, collecting);
      break;
    case 'code':
      collecting.code.push({ module, declaration });
      break;
    default:
      unreachable(declaration);
  }
}

/** On the earlier surface a type may be declared under the name of another component, which is made for it. */
function ownerOf({ name, span }: TypeDeclaration, module: string, collecting: Collecting): string {
  const slash = name.text.indexOf('/');
  if (slash <= 0 || span.source.text[span.start] !== '(') return module;
  const text = name.text.slice(0, slash);
  addModule({ text, span: name.span }, collecting);
  return text;
}

function placed(
  name: Name,
  module: string,
): { readonly name: TypeName; readonly module: string; readonly local: string; readonly span: Span } {
  return { name: qualified(name.text, module), module, local: localOf(name.text), span: name.span };
}

function declare(entry: Entry, collecting: Collecting): void {
  const unique = collecting.modules.get(entry.module)?.(entry.local, entry.span) ?? !collecting.entries.has(entry.name);
  if (unique) collecting.entries.set(entry.name, entry);
  checkDeclarationName(entry, collecting.report);
}

function checkDeclarationName({ kind, name, module, local, span }: Entry | ResolverEntry | RetryEntry, report: FaultReport): void {
  checkTypeName({ text: local, span }, 'the name of a declaration', report);
  if ((name !== `${module}/${local}` && kind !== 'resolver') || local.includes('.')) {
    report.fault(
      'name-reserved',
      span,
      'what a module declares has a plain name, without dots and without a module',
      `write \`${local.slice(local.lastIndexOf('.') + 1)}\``,
    );
  }
}

function addTo<E extends ResolverEntry | RetryEntry>(entries: Map<TypeName, E>, entry: E, report: FaultReport): void {
  checkDeclarationName(entry, report);
  if (!entries.has(entry.name)) entries.set(entry.name, entry);
  else report.fault('name-repeated', entry.span, `the ${entry.kind} \`${entry.local}\` is declared twice`);
}

/**
 * Of an agent and a workflow of one name, the workflow is what a request runs, and the agent goes by a name of its own. On the earlier surface
 * the event that an agent takes as its input is the agent.
 */
function addAgent(declaration: AgentDeclaration, module: string, collecting: Collecting): void {
  const entry = { ...placed(declaration.name, module), kind: 'agent', declaration } as const;
  const { name, local, span } = entry;
  const event = collecting.entries.get(name);
  const hasWorkflow = collecting.laterWorkflows.some(
    (each) => each.declaration.name !== undefined && qualified(each.declaration.name.text, each.module) === name,
  );
  if (declaration.text !== undefined && event?.kind === 'event' && !hasWorkflow) {
    if (event.declaration.attributes.length > 0)
      collecting.report.fault(
        'form-ignored',
        event.span,
        `the attributes of \`${local}\` have no effect: its agent is told \`UserInstruction\``,
      );
    collecting.entries.set(name, entry);
  } else if (hasWorkflow && (event === undefined || event.kind === 'event')) {
    collecting.report.fault(
      'agent-beside-workflow',
      span,
      `\`${local}\` is a workflow too, which is what requests run; patterns and flows mean the agent`,
    );
    collecting.entries.set(agentBeside(name), { ...entry, name: agentBeside(name), declaration: { ...declaration, isPublic: false } });
  } else declare(entry, collecting);
}

/** A workflow belongs to the event of its name; where none is declared, in the own module, it makes an open one. */
function addWorkflow(declaration: WorkflowDeclaration, module: string, collecting: Collecting): void {
  if (declaration.trigger !== undefined) collecting.triggerWorkflows.push({ module, declaration });
  if (declaration.name === undefined) return;
  if (declaration.trigger !== undefined) {
    collecting.report.fault('annotation-misplaced', declaration.trigger.span, 'a workflow runs on an event or on a trigger, not on both');
    return;
  }
  const at = placed(declaration.name, module);
  const before = collecting.workflows.get(at.name);
  if (before !== undefined && builtinTypes.get(at.name)?.kind === 'event') {
    // What the service itself sets off belongs to no module, so several of them may wait for it.
    collecting.workflows.set(at.name, { ...before, more: [...before.more, { module, declaration }] });
    return;
  }
  if (before !== undefined) {
    collecting.report.fault('workflow-repeated', at.span, `there is already a workflow for the event \`${at.local}\``);
    return;
  }
  collecting.workflows.set(at.name, { ...at, kind: 'workflow', declaration, more: [] });
  const event = collecting.entries.get(at.name);
  if (event?.kind === 'event' || builtinTypes.get(at.name)?.kind === 'event') return;
  if (event !== undefined) {
    collecting.report.fault('name-repeated', at.span, `\`${at.local}\` is already the name of ${kindOf(event)}`);
  } else if (at.name === `${module}/${at.local}`) {
    declare({ ...at, kind: 'open-event', declaration }, collecting);
  } else {
    collecting.report.unknown('name-unknown', at.span, `there is no event \`${at.name}\``, at.name, eventNames(collecting));
  }
}

function* eventNames({ entries }: Collecting): Iterable<string> {
  for (const each of entries.values()) if (each.kind === 'event') yield each.name;
  for (const [name, each] of builtinTypes) if (each.kind === 'event') yield name;
}

/** A flow may have the name of its agent; any other name is its own. */
function addFlow(declaration: FlowDeclaration, module: string, collecting: Collecting): void {
  const entry: FlowEntry = { ...placed(declaration.name, module), kind: 'flow', declaration };
  if (collecting.flows.has(entry.name)) {
    collecting.report.fault('name-repeated', entry.span, `the flow \`${entry.local}\` is declared twice`);
    return;
  }
  collecting.flows.set(entry.name, entry);
  if (collecting.entries.get(entry.name)?.kind !== 'agent' && !collecting.entries.has(agentBeside(entry.name))) declare(entry, collecting);
}

function containedTypes(entries: ReadonlyMap<TypeName, Entry>): ReadonlySet<TypeName> {
  const contained = new Set<TypeName>();
  for (const entry of entries.values()) {
    if (entry.kind !== 'relationship' || entry.declaration.type !== 'contains') continue;
    contained.add(qualified(entry.declaration.ends[1].entity.text, entry.module));
  }
  return contained;
}

function indexLocalNames(entries: ReadonlyMap<TypeName, Entry>): ReadonlyMap<string, readonly TypeName[]> {
  const index = new Map<string, TypeName[]>();
  for (const entry of entries.values()) {
    const names = index.get(entry.local);
    if (names === undefined) index.set(entry.local, [entry.name]);
    else names.push(entry.name);
  }
  return index;
}
