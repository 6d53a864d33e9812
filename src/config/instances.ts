// Instances that a configuration puts in place at start: which they are, and the start-up statements that make or change them.

import { type Diagnostic, diagnostic, nearest } from '../diagnostics.ts';
import { builtinTypes } from '../model/builtin.ts';
import type { StartupDeclaration, Unit } from '../model/declaration.ts';
import { isComputed, isRequired } from '../model/description.ts';
import { aiInstanceTypes } from '../model/link/logic/ai-instances.ts';
import type { Attribute, Entity, Model } from '../model/model.ts';
import type { Expression, InstancePattern, Literal, Name, PatternAttribute, PatternOptions, Statement } from '../model/pattern.ts';
import type { Source, Span } from '../source.ts';
import type { ConfigEntry, ConfigValue } from './setting.ts';

export interface ConfigInstance {
  /** Qualified. */
  readonly type: Name;
  readonly attributes: readonly ConfigEntry[];
  /** Those whose value is a variable that is not set. */
  readonly unset: readonly Name[];
  readonly span: Span;
}

/** `"crm/Config"`; other keys of a configuration are settings, or hold such keys. */
export function namesType(key: string): boolean {
  return key.includes('/');
}

export interface Linked {
  /** To be linked with the model; absent where nothing is to be put in place. */
  readonly unit: Unit | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** `first` is a unit of the model, in whose module the statements stand: all their names are qualified. */
export function instanceUnit(instances: readonly ConfigInstance[], model: Model, source: Source, first: Unit | undefined): Linked {
  const diagnostics: Diagnostic[] = [];
  const alone = new Set<string>();
  const declarations = instances.flatMap((instance, index): readonly StartupDeclaration[] => {
    const entity = entityOf(instance, model, diagnostics);
    if (entity === undefined || lacks(instance, entity)) return [];
    const isNamed = instance.attributes.some((each) => each.key === entity.identifier.name);
    if (!isNamed && alone.has(entity.name)) {
      const message = `\`${entity.name}\` is put in place twice, and nothing tells the two apart`;
      diagnostics.push(diagnostic('config-invalid', instance.type.span, message, `give each its \`${entity.identifier.name}\``));
      return [];
    }
    if (!isNamed) alone.add(entity.name);
    const statements = isNamed ? [upserted(instance, entity)] : onlyOne(instance, entity, `configured-${index}`);
    return statements.map((statement) => ({ kind: 'startup', statement, span: instance.span }));
  });
  const unit = { source, imports: [], declarations, comments: [], ...(first?.module === undefined ? {} : { module: first.module }) };
  return { unit: declarations.length === 0 ? undefined : unit, diagnostics };
}

export function isAi({ type }: ConfigInstance): boolean {
  return aiInstanceTypes.has(type.text);
}

/** Language models and documents of agents: they are part of the model, and need nothing of it to be understood. */
export function aiUnit(instances: readonly ConfigInstance[], source: Source, first: Unit | undefined): Unit | undefined {
  const declarations = instances.filter(isAi).map((instance): StartupDeclaration => {
    const attributes = valuesOf(instance, { attributes: [] });
    return { kind: 'startup', statement: statement(pattern(instance, attributes), instance.span), span: instance.span };
  });
  if (declarations.length === 0 || first?.module === undefined) return undefined;
  return { source, imports: [], declarations, comments: [], module: first.module };
}

function entityOf({ type }: ConfigInstance, model: Model, diagnostics: Diagnostic[]): Entity | undefined {
  const entity = model.entities.get(type.text);
  const isContained = [...model.relationships.values()].some((each) => each.kind === 'contains' && each.child === type.text);
  if (entity !== undefined && !isContained) return entity;
  const near = nearest(type.text, model.entities.keys());
  if (isContained)
    diagnostics.push(diagnostic('config-value', type.span, `\`${type.text}\` stands under a parent: it cannot be put in place`));
  else if (builtinTypes.has(type.text))
    diagnostics.push(diagnostic('config-not-available', type.span, `${type.text}: is not in this version; leave it out`));
  else diagnostics.push(diagnostic('config-key-unknown', type.span, `there is no entity ${type.text}`, near && `did you mean "${near}"?`));
  return undefined;
}

/** Without a value that it must have it is left out: whoever needs it finds nothing, and the variable has been warned about. */
function lacks({ unset }: ConfigInstance, { attributes }: Entity): boolean {
  return unset.some(({ text }) => attributes.some((each) => each.name === text && isRequired(each)));
}

function upserted(instance: ConfigInstance, entity: Entity): Statement {
  return statement(pattern(instance, valuesOf(instance, entity), { upsert: true }), instance.span);
}

/** Without an identifier it takes the place of the one that there is. */
function onlyOne(instance: ConfigInstance, entity: Entity, alias: string): readonly Statement[] {
  const { span } = instance;
  const name = { text: alias, span };
  const identifier = { text: entity.identifier.name, span };
  const literal = (value: number | null): Literal => ({ kind: 'literal', value, raw: String(value), span });
  const reference = (...path: readonly string[]): Expression => ({ kind: 'reference', path: [alias, ...path], span });
  const found: Statement = {
    ...statement(pattern(instance, [], { limit: literal(1) }, true), span),
    as: { kind: 'parts', names: [name], span },
  };
  const values = valuesOf(instance, entity);
  const asked: PatternAttribute = { name: identifier, query: '==', value: reference(identifier.text), span };
  const condition: Expression = { kind: 'binary', operator: '==', left: reference(), right: literal(null), span };
  const put: Statement = statement(
    {
      kind: 'if',
      condition,
      // biome-ignore lint/suspicious/noThenProperty: it is the word of the language, and no statement is ever awaited.
      then: [statement(pattern(instance, values), span)],
      otherwise: [statement(pattern(instance, [asked, ...values]), span)],
      span,
    },
    span,
  );
  return [found, put];
}

function statement(each: Statement['pattern'], span: Span): Statement {
  return { pattern: each, span };
}

function pattern(
  { type, span }: ConfigInstance,
  attributes: readonly PatternAttribute[],
  options: PatternOptions = {},
  all = false,
): InstancePattern {
  return { kind: 'instance', type, all, attributes, nested: [], options, span };
}

function valuesOf({ attributes, unset }: ConfigInstance, entity: Pick<Entity, 'attributes'>): readonly PatternAttribute[] {
  const given = attributes.map(({ key, keySpan, value }): PatternAttribute => {
    const attribute = entity.attributes.find((each) => each.name === key);
    return { name: { text: key, span: keySpan }, value: expressionOf(value, attribute), span: value.span };
  });
  // What was there before, while the variable was set, goes.
  const cleared = unset.flatMap((name): readonly PatternAttribute[] => {
    const isOptional = entity.attributes.some((each) => each.name === name.text && each.optional && !isComputed(each));
    return isOptional ? [{ name, value: { kind: 'literal', value: null, raw: 'null', span: name.span }, span: name.span }] : [];
  });
  return [...given, ...cleared];
}

/** Variables of the environment are texts: where another type is wanted, the text is read as a value of it. */
export function expressionOf(value: ConfigValue, attribute?: Attribute): Expression {
  const { span } = value;
  switch (value.kind) {
    case 'scalar': {
      const scalar = typeof value.value === 'string' ? textAs(value.value, attribute) : value.value;
      return { kind: 'literal', value: scalar, raw: JSON.stringify(String(scalar)), span };
    }
    case 'list':
      return { kind: 'list', items: value.items.map((each) => expressionOf(each)), span };
    case 'map': {
      const entries = value.entries.map(({ key, keySpan, value: each }) => ({
        key: { kind: 'literal' as const, value: key, raw: JSON.stringify(key), span: keySpan },
        value: expressionOf(each),
      }));
      return { kind: 'map', entries, span };
    }
  }
}

function textAs(text: string, attribute: Attribute | undefined): Literal['value'] {
  if (attribute?.type.kind !== 'plain' || attribute.list) return text;
  const { column, parseText } = attribute.type.type;
  if (column !== 'integer' && column !== 'real' && column !== 'boolean') return text;
  const read = parseText(text);
  return typeof read === 'number' || typeof read === 'bigint' || typeof read === 'boolean' ? read : text;
}
