// The modules that the service itself brings, as declarations: each with two names, one for each surface, and the part that needs it.

import type { Span } from '../source.ts';
import type { Annotation, AttributeDeclaration, TypeDeclaration, Unit } from './declaration.ts';
import type { TypeName } from './model.ts';
import type { CallExpression, Name } from './pattern.ts';

/** Parts of the service that keep data of their own. */
export type SystemPart = 'auth' | 'rbac' | 'audit';

interface SystemModule {
  readonly part: SystemPart;
  readonly current: string;
  readonly earlier: string;
  readonly types: readonly SystemDeclaration[];
}

interface SystemDeclaration {
  /** An event is made by the model, or by the service for the model to react to; a closed one by requests at a path of its own alone. */
  readonly kind: 'entity' | 'event' | 'closed-event';
  readonly name: string;
  /** As the current surface calls them. */
  readonly attributes: readonly SystemAttribute[];
  /** On the earlier surface, where it has other names there than the same with an upper-case letter. */
  readonly earlier?: Pick<SystemDeclaration, 'name' | 'attributes'>;
}

/** A name, its type, and how it is marked; the default of a UUID is a generated one, that of a time the present one. */
type SystemAttribute = readonly [name: string, type: string, ...marks: readonly ('id' | 'optional' | 'indexed' | 'list' | 'generated')[]];

const generatedId: SystemAttribute = ['id', 'UUID', 'id', 'generated'];

/** In the order in which they are made. */
const systemModules: readonly SystemModule[] = [
  {
    part: 'auth',
    current: 'platform.auth',
    earlier: 'Platform.Kernel.Identity',
    types: [
      {
        kind: 'entity',
        name: 'User',
        attributes: [
          ['email', 'Email', 'id'],
          ['name', 'String', 'optional'],
          ['password', 'Password', 'optional'],
          ['firstName', 'String', 'optional'],
          ['lastName', 'String', 'optional'],
          ['userData', 'Map', 'optional'],
        ],
      },
      {
        kind: 'closed-event',
        name: 'login',
        attributes: [
          ['email', 'String'],
          ['password', 'Password'],
        ],
        earlier: {
          name: 'UserLogin',
          attributes: [
            ['Username', 'String'],
            ['Password', 'Password'],
          ],
        },
      },
      {
        kind: 'event',
        name: 'PostSignUp',
        attributes: [
          ['signupRequest', 'Any', 'optional'],
          ['signupResult', 'Any', 'optional'],
        ],
      },
    ],
  },
  {
    part: 'rbac',
    current: 'platform.rbac',
    earlier: 'Platform.Kernel.Rbac',
    types: [
      { kind: 'entity', name: 'RoleAssignment', attributes: [generatedId, ['role', 'String'], ['assignee', 'Email', 'indexed']] },
      {
        kind: 'entity',
        name: 'OwnershipAssignment',
        attributes: [generatedId, ['resource', 'String'], ['resourceId', 'String', 'indexed'], ['assignee', 'Email', 'indexed']],
      },
      {
        kind: 'entity',
        name: 'InstancePrivilegeAssignment',
        attributes: [
          generatedId,
          ['resource', 'String'],
          ['resourceId', 'String', 'indexed'],
          ['assignee', 'Email', 'indexed'],
          ['actions', 'String', 'list'],
        ],
      },
    ],
  },
  {
    part: 'audit',
    current: 'platform.audit',
    earlier: 'Platform.Kernel.Audit',
    types: [
      {
        kind: 'entity',
        name: 'Entry',
        attributes: [
          generatedId,
          ['time', 'DateTime', 'generated', 'indexed'],
          ['user', 'String', 'optional'],
          ['operation', 'String'],
          ['type', 'String', 'indexed'],
          ['instance', 'String', 'indexed'],
          ['before', 'Map', 'optional'],
          ['after', 'Map', 'optional'],
          ['requestId', 'String', 'optional'],
          ['outcome', 'String'],
          ['run', 'String', 'optional'],
          ['toolCall', 'String', 'optional'],
        ],
      },
    ],
  },
];

export interface BuiltinType {
  readonly kind: 'entity' | 'event';
  readonly attributes: readonly string[];
}

/** What a model may refer to without declaring it, also where the part that brings it is off. */
export const builtinTypes: ReadonlyMap<TypeName, BuiltinType> = new Map<TypeName, BuiltinType>([
  ...systemModules.flatMap(({ current, earlier, types }) => [...typesIn(current, types), ...typesIn(earlier, types.map(asEarlier))]),
  ['platform.ai/LLM', { kind: 'entity', attributes: ['name', 'service', 'config'] }],
  ['Platform.Kernel.Lang/AppInit', { kind: 'event', attributes: ['Data'] }],
  ['Platform.Kernel.Lang/Response', { kind: 'entity', attributes: ['HTTP'] }],
  ['Platform.Kernel.Lang/Timer', { kind: 'entity', attributes: ['Name', 'Expiry', 'ExpiryUnit', 'ExpiryEvent', 'TaskHandle'] }],
  ['Platform.Kernel.Lang/DataSync', { kind: 'event', attributes: ['Source', 'DestinationUri'] }],
]);

