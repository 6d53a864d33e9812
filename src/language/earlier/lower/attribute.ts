// In charge of attributes: what stands beside their names becomes a type and annotations.

import type { Annotation, AttributeDeclaration, NamedAttributeDeclaration } from '../../../model/declaration.ts';
import type { MapExpression, Name } from '../../../model/pattern.ts';
import { type Form, isKeyword, isMap, type Keyword, type MapForm, pairsOf, unquoted } from '../read/form.ts';
import { annotation, attributeName, data, declaredName, expected, type Lowering, nameOf, pathOf, reference, spanOver } from './lowering.ts';
import { addMeta, type Draft, lowerComputation, lowerProperty } from './property.ts';

/** `:Name :String`, `:Name {:type :String :optional true}`, `:Cost '(* :Qty 3)`, `:Dept :C/Dept.No`. */
export function lowerAttribute(key: Keyword, value: Form, lowering: Lowering): AttributeDeclaration | undefined {
  const name = attributeName(key, lowering);
  const draft = lowerSpecification(value, key, lowering);
  if (name === undefined || draft === undefined) return undefined;
  const attribute = { name, list: draft.list, annotations: allAnnotations(draft, value), span: spanOver(key, value) };
  return draft.type === undefined ? attribute : { ...attribute, type: draft.type };
}

/** `(attribute :Gender {:oneof ["f" "m"]})`. */
export function lowerNamedAttribute(form: Form, items: readonly Form[], lowering: Lowering): NamedAttributeDeclaration | undefined {
  const [, key, value] = items;
  const name = declaredName(key, form, 'the name of an attribute', lowering);
  if (name === undefined || key === undefined) return undefined;
  if (value === undefined) return expected(lowering, undefined, form, 'a type, or a map of properties,');
  const draft = lowerSpecification(value, key, lowering, true);
  if (draft === undefined) return undefined;
  const attribute = { kind: 'attribute', name, list: draft.list, annotations: allAnnotations(draft, value), span: form.span } as const;
  return draft.type === undefined ? attribute : { ...attribute, type: draft.type };
}

function lowerSpecification(value: Form, key: Form, lowering: Lowering, isNamed = false): Draft | undefined {
  const draft: Draft = { type: undefined, list: false, annotations: [], meta: [] };
  if (isMap(value)) {
    lowerProperties(value, draft, lowering, isNamed);
  } else if (isKeyword(value)) {
    const path = pathOf(value.name);
    if (path.length === 1) draft.type = nameOf(value);
    else draft.annotations.push(annotation('ref', value, [reference(path, value.span)]));
  } else if (unquoted(value) !== value) {
    draft.annotations.push(annotation('expr', value, [lowerComputation(value, lowering)]));
    draft.type = anyType(value);
  } else {
    return expected(lowering, value, key, 'a type, a map of properties or a quoted expression');
  }
  return draft;
}

/** What is computed without saying of which type it is. */
function anyType({ span }: Form): Name {
  return { text: 'Any', span };
}

function lowerProperties(map: MapForm, draft: Draft, lowering: Lowering, isNamed: boolean): undefined {
  const isExtension = isNamed && pairsOf(map).some(({ key }) => isKeyword(key, 'extend'));
  for (const pair of pairsOf(map)) {
    const { key, value } = pair;
    if (!isKeyword(key, 'order')) lowerProperty(pair, draft, lowering);
    else if (isExtension) draft.annotations.push(annotation('order', key, [data(value, lowering)], value));
    else addMeta(key, data(value, lowering), draft);
  }
  const computed = draft.annotations.some((each) => each.name.text === 'expr');
  if (draft.type === undefined && computed) draft.type = anyType(map);
}

function allAnnotations({ annotations, meta }: Draft, at: Form): readonly Annotation[] {
  return meta.length === 0 ? annotations : [...annotations, metaAnnotation(meta, at)];
}

/** What is said about a declaration, in one map. */
export function metaAnnotation(entries: MapExpression['entries'], at: Form): Annotation {
  const span = entries[0]?.key.span ?? at.span;
  return {
    kind: 'plain',
    name: { text: 'meta', span },
    arguments: [{ kind: 'map', entries, span: { ...span, end: entries.at(-1)?.value.span.end ?? span.end } }],
    span,
  };
}
