// The modules of the service that parts of it need: linked on their own, so that no name of the model means anything in them.

import { type SystemSurface, systemUnits } from '../builtin.ts';
import { type FaultReport, openFaultReport } from '../fault-report.ts';
import type { Relationship, TypeName } from '../model.ts';
import type { SystemPart } from '../system-module.ts';
import { collect } from './collect.ts';
import type { Linking } from './scope.ts';
import { openAttributeTypes } from './types/attribute-types.ts';
import { openAttributes } from './types/attributes.ts';
import { openDrafts } from './types/drafts.ts';
import { linkRelationships } from './types/relationships.ts';
import { linkTypes, type Types } from './types/types.ts';

/** Adds their types, and what contains what, to those of the model. */
export function addSystemTypes(parts: readonly SystemPart[], types: Types, relationships: Map<TypeName, Relationship>): void {
  for (const each of systemUnits(parts)) addSurface(each, types, relationships);
}

function addSurface({ surface, units, stored }: SystemSurface, types: Types, relationships: Map<TypeName, Relationship>): void {
  const linking: Linking = {
    scope: collect(units, strict),
    report: strict,
    usedImports: new Map(),
    namedMarks: new Map(),
    missingModules: new Set(),
  };
  const drafts = openDrafts(linking);
  const attributes = openAttributes(drafts, openAttributeTypes(drafts, linking), linking);
  const linked = linkTypes(drafts, attributes, linking);
  const { entities, events, records } = linked;
  for (const each of entities.values())
    types.entities.set(each.name, { ...each, system: { surface, stored: stored.get(each.name) ?? each.name } });
  for (const each of events.values()) types.events.set(each.name, { ...each, system: { surface } });
  for (const each of records.values()) types.records.set(each.name, each);
  for (const each of linkRelationships(drafts, attributes, linked, linking).values()) relationships.set(each.name, each);
}

/** What is written in them is ours: a fault is a bug. */
const strict: FaultReport = {
  ...openFaultReport(),
  fault(code, _, message) {
    // That their names are kept for the service is the one fault they have.
    if (code !== 'module-reserved') throw new Error(`a module of the service: ${message}`);
  },
  unknown(_, __, message) {
    throw new Error(`a module of the service: ${message}`);
  },
};