function typesIn(module: string, types: readonly SystemDeclaration[]): readonly (readonly [TypeName, BuiltinType])[] {
  return types.flatMap(({ kind, name, attributes }) =>
    kind === 'closed-event' ? [] : [[`${module}/${name}`, { kind, attributes: attributes.map(([each]) => each) }] as const],
  );
}

/** Attributes of the service begin with an upper-case letter on the earlier surface. */
function asEarlier({ kind, name, attributes, earlier }: SystemDeclaration): SystemDeclaration {
  if (earlier !== undefined) return { kind, ...earlier };
  const upper = attributes.map(([each, ...rest]): SystemAttribute => [`${each.charAt(0).toUpperCase()}${each.slice(1)}`, ...rest]);
  return { kind, name, attributes: upper };
}

/** A module of the service under one of its names. */
export interface SystemUnit {
  readonly surface: 'current' | 'earlier';
  /** The module whose tables it is about. */
  readonly stored: string;
  readonly unit: Unit;
}

/** The modules of these parts, each under both names: first the one that its tables are called by. */
export function systemUnits(parts: readonly SystemPart[]): readonly SystemUnit[] {
  return systemModules
    .filter(({ part }) => parts.includes(part))
    .flatMap(({ current, earlier, types }): readonly SystemUnit[] => [
      { surface: 'current', stored: current, unit: unitOf(current, types) },
      { surface: 'earlier', stored: current, unit: unitOf(earlier, types.map(asEarlier)) },
    ]);
}

/** They stand in no file. */
const span: Span = { source: { file: '', text: '' }, start: 0, end: 0 };

function unitOf(module: string, types: readonly SystemDeclaration[]): Unit {
  const declarations = types.map(
    ({ kind, name, attributes }): TypeDeclaration => ({
      kind: kind === 'entity' ? 'entity' : 'event',
      name: nameOf(name),
      isPublic: false,
      attributes: attributes.map(attributeOf),
      annotations: [],
      span,
    }),
  );
  return { source: span.source, module: nameOf(module), imports: [], declarations, comments: [] };
}

function attributeOf([name, type, ...marks]: SystemAttribute): AttributeDeclaration {
  const annotations = marks.flatMap((mark): readonly Annotation[] => {
    if (mark === 'list') return [];
    if (mark === 'generated') return [annotation('default', [callOf(type === 'UUID' ? 'uuid' : 'now')])];
    return [annotation(mark, [])];
  });
  return { name: nameOf(name), type: nameOf(type), list: marks.includes('list'), annotations, span };
}

function annotation(name: string, given: readonly CallExpression[]): Annotation {
  return { kind: 'plain', name: nameOf(name), arguments: given, span };
}

function callOf(name: string): CallExpression {
  return { kind: 'call', name: nameOf(name), arguments: [], awaited: false, span };
}

function nameOf(text: string): Name {
  return { text, span };
}

/** First path segments of the service: a module of one of these names could not be reached. */
export const reservedModules: ReadonlySet<string> = new Set([
  ...systemModules.flatMap(({ current, earlier }) => [current, earlier]),
  'api',
  'auth',
  'console',
  'docs',
  'dynamic',
  'graphql',
  'health',
  'mcp',
  'meta',
  'metrics',
  'openapi.json',
  'platform',
  'platform.ai',
  'q',
  'ready',
  // Identity endpoints of the earlier surface stand at the root.
  'change-password',
  'confirm-forgot-password',
  'confirm-sign-up',
  'forgot-password',
  'login',
  'logout',
  'refresh-token',
  'resend-confirmation-code',
  'signup',
]);

/** Records that the service brings: part of a model that names them. */
export const builtinRecords: ReadonlyMap<TypeName, TypeDeclaration> = new Map([
  // What a check of an agent's reply is given: events extend it.
  recordOf('platform/ValidationRequest', [['data', 'Any']]),
  // What such a check gives back.
  recordOf('platform/ValidationResult', [
    ['status', 'String'],
    ['reason', 'String', 'optional'],
  ]),
]);

function recordOf(type: TypeName, attributes: readonly SystemAttribute[]): [TypeName, TypeDeclaration] {
  const declared = attributes.map(attributeOf);
  const name = nameOf(type.slice(type.indexOf('/') + 1));
  return [type, { kind: 'record', name, isPublic: false, attributes: declared, annotations: [], span }];
}
