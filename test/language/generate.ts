// In charge of generated units of the current surface: every construct of the grammar, without spans and without a source.

import fc, { type Arbitrary } from 'fast-check';
import type {
  Annotation,
  AttributeDeclaration,
  Declaration,
  Field,
  FlowStep,
  RbacRule,
  RuleDeclaration,
  Unit,
} from '../../src/model/declaration.ts';
import type { Expression, MapExpression, Name, Statement } from '../../src/model/pattern.ts';
import { anyName, anywhere, literalOf, moduleName, nameOf, plainName, plainText, span, text, typeName } from './generate-parts.ts';
import { block, expression, made, map, statement } from './generate-pattern.ts';

const few = { maxLength: 3 };

const plainAnnotation: Arbitrary<Annotation> = fc
  .oneof(
    fc.tuple(
      fc.constantFrom('id', 'default', 'enum', 'ref', 'oneof', 'expr', 'was', 'owner', 'one_many', 'unheard'),
      fc.array(expression, few),
    ),
    fc.tuple(
      fc.constant('meta'),
      map.map((each) => [each]),
    ),
  )
  .map(([name, args]) => ({ kind: 'plain', name: nameOf(name), arguments: args, span }));

const right: Arbitrary<Name> = fc.oneof(plainText, fc.constant('*'), fc.string({ maxLength: 6 })).map(nameOf);
const rights = fc.array(right, few);
const rule: Arbitrary<RbacRule> = fc.record(
  { roles: rights, owners: fc.boolean(), allow: rights, where: expression, span: anywhere },
  { requiredKeys: ['allow', 'span'] },
);
const rbac: Arbitrary<Annotation> = fc.array(rule, few).map((rules) => ({ kind: 'rbac', name: nameOf('rbac'), rules, span }));

const action = fc.record({ operation: anyName, event: typeName, async: fc.boolean() });
const trigger: Arbitrary<Annotation> = fc
  .tuple(fc.constantFrom('before', 'after'), fc.array(action, few))
  .map(([name, actions]) => ({ kind: 'trigger', name: nameOf(name), actions, span }));

const assign: Arbitrary<Annotation> = fc
  .tuple(typeName, typeName)
  .map(([to, from]) => ({ kind: 'assign', name: nameOf('assign'), to, from, span }));

/** `@actions` takes all pairs behind it: it stands last. */
const actions: Arbitrary<Annotation> = fc
  .array(fc.tuple(plainName, typeName), { minLength: 1, maxLength: 3 })
  .map((pairs) => ({ kind: 'actions', name: nameOf('actions'), pairs, span }));
const bodyAnnotations = fc
  .tuple(fc.array(fc.oneof(plainAnnotation, rbac, trigger), few), fc.array(actions, { maxLength: 1 }))
  .map((lists) => lists.flat());

const attribute: Arbitrary<AttributeDeclaration> = fc.record(
  { name: anyName, type: typeName, list: fc.boolean(), annotations: fc.array(fc.oneof(plainAnnotation, rbac), few), span: anywhere },
  { requiredKeys: ['name', 'list', 'annotations', 'span'] },
);
const attributes = fc.array(attribute, { maxLength: 4 });

const type: Arbitrary<Declaration> = fc
  .record(
    {
      kind: fc.constantFrom('entity' as const, 'record' as const, 'event' as const),
      name: typeName,
      isPublic: fc.boolean(),
      extends: typeName,
      attributes,
      annotations: bodyAnnotations,
      span: anywhere,
    },
    { requiredKeys: ['kind', 'name', 'isPublic', 'attributes', 'annotations', 'span'] },
  )
  .map((each) => ({ ...each, isPublic: each.isPublic && each.kind === 'event' }));

const namedAttribute: Arbitrary<Declaration> = fc
  .record(
    { name: typeName, type: typeName, list: fc.boolean(), annotations: fc.array(fc.oneof(plainAnnotation, rbac), few), span: anywhere },
    { requiredKeys: ['name', 'list', 'annotations', 'span'] },
  )
  .map((each) => ({ kind: 'attribute', ...each }));

const end = fc.record({ entity: typeName, role: anyName }, { requiredKeys: ['entity'] });
const relationship: Arbitrary<Declaration> = fc.record({
  kind: fc.constant('relationship' as const),
  name: typeName,
  type: fc.constantFrom('contains' as const, 'between' as const),
  ends: fc.tuple(end, end),
  annotations: fc.array(fc.oneof(plainAnnotation, rbac, trigger, assign), few),
  attributes,
  bodyAnnotations,
  span: anywhere,
});

