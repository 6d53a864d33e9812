// A module that the service brings: how it is written down, and the declarations that come of it.

import type { Span } from '../source.ts';
import type { Annotation, AttributeDeclaration, RelationshipDeclaration, TypeDeclaration, Unit } from './declaration.ts';
import type { CallExpression, Expression, Name, Reference } from './pattern.ts';

/** Parts of the service that keep data of their own. */
export type SystemPart = 'auth' | 'rbac' | 'audit' | 'ai' | 'resolvers' | 'timers';

export interface SystemModule {
  readonly current: string;
  readonly earlier: string;
  readonly types: readonly SystemDeclaration[];
  /** Which of its entities stand under which: named as the current surface does, on both. */
  readonly contains?: readonly (readonly [name: string, parent: string, child: string])[];
}

export interface SystemDeclaration {
  /** An event is made by the model, or by the service for the model to react to; a closed one by requests at a path of its own alone. */
  readonly kind: 'entity' | 'event' | 'closed-event' | 'closed-record';
  /** The parts that need it. */
  readonly parts: readonly SystemPart[];
  readonly name: string;
  /** As the current surface calls them. */
  readonly attributes: readonly SystemAttribute[];
  /** On the earlier surface, where it has other names there than the same with an upper-case letter. */
  readonly earlier?: Pick<SystemDeclaration, 'name' | 'attributes'>;
}

/**
 * A name, its type, and how it is marked; the default of a UUID is a generated one, that of a time the present one. What holds the e-mail of a
 * user (`user`) goes with that user; `lower` has no capital letters; `granted` is what an owner may let others do; what is `unnamed` gets a name.
 */
export type SystemAttribute = readonly [name: string, type: string, ...marks: readonly Mark[]];
type Mark = 'id' | 'optional' | 'indexed' | 'list' | 'generated' | 'readonly' | 'user' | 'lower' | 'granted' | 'writeonly' | 'unnamed';

/** What can be granted on one instance: to make others is no matter of an instance. */
const grantedActions = ['read', 'update', 'delete', '*'];

/** They stand in no file. */
export const span: Span = { source: { file: '', text: '' }, start: 0, end: 0 };

/** `user` is the attribute that tells users apart, where they are kept here. */
export function unitOf(
  module: string,
  types: readonly SystemDeclaration[],
  user: string | undefined,
  contains: SystemModule['contains'] = [],
): Unit {
  const declared = types.map(
    ({ kind, name, attributes }): TypeDeclaration => ({
      kind: kind === 'closed-event' ? 'event' : kind === 'closed-record' ? 'record' : kind,
      name: nameOf(name),
      isPublic: false,
      attributes: attributes.map((each) => attributeOf(each, user)),
      annotations: [],
      span,
    }),
  );
  const declarations = [...declared, ...contains.map(([name, parent, child]) => containsOf(name, parent, child))];
  return { source: span.source, module: nameOf(module), imports: [], declarations, comments: [] };
}

function containsOf(name: string, parent: string, child: string): RelationshipDeclaration {
  const ends = [{ entity: nameOf(parent) }, { entity: nameOf(child) }] as const;
  return { kind: 'relationship', name: nameOf(name), type: 'contains', ends, annotations: [], attributes: [], bodyAnnotations: [], span };
}

export function attributeOf([name, type, ...marks]: SystemAttribute, user?: string): AttributeDeclaration {
  const annotations = marks.flatMap((mark): readonly Annotation[] => {
    if (mark === 'list') return [];
    if (mark === 'unnamed') return [annotation('default', [callOf('uuid')])];
    if (mark === 'generated') return [annotation('default', [callOf(type === 'UUID' ? 'uuid' : 'now')])];
    // One mailbox is one user, however its address is typed.
    if (mark === 'lower') return [annotation('format', [textOf('[^A-Z]+')])];
    if (mark === 'granted') return [annotation('enum', grantedActions.map(textOf))];
    if (mark !== 'user') return [annotation(mark, [])];
    const indexed = annotation('indexed', []);
    return user === undefined
      ? [indexed]
      : [indexed, annotation('ref', [referenceTo(user)]), annotation('cascade', [{ kind: 'literal', value: true, raw: 'true', span }])];
  });
  return { name: nameOf(name), type: nameOf(type), list: marks.includes('list'), annotations, span };
}

function referenceTo(attribute: string): Reference {
  const dot = attribute.lastIndexOf('.');
  return { kind: 'reference', path: [attribute.slice(0, dot), attribute.slice(dot + 1)], span };
}

function annotation(name: string, given: readonly Expression[]): Annotation {
  return { kind: 'plain', name: nameOf(name), arguments: given, span };
}

function textOf(value: string): Expression {
  return { kind: 'literal', value, raw: JSON.stringify(value), span };
}

function callOf(name: string): CallExpression {
  return { kind: 'call', name: nameOf(name), arguments: [], awaited: false, span };
}

export function nameOf(text: string): Name {
  return { text, span };
}
