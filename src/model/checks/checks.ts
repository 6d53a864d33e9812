// Rules about the model as a whole, one small function each.

import type { Span } from '../../source.ts';
import type { Value, Values } from '../../values/value.ts';
import type { FaultReport } from '../fault-report.ts';
import {
  type Attribute,
  type Between,
  type Entity,
  localOf,
  type Model,
  type Relationship,
  type TypeName,
  type TypeReference,
  usableAt,
} from '../model.ts';
import { subtypesOf } from '../subtypes.ts';
import { isMap } from '../types/json.ts';
import { checkLogic } from '../typing/typing.ts';
import { checkAccess } from './access.ts';
import { agentsAreAskedInTime } from './asking.ts';
import { checkAttributeAccess } from './attribute-access.ts';
import { computedEnds, expressionCycles } from './computed.ts';
import { cyclesOf } from './cycles.ts';
import { undecidedJoins } from './joins.ts';
import { checkRunning } from './running.ts';
import { checkTimers } from './timers.ts';

/** Gives the values that are compared with a text as what they are declared to be. */
export function checkModel(model: Model, report: FaultReport): Model['readAsTyped'] {
  for (const check of [
    recordCycles,
    containsCycles,
    ambiguousPaths,
    referencesAreUnique,
    expressionCycles,
    computedEnds,
    recordDefaultsFit,
    rulesStandAlone,
    checkAccess,
    checkRunning,
    checkAttributeAccess,
    checkTimers,
    agentsAreAskedInTime,
  ]) {
    check(model, report);
  }
  const readAsTyped = checkLogic(model, report);
  undecidedJoins(model, readAsTyped, report);
  return readAsTyped;
}

/** A record is kept and answered as one value, so nothing in it is hidden, hashed, computed or checked by a function. */
function rulesStandAlone({ entities, relationships, records }: Model, report: FaultReport): void {
  const seen = new Map<TypeName, boolean>();
  const isHidden = (name: TypeName): boolean => {
    const known = seen.get(name);
    if (known !== undefined) return known;
    // Before looking inside: a record that holds itself is told elsewhere.
    seen.set(name, false);
    const attributes = [name, ...subtypesOf(name, { records, entities }, true)].flatMap((each) => records.get(each)?.attributes ?? []);
    const hidden = attributes.some((each) => hasRule(each) || hiddenIn(each) !== undefined);
    seen.set(name, hidden);
    return hidden;
  };
  const hiddenIn = ({ type }: Attribute): TypeName | undefined => {
    const record = recordOf(type);
    return record !== undefined && isHidden(record) ? record : undefined;
  };
  const links = [...relationships.values()].filter((each) => each.kind === 'between');
  for (const attribute of [...entities.values(), ...links].flatMap((each) => each.attributes)) {
    const record = hiddenIn(attribute);
    if (record === undefined) continue;
    const message = `\`${attribute.name}\` is a \`${localOf(record)}\`, which holds a secret or a rule; a record is one value`;
    report.fault('type-not-allowed', attribute.span, message, 'make that an attribute of its own');
  }
}

function hasRule({ secret, writeonly, check, expression }: Attribute): boolean {
  return secret || writeonly || check !== undefined || expression !== undefined;
}

/** A record that holds itself, directly or not, has no finite value. */
function recordCycles({ records }: Model, report: FaultReport): void {
  const inside = (name: TypeName) => (records.get(name)?.attributes ?? []).flatMap((each) => recordOf(each.type) ?? []);
  for (const name of cyclesOf(records.keys(), inside).keys()) {
    const record = records.get(name);
    if (record !== undefined)
      report.fault('record-cycle', record.span, `the record \`${record.local}\` holds itself`, 'use `Map` for what may go on and on');
  }
}

function recordOf(type: TypeReference): TypeName | undefined {
  return type.kind === 'record' ? type.record : undefined;
}

/** An entity may contain itself (with roles); a cycle over several entities would leave no root to begin a path with. */
function containsCycles({ entities, relationships }: Model, report: FaultReport): void {
  const contains = [...relationships.values()].filter((each) => each.kind === 'contains').filter((each) => each.parent !== each.child);
  const children = new Map<TypeName, TypeName[]>();
  for (const { parent, child } of contains) {
    const known = children.get(parent);
    if (known === undefined) children.set(parent, [child]);
    else known.push(child);
  }
  const cycles = cyclesOf(entities.keys(), (name) => children.get(name) ?? []);
  for (const { parent, child, local, span } of contains) {
    const cycle = cycles.get(parent);
    if (cycle === undefined || cycle !== cycles.get(child)) continue;
    report.fault('contains-cycle', span, `\`${local}\` is part of a cycle: \`${localOf(child)}\` would come to contain itself`);
  }
}

