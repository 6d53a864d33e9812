// Operations as declarations of the model: an event for each, its attributes as precise as the types of the model allow.

import type { Annotation, AttributeDeclaration, TypeDeclaration, Unit } from '../../model/declaration.ts';
import type { Expression, Name } from '../../model/pattern.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import type { Span } from '../../source.ts';
import type { Value } from '../../values/value.ts';
import { resolved } from './document.ts';
import type { RemoteInput, RemoteOperation } from './operations.ts';
import { isNullable, typesOf } from './schema.ts';

/** `span` is where the configuration names the document: what is wrong with a declaration is told there. */
export function eventUnit(module: string, operations: readonly RemoteOperation[], document: Value, span: Span): Unit {
  const named = (text: string): Name => ({ text, span });
  return {
    source: span.source,
    module: named(module),
    imports: [],
    declarations: operations.map(
      ({ name, inputs, about }): TypeDeclaration => ({
        kind: 'event',
        name: named(name),
        isPublic: true,
        attributes: inputs.map((each) => attributeOf(each, document, span)),
        annotations: about === undefined ? [] : [documented(about, span)],
        span,
      }),
    ),
    comments: [],
  };
}

function attributeOf({ attribute, required, schema }: RemoteInput, document: Value, span: Span): AttributeDeclaration {
  const { type, list, choices } = typeOf(schema, document);
  const rules = resolved(schema, document);
  const isOptional = !required || (isObject(rules) && isNullable(rules));
  return {
    name: { text: attribute, span },
    type: { text: type, span },
    list,
    annotations: [
      ...(choices.length === 0
        ? []
        : [
            annotation(
              'enum',
              choices.map((each) => literal(each, span)),
              span,
            ),
          ]),
      ...(isOptional ? [annotation('optional', [], span)] : []),
    ],
    span,
  };
}

interface Typed {
  readonly type: string;
  readonly list: boolean;
  readonly choices: readonly string[];
}

const anything: Typed = { type: 'Any', list: false, choices: [] };

/** What a type of the model cannot say is `Any`: the schema is held against it before it is sent. */
function typeOf(schema: Value | undefined, document: Value, isItem = false): Typed {
  const rules = resolved(schema, document);
  if (!isObject(rules)) return anything;
  const types = typesOf(rules).filter((each) => each !== 'null');
  if (types.length !== 1) return anything;
  if (types[0] !== 'array') return { ...anything, ...scalarOf(types[0] ?? '', rules) };
  // A list of the model holds no list, and no null.
  if (isItem) return anything;
  const item = resolved(rules['items'], document);
  const inner = typeOf(rules['items'], document, true);
  return inner.type === 'Any' || (isObject(item) && isNullable(item)) ? anything : { ...inner, list: true };
}

function scalarOf(type: string, rules: { readonly [key: string]: Value }): Partial<Typed> {
  const choices = rules['enum'];
  switch (type) {
    case 'string':
      if (Array.isArray(choices)) return choicesOf(choices);
      return { type: formats.get(String(rules['format'])) ?? 'String' };
    case 'integer':
      return { type: 'Int' };
    case 'number':
      return { type: 'Float' };
    case 'boolean':
      return { type: 'Boolean' };
    case 'object':
      return { type: 'Map' };
    default:
      return {};
  }
}

/** Only texts: what else stands among them the schema decides. */
function choicesOf(choices: readonly Value[]): Partial<Typed> {
  const texts = choices.filter((each) => typeof each === 'string');
  const isPlain = texts.length > 0 && texts.every((each) => each !== '') && new Set(texts).size === texts.length;
  return { type: 'String', choices: isPlain ? texts : [] };
}

const formats: ReadonlyMap<string, string> = new Map([
  ['date-time', 'DateTime'],
  ['date', 'Date'],
  ['uuid', 'UUID'],
  ['email', 'Email'],
]);

function annotation(name: string, values: readonly Expression[], span: Span): Annotation {
  return { kind: 'plain', name: { text: name, span }, arguments: values, span };
}

function literal(value: string, span: Span): Expression {
  return { kind: 'literal', value, raw: JSON.stringify(value), span };
}

function documented(text: string, span: Span): Annotation {
  const key = { kind: 'literal' as const, value: 'documentation', raw: '"documentation"', span };
  return annotation('meta', [{ kind: 'map', entries: [{ key, value: literal(text, span) }], span }], span);
}