const moment = fc.record({
  when: fc.constantFrom('before' as const, 'after' as const),
  operation: anyName,
  entity: typeName,
  span: anywhere,
});
const head = fc.oneof(fc.record({ name: typeName }), fc.record({ trigger: moment }), fc.record({ name: typeName, trigger: moment }));
const workflow: Arbitrary<Declaration> = fc
  .tuple(head, fc.record({ isPublic: fc.boolean(), annotations: fc.array(plainAnnotation, few), body: block, span: anywhere }))
  .map(([start, rest]) => ({ kind: 'workflow', ...start, ...rest }));

const step: Arbitrary<FlowStep> = fc.record(
  { from: typeName, condition: text, to: fc.oneof<Arbitrary<Name | Statement>[]>(typeName, made), span: anywhere },
  { requiredKeys: ['from', 'to', 'span'] },
);
const flow: Arbitrary<Declaration> = fc
  .tuple(typeName, fc.array(step, { maxLength: 4 }))
  .map(([name, steps]) => ({ kind: 'flow', name, steps, span }));

/** `{ strategy linear, delay 2 }`. */
const fieldBlock: Arbitrary<Expression> = fc
  .array(fc.tuple(plainText, fc.oneof(plainName.map(reference), text)), { minLength: 1, maxLength: 3 })
  .map((entries) => ({ kind: 'map', entries: entries.map(([key, value]) => ({ key: { ...literalOf(key), raw: key }, value })), span }));

function reference(name: Name): Expression {
  return { kind: 'reference', path: [name.text], span };
}

const fields: Arbitrary<readonly Field[]> = fc.array(fc.record({ name: anyName, value: fc.oneof(expression, fieldBlock) }), {
  maxLength: 4,
});
const agent: Arbitrary<Declaration> = fc.record({
  kind: fc.constant('agent' as const),
  name: typeName,
  isPublic: fc.boolean(),
  annotations: fc.array(plainAnnotation, few),
  fields,
  span: anywhere,
});

const decisionCase = fc.record(
  { condition: expression, results: fc.array(typeName, few), span: anywhere },
  { requiredKeys: ['results', 'span'] },
);
const decision: Arbitrary<Declaration> = fc
  .tuple(typeName, fc.array(decisionCase, few))
  .map(([name, cases]) => ({ kind: 'decision', name, cases, span }));

const ruleBody = fc.record({ kind: fc.constant('rule' as const), condition: expression, result: statement, span: anywhere });
const ruleDeclaration: Arbitrary<Declaration> = fc.record({
  kind: fc.constantFrom('directive' as const, 'scenario' as const),
  name: typeName,
  body: fc.oneof<Arbitrary<RuleDeclaration['body']>[]>(map, ruleBody),
  span: anywhere,
});

const fullMap = map.filter((each) => each.entries.length > 0);
const fieldsDeclaration: Arbitrary<Declaration> = fc.record({
  kind: fc.constantFrom('glossaryEntry' as const, 'retry' as const, 'eval' as const),
  name: typeName,
  body: fc.oneof<Arbitrary<readonly Field[] | MapExpression>[]>(fields, fullMap),
  span: anywhere,
});

const resolver: Arbitrary<Declaration> = fc.record({
  kind: fc.constant('resolver' as const),
  name: typeName,
  types: fc.array(typeName, few),
  methods: fc.array(fc.record({ name: anyName, function: typeName }), few),
  span: anywhere,
});

const startup: Arbitrary<Declaration> = statement.map((each) => ({ kind: 'startup', statement: each, span }));

const declaration = fc.oneof(
  type,
  namedAttribute,
  relationship,
  workflow,
  flow,
  agent,
  decision,
  ruleDeclaration,
  fieldsDeclaration,
  resolver,
  startup,
);

/** A unit as another front end might make it: all spans are the same, and nothing can be taken from a source. */
export const unit: Arbitrary<Unit> = fc.record({
  source: fc.constant(span.source),
  module: moduleName,
  imports: fc.array(fc.record({ path: text, alias: plainName, external: fc.boolean(), span: anywhere }), { maxLength: 2 }),
  declarations: fc.array(declaration, { maxLength: 5 }),
  comments: fc.constant([]),
});
