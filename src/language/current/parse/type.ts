// In charge of reading entities, records, events and relationships.

import type {
  Annotation,
  AttributeDeclaration,
  NamedAttributeDeclaration,
  RelationshipDeclaration,
  RelationshipEnd,
  TypeDeclaration,
} from '../../../model/declaration.ts';
import type { Name } from '../../../model/pattern.ts';
import { positionOf } from '../../../source.ts';
import { readAnnotation, readAnnotations } from './annotation.ts';
import { accept, at, expect, fail, type Parser, peek, readBody, readName, readSimpleName, report, spanFrom, tokenSpan } from './parser.ts';

export function readType(parser: Parser, kind: TypeDeclaration['kind'], isPublic: boolean, start: number): TypeDeclaration {
  parser.index += 1;
  const name = readName(parser, `the name of the ${kind}`);
  const parent = accept(parser, 'extends') ? readName(parser, 'the name of the extended type') : undefined;
  const misplaced = readAnnotations(parser, 'header');
  for (const each of misplaced) {
    report(
      parser,
      'annotation-misplaced',
      each.span,
      `\`@${each.name.text}\` stands in the body of the ${kind}`,
      'move it between the braces',
    );
  }
  expect(parser, '{');
  const { attributes, annotations } = readTypeBody(parser);
  const type = { kind, name, isPublic, attributes, annotations: [...misplaced, ...annotations], span: spanFrom(parser, start) };
  return parent === undefined ? type : { ...type, extends: parent };
}

interface TypeBody {
  readonly attributes: readonly AttributeDeclaration[];
  readonly annotations: readonly Annotation[];
}

/** Attributes and annotations up to the closing brace. */
function readTypeBody(parser: Parser): TypeBody {
  const attributes: AttributeDeclaration[] = [];
  const annotations: Annotation[] = [];
  readBody(parser, '}', () => {
    if (at(parser, '@')) annotations.push(readAnnotation(parser, 'body'));
    else readAttribute(parser, attributes);
  });
  return { attributes, annotations };
}

function readAttribute(parser: Parser, attributes: AttributeDeclaration[]): void {
  // An annotation on a new line belongs to the attribute only when it is indented deeper.
  const column = columnOf(parser);
  const name = readSimpleName(parser, 'the name of an attribute');
  const typed = peek(parser).kind === 'name' && !peek(parser).newline;
  const type = typed ? readName(parser, 'the name of a type') : undefined;
  const list = at(parser, '[') && at(parser, ']', 1);
  if (list) parser.index += 2;
  const annotations: Annotation[] = [];
  const index = attributes.length;
  // Kept even when an annotation is broken: whoever refers to the attribute is not at fault.
  keep();
  while (at(parser, '@') && !(peek(parser).newline && columnOf(parser) <= column)) {
    annotations.push(readAnnotation(parser, 'body'));
    keep();
  }

  function keep(): void {
    const attribute = { name, list, annotations: [...annotations], span: spanFrom(parser, name.span.start) };
    attributes[index] = type === undefined ? attribute : { ...attribute, type };
  }
}

function columnOf(parser: Parser): number {
  return positionOf(tokenSpan(parser, peek(parser))).column;
}

/** `attribute Gender String @enum("f", "m")`. */
export function readNamedAttribute(parser: Parser, start: number): NamedAttributeDeclaration {
  parser.index += 1;
  const name = readName(parser, 'the name of the attribute');
  const typed = peek(parser).kind === 'name' && !peek(parser).newline;
  const type = typed ? readName(parser, 'the name of a type') : undefined;
  // On a line of its own it is a statement.
  const list = at(parser, '[') && at(parser, ']', 1) && !peek(parser).newline;
  if (list) parser.index += 2;
  const annotations = readAnnotations(parser, 'header');
  const attribute = { kind: 'attribute', name, list, annotations, span: spanFrom(parser, start) } as const;
  return type === undefined ? attribute : { ...attribute, type };
}

export function readRelationship(parser: Parser, start: number): RelationshipDeclaration {
  parser.index += 1;
  const name = readName(parser, 'the name of the relationship');
  const type = readKind(parser);
  expect(parser, '(');
  const first = readEnd(parser);
  expect(parser, ',');
  const second = readEnd(parser);
  accept(parser, ',');
  expect(parser, ')');
  const annotations = readAnnotations(parser, 'header');
  const body = opensBody(parser) && accept(parser, '{') ? readTypeBody(parser) : { attributes: [], annotations: [] };
  return {
    kind: 'relationship',
    name,
    type,
    ends: [first, second],
    annotations,
    attributes: body.attributes,
    bodyAnnotations: body.annotations,
    span: spanFrom(parser, start),
  };
}

/** A brace on a new line may also open a start-up statement. */
function opensBody(parser: Parser): boolean {
  if (!peek(parser).newline || at(parser, '@', 1)) return true;
  return peek(parser, 1).kind === 'name' && (peek(parser, 2).kind === 'name' || [',', '@', '}', '['].some((sign) => at(parser, sign, 2)));
}

function readKind(parser: Parser): RelationshipDeclaration['type'] {
  if (accept(parser, 'contains')) return 'contains';
  if (accept(parser, 'between')) return 'between';
  return fail(parser, '`contains` or `between`');
}

function readEnd(parser: Parser): RelationshipEnd {
  const entity = readName(parser, 'the name of an entity');
  const role = readRole(parser);
  return role === undefined ? { entity } : { entity, role };
}

function readRole(parser: Parser): Name | undefined {
  if (!at(parser, '@')) return undefined;
  parser.index += 1;
  if (!accept(parser, 'as')) fail(parser, '`as`');
  return readSimpleName(parser, 'the name of a role');
}
