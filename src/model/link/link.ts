// Declarations to model, step by step: the order in which `link/` reads names, types, relationships, workflows and rules. Faults are reported, never thrown.

import { type Diagnostic, hasErrors } from '../../diagnostics.ts';
import { checkModel } from '../checks/checks.ts';
import type { ResolverDeclaration, Unit } from '../declaration.ts';
import { openFaultReport } from '../fault-report.ts';
import { deepFreeze } from '../freeze.ts';
import type { ImportedFunctions, Model } from '../model.ts';
import type { SystemPart } from '../system-module.ts';
import { timerTypes } from '../timers/timers.ts';
import { collect } from './collect.ts';
import { linkAiInstances } from './logic/ai-instances.ts';
import { openLogic } from './logic/environment.ts';
import {
  addOpenEvents,
  addRunRules,
  linkBodyTriggers,
  linkEventTriggers,
  linkReactions,
  linkStartup,
  linkSubstitutions,
  linkWorkflows,
  triggerAttributes,
} from './logic/workflows.ts';
import { linkAgents } from './rooms/agents.ts';
import { linkFlows } from './rooms/flows.ts';
import { linkDecisions, linkImports, linkResolvers } from './rooms/resolvers.ts';
import type { Linking } from './scope.ts';
import { addSystemTypes } from './system.ts';
import { openAttributeTypes } from './types/attribute-types.ts';
import { openAttributes } from './types/attributes.ts';
import { openDrafts } from './types/drafts.ts';
import { checkNamedAttributes } from './types/named-attributes.ts';
import { linkRelationships } from './types/relationships.ts';
import { linkTypes, type Types } from './types/types.ts';

export interface LinkResult {
  /** Absent when there are errors. */
  readonly model: Model | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** The model's own, also when there are errors: whoever loads them can tell what is missing in them. */
  readonly functions: readonly ImportedFunctions[];
}

/** `parts` are those parts of the service that are on, and keep data of their own. */
export function link(units: readonly Unit[], parts: readonly SystemPart[] = []): LinkResult {
  const report = openFaultReport(units.map((unit) => unit.source.file));
  const linking: Linking = {
    scope: collect(units, report),
    report,
    usedImports: new Map(),
    namedMarks: new Map(),
    missingModules: new Set(),
  };
  const model = linkModel(units, linking, parts);
  const readAsTyped = checkModel(model, report);
  const diagnostics = report.diagnostics();
  // Reading has reported a file without a module; what is in it belongs nowhere.
  const complete = units.every((unit) => unit.module !== undefined) && !hasErrors(diagnostics);
  return { model: complete ? deepFreeze({ ...model, readAsTyped }) : undefined, diagnostics, functions: model.functions };
}

/** Runs are kept wherever there are agents, or resolvers that may suspend workflows, what composing resolvers may leave open wherever there is one, due times wherever there are timers. */
function neededParts(units: readonly Unit[], { events }: Types, { scope }: Linking): readonly SystemPart[] {
  const isThinking = [...scope.entries.values()].some((each) => each.kind === 'agent');
  const isTimed =
    [...events.values()].some((each) => each.schedule !== undefined) ||
    units.some(({ source }) => [...timerTypes].some((name) => source.text.includes(name)));
  const isSuspending = [...scope.resolvers.values()].some(({ declaration }) => maySuspend(declaration, scope.workflows.size > 0));
  const isComposing = [...scope.resolvers.values()].some((each) => each.declaration.compose === true);
  return [
    ...(isThinking || isSuspending ? (['ai'] as const) : []),
    ...(isComposing ? (['resolvers'] as const) : []),
    ...(isTimed ? (['timers'] as const) : []),
  ];
}

/** Whether its handlers can suspend the workflow that calls them, or the event that is posted. */
function maySuspend({ methods, compose }: ResolverDeclaration, hasWorkflows: boolean): boolean {
  return compose !== true && methods.some(({ name }) => name.text === 'eval' || (name.text === 'create' && hasWorkflows));
}

function linkModel(units: readonly Unit[], linking: Linking, parts: readonly SystemPart[]): Model {
  checkNamedAttributes(linking);
  const drafts = openDrafts(linking);
  const attributes = openAttributes(drafts, openAttributeTypes(drafts, linking), linking);
  const types = linkTypes(drafts, attributes, linking);
  const relationships = new Map(linkRelationships(drafts, attributes, types, linking));
  addOpenEvents(types, linking);
  addRunRules(types, linking);
  addSystemTypes([...new Set([...parts, ...neededParts(units, types, linking)])], types, relationships);
  const eventTriggers = linkEventTriggers(types, linking);
  const logic = openLogic(linking, types, relationships, triggerAttributes(eventTriggers));
  const { entities, records, events } = types;
  const { languageModels, documents } = linkAiInstances(linking);
  const logicParts = {
    workflows: linkWorkflows(logic),
    triggers: [...eventTriggers, ...linkBodyTriggers(logic)],
    flows: linkFlows(logic),
    startup: linkStartup(logic),
    readAsTyped: new Set<never>(),
    reactions: linkReactions(logic),
  };
  return {
    ...logicParts,
    // Whoever makes an event with other types has been linked by now.
    substitutions: linkSubstitutions(logic),
    modules: linking.scope.modules,
    entities,
    records,
    events,
    relationships,
    agents: linkAgents(linking, documents),
    languageModels,
    documents,
    decisions: linkDecisions(linking),
    resolvers: linkResolvers(linking),
    code: linking.scope.code.map(({ module, declaration: { name, text, span } }) => ({ module, name: name?.text, text, span })),
    unavailable: new Map(
      [...linking.scope.entries.values()].flatMap((each) => (each.kind === 'foreign' ? [[each.name, each.declaration.form]] : [])),
    ),
    // Last: whoever uses an import has been linked by now.
    functions: linkImports(linking),
  };
}