/** Bodies and `@include` use bare relationship names, so at one entity each name means one thing. */
function ambiguousPaths({ entities, relationships }: Model, report: FaultReport): void {
  const atEntity = new Map<TypeName, Map<string, Relationship>>();
  for (const relationship of relationships.values()) {
    for (const end of new Set(usableAt(relationship))) {
      const entity = entities.get(end);
      if (entity === undefined) continue;
      const names = atEntity.get(end) ?? new Map<string, Relationship>();
      atEntity.set(end, names);
      const other = names.get(relationship.local);
      if (other !== undefined) {
        report.fault(
          'path-ambiguous',
          relationship.span,
          `at \`${entity.local}\` both \`${other.name}\` and \`${relationship.name}\` would be called \`${relationship.local}\``,
        );
      } else names.set(relationship.local, relationship);
    }
  }
  for (const [name, names] of atEntity) checkAttributeNames(entities.get(name), names, report);
}

function checkAttributeNames(entity: Entity | undefined, relationships: ReadonlyMap<string, Relationship>, report: FaultReport): void {
  for (const attribute of entity?.attributes ?? []) {
    if (!relationships.has(attribute.name)) continue;
    report.fault('path-ambiguous', attribute.span, `\`${attribute.name}\` is also the name of a relationship of \`${entity?.local}\``);
  }
}

/** A reference names one instance: what it points at is an identifier, or unique. */
function referencesAreUnique({ entities, relationships, events, records }: Model, report: FaultReport): void {
  const contained = new Set([...relationships.values()].flatMap((each) => (each.kind === 'contains' ? [each.child] : [])));
  const seen = new Set<Span>();
  for (const owner of [...entities.values(), ...betweensOf(relationships), ...events.values(), ...records.values()]) {
    for (const { ref, span } of owner.attributes) {
      if (ref === undefined || seen.has(span)) continue;
      seen.add(span);
      const entity = entities.get(ref.entity);
      const target = entity?.attributes.find((each) => each.name === ref.attribute);
      if (entity === undefined || target === undefined || target.unique || (target.identifier && !contained.has(ref.entity))) continue;
      const why = target.identifier ? 'is unique only under its parent' : 'is neither the identifier nor unique';
      report.fault(
        'reference-not-unique',
        span,
        `\`${entity.local}.${target.name}\` ${why}; a reference needs one instance to point at`,
        'mark it `@unique`',
      );
    }
  }
}

/** The default of an attribute that is a record is itself such a record. */
function recordDefaultsFit(model: Model, report: FaultReport): void {
  const seen = new Set<Span>();
  for (const owner of [
    ...model.entities.values(),
    ...betweensOf(model.relationships),
    ...model.events.values(),
    ...model.records.values(),
  ]) {
    for (const { type, default: filled, list, span } of owner.attributes) {
      if (type.kind !== 'record' || filled?.kind !== 'value' || seen.has(span)) continue;
      seen.add(span);
      const values = list && Array.isArray(filled.value) ? filled.value : [filled.value];
      const fits = values.every((each: Value) => isMap(each) && fitsRecord(each, type.record, model, 0));
      if (!fits) report.fault('default-invalid', span, `the default does not fit the record \`${type.record}\``);
    }
  }
}

function fitsRecord(value: Values, name: TypeName, model: Model, level: number): boolean {
  const attributes = model.records.get(name)?.attributes ?? model.entities.get(name)?.attributes;
  if (attributes === undefined || level > 100) return false;
  const known = new Set(attributes.map((each) => each.name));
  return (
    Object.keys(value).every((key) => known.has(key)) && attributes.every((each) => fitsAttribute(value[each.name], each, model, level))
  );
}

function fitsAttribute(value: Value | undefined, attribute: Attribute, model: Model, level: number): boolean {
  if (value === undefined || value === null) return attribute.optional || (value === undefined && attribute.default !== undefined);
  if (attribute.list) return Array.isArray(value) && value.every((each: Value) => fitsOne(each, attribute, model, level));
  return fitsOne(value, attribute, model, level);
}

function fitsOne(value: Value, { type, values }: Attribute, model: Model, level: number): boolean {
  if (type.kind === 'record') return isMap(value) && fitsRecord(value, type.record, model, level + 1);
  return type.type.parse(value) !== undefined && (values === undefined || values.some((each) => each === value));
}

function betweensOf(relationships: Model['relationships']): readonly Between[] {
  return [...relationships.values()].filter((each) => each.kind === 'between');
}
