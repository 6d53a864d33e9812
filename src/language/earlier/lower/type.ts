// In charge of entities, records, events and relationships.

import type { AttributeDeclaration, RelationshipDeclaration, RelationshipEnd, TypeDeclaration } from '../../../model/declaration.ts';
import type { Name } from '../../../model/pattern.ts';
import { type Form, isKeyword, isMap, type MapForm, pairsOf } from '../read/form.ts';
import { lowerAttribute } from './attribute.ts';
import { declaredName, expected, fault, type Lowering } from './lowering.ts';
import { type About, aboutKeys, annotationsOf, lowerAbout, startAbout } from './meta.ts';

/** `(entity :C/E {...})`, `(entity {:C/E {...}})`. */
export function lowerType(
  kind: TypeDeclaration['kind'],
  form: Form,
  items: readonly Form[],
  lowering: Lowering,
): TypeDeclaration | undefined {
  const body = lowerBody(`the name of ${kind === 'record' ? 'a' : 'an'} ${kind}`, form, items, lowering);
  if (body === undefined) return undefined;
  const { name, attributes, about } = body;
  checkNoRelationship(about, kind, lowering);
  if (kind === 'event') checkEventContext(attributes, lowering);
  const type = { kind, name, isPublic: about.isPublic, attributes, annotations: annotationsOf(about, form), span: form.span };
  return about.extends === undefined ? type : { ...type, extends: about.extends };
}

interface Body {
  readonly name: Name;
  readonly attributes: readonly AttributeDeclaration[];
  readonly about: About;
}

function lowerBody(what: string, form: Form, items: readonly Form[], lowering: Lowering): Body | undefined {
  const [, first, second, extra] = items;
  const only = isMap(first) ? pairsOf(first)[0] : undefined;
  const [key, map] = only === undefined ? [first, second] : [only.key, only.value];
  const name = declaredName(key, form, what, lowering);
  const about = startAbout();
  if (name === undefined) return undefined;
  if (map === undefined) return { name, attributes: [], about };
  if (!isMap(map)) return expected(lowering, map, form, 'a map of attributes');
  if (extra !== undefined) expected(lowering, extra, form, '`)`');
  return { name, attributes: lowerAttributes(map, about, lowering), about };
}

function lowerAttributes(map: MapForm, about: About, lowering: Lowering): readonly AttributeDeclaration[] {
  return pairsOf(map).flatMap(({ key, value }) => {
    if (!isKeyword(key)) return expected(lowering, key, map, 'the name of an attribute, as a keyword,') ?? [];
    if (!aboutKeys.has(key.name)) return lowerAttribute(key, value, lowering) ?? [];
    lowerAbout(key, value, about, lowering);
    return [];
  });
}

function checkNoRelationship({ relationship, roles }: About, kind: string, lowering: Lowering): undefined {
  const span = relationship?.span ?? roles?.[0]?.span;
  if (span !== undefined)
    fault(lowering, 'annotation-misplaced', span, `only a relationship has ends and roles, not ${kind === 'record' ? 'a' : 'an'} ${kind}`);
}

function checkEventContext(attributes: readonly AttributeDeclaration[], lowering: Lowering): undefined {
  const found = attributes.find((each) => each.name.text === 'EventContext');
  if (found !== undefined) fault(lowering, 'name-reserved', found.name.span, 'every event has its `EventContext`; it cannot be declared');
}

/** Annotations that stand behind the ends; the others describe the whole, as on an entity. */
const ofEnds = new Set(['cascade', 'inherit', 'one_one', 'one_many', 'many_many', 'owner', 'assign', 'was']);

export function lowerRelationship(form: Form, items: readonly Form[], lowering: Lowering): RelationshipDeclaration | undefined {
  const body = lowerBody('the name of a relationship', form, items, lowering);
  if (body === undefined) return undefined;
  const { name, attributes, about } = body;
  const ends = endsOf(about);
  if (about.relationship === undefined || ends === undefined) {
    return fault(
      lowering,
      'type-missing',
      name.span,
      `the relationship \`${name.text}\` links nothing`,
      'add `:meta {:contains [:Parent :Child]}`',
    );
  }
  const annotations = annotationsOf(about, form);
  return {
    kind: 'relationship',
    name,
    type: about.relationship.type,
    ends,
    annotations: annotations.filter((each) => ofEnds.has(each.name.text)),
    attributes,
    bodyAnnotations: annotations.filter((each) => !ofEnds.has(each.name.text)),
    span: form.span,
  };
}

function endsOf({ relationship, roles }: About): readonly [RelationshipEnd, RelationshipEnd] | undefined {
  const [first, second] = relationship?.ends ?? [];
  if (first === undefined || second === undefined) return undefined;
  const [from, to] = roles ?? [];
  return from === undefined || to === undefined
    ? [first, second]
    : [
        { ...first, role: from },
        { ...second, role: to },
      ];
}
