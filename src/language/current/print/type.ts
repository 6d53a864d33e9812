// In charge of the text of entities, records, events, relationships and annotations.

import { unreachable } from '../../../errors.ts';
import type {
  Annotation,
  AttributeDeclaration,
  NamedAttributeDeclaration,
  RbacRule,
  RelationshipDeclaration,
  RelationshipEnd,
  TypeDeclaration,
} from '../../../model/declaration.ts';
import type { Name } from '../../../model/pattern.ts';
import { type Doc, group, type Item, row } from './doc.ts';
import { argumentsDoc, mapDoc, ruleConditionDoc } from './expression.ts';

export function typeDoc(type: TypeDeclaration): Doc {
  const { kind, name, isPublic, span } = type;
  const parent = type.extends === undefined ? '' : ` extends ${type.extends.text}`;
  const start = (type.extends ?? name).span.end;
  const leads = ({ name: { text } }: Annotation): boolean => text === 'schedule';
  const inside = type.annotations.filter((each) => !leads(each));
  const body = group('{}', bodyItems(type.attributes, inside), { broken: true, start, end: span.end });
  return row(leadingDoc(isPublic, type.annotations.filter(leads)), kind, ' ', name.text, parent, ' ', body);
}

/** Whether it stands before a workflow or an agent; before an event only `@schedule` does. */
export function isLeading({ name }: Annotation): boolean {
  return name.text === 'schedule' || name.text === 'internal' || name.text === 'runAs';
}

/** What stands before a declaration. */
export function leadingDoc(isPublic: boolean, annotations: readonly Annotation[]): Doc {
  return row(isPublic ? '@public ' : '', ...annotations.filter(isLeading).map((each) => row(annotationDoc(each), ' ')));
}

export function namedAttributeDoc(attribute: NamedAttributeDeclaration): Doc {
  return row('attribute ', attributeDoc(attribute));
}

export function relationshipDoc(relationship: RelationshipDeclaration): Doc {
  const { name, type, ends, annotations, attributes, bodyAnnotations, span } = relationship;
  const head = row('relationship ', name.text, ` ${type}(${ends.map(endText).join(', ')})`, ...annotationDocs(annotations));
  if (!hasBody(relationship)) return head;
  const start = (annotations.at(-1) ?? ends[1].role ?? ends[1].entity).span.end;
  return row(head, ' ', group('{}', bodyItems(attributes, bodyAnnotations), { broken: true, start, end: span.end }));
}

export function hasBody(relationship: RelationshipDeclaration): boolean {
  return relationship.attributes.length > 0 || relationship.bodyAnnotations.length > 0;
}

function endText(end: RelationshipEnd): string {
  return end.role === undefined ? end.entity.text : `${end.entity.text} @as ${end.role.text}`;
}

/** In the order of the source; `@actions` and the annotations behind it last, because it takes every pair of names behind it. */
function bodyItems(attributes: readonly AttributeDeclaration[], annotations: readonly Annotation[]): readonly Item[] {
  const greedy = (item: { readonly last: boolean }) => (item.last ? 1 : 0);
  const actions = annotations.findIndex((each) => each.kind === 'actions');
  const items = [
    ...attributes.map((each) => ({ doc: attributeDoc(each), span: each.span, last: false })),
    ...annotations.map((each, index) => ({ doc: annotationDoc(each), span: each.span, last: actions !== -1 && index >= actions })),
  ];
  return items.sort((a, b) => greedy(a) - greedy(b) || a.span.start - b.span.start).map(({ doc, span }) => ({ doc, span }));
}

function attributeDoc(attribute: AttributeDeclaration | NamedAttributeDeclaration): Doc {
  const { name, type, list, annotations } = attribute;
  return row(name.text, type === undefined ? '' : ` ${type.text}`, list ? '[]' : '', ...annotationDocs(annotations));
}

export function annotationDocs(annotations: readonly Annotation[]): readonly Doc[] {
  return annotations.map((annotation) => row(' ', annotationDoc(annotation)));
}

function annotationDoc(annotation: Annotation): Doc {
  const name = `@${annotation.name.text}`;
  switch (annotation.kind) {
    case 'plain':
      return row(name, plainArguments(annotation));
    case 'rbac':
      return row(name, ' ', rulesDoc(annotation));
    case 'trigger':
      return row(name, ' ', triggerDoc(annotation));
    case 'assign':
      return `${name}(${annotation.to.text} -> ${annotation.from.text})`;
    case 'actions':
      return `${name} ${annotation.pairs.map(([action, event]) => `${action.text} ${event.text}`).join(', ')}`;
    default:
      return unreachable(annotation);
  }
}

function plainArguments(annotation: Extract<Annotation, { kind: 'plain' }>): Doc {
  const [only] = annotation.arguments;
  if (only === undefined) return '';
  const isMeta = annotation.name.text === 'meta' && annotation.arguments.length === 1 && only.kind === 'map';
  return isMeta ? row(' ', mapDoc(only)) : argumentsDoc(annotation.arguments);
}

function rulesDoc(annotation: Extract<Annotation, { kind: 'rbac' }>): Doc {
  const { rules, name, span } = annotation;
  const items = rules.map((rule) => ({ doc: ruleDoc(rule), span: rule.span }));
  return group('[]', items, { broken: rules.length > 1, start: name.span.end, end: span.end });
}

function ruleDoc(rule: RbacRule): Doc {
  const items: Item[] = [];
  if (rule.roles !== undefined) items.push({ doc: row('roles: ', rightsDoc(rule.roles)) });
  if (rule.owners !== undefined) items.push({ doc: `owners: ${rule.owners}` });
  items.push({ doc: row('allow: ', rightsDoc(rule.allow)) });
  if (rule.where !== undefined) items.push({ doc: row('where: ', ruleConditionDoc(rule.where)), span: rule.where.span });
  return group('()', items, { start: rule.span.start, end: rule.span.end });
}

function rightsDoc(names: readonly Name[]): Doc {
  return group(
    '[]',
    names.map((name) => ({ doc: rightText(name.text), span: name.span })),
  );
}

const part = '[_\\p{L}][_\\p{L}\\p{N}\\p{M}]*';
const nameText = new RegExp(`^${part}(?:\\.${part})*(?:/${part}(?:\\.${part})*)?$`, 'u');

function rightText(text: string): string {
  return text === '*' || nameText.test(text) ? text : JSON.stringify(text);
}

function triggerDoc(annotation: Extract<Annotation, { kind: 'trigger' }>): Doc {
  const items = annotation.actions.map(({ operation, event, async }) => ({
    doc: `${operation.text} ${event.text}${async ? ' @async' : ''}`,
    span: { start: operation.span.start, end: event.span.end },
  }));
  return group('{}', items, { start: annotation.name.span.end, end: annotation.span.end });
}
