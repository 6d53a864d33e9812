// The modules that the service itself brings, as declarations: each with two names, one for each surface, and the part that needs it.

import { aiModule } from './ai-module.ts';
import type { TypeDeclaration, Unit } from './declaration.ts';
import type { TypeName } from './model.ts';
import {
  attributeOf,
  nameOf,
  type SystemAttribute,
  type SystemDeclaration,
  type SystemModule,
  type SystemPart,
  span,
  unitOf,
} from './system-module.ts';
import { timerModule } from './timers/timers.ts';

/** What the audit trail consists of; its table goes by this name. */
export const auditEntry: TypeName = 'platform.audit/Entry';
/** Calls of composing resolvers that left the other system and the store with different things. */
export const pendingCall: TypeName = 'platform.resolver/Pending';

const generatedId: SystemAttribute = ['id', 'UUID', 'id', 'generated'];
/** An instance, by its type and its identifier or path, and a user. */
const assigned: readonly SystemAttribute[] = [
  ['resource', 'String', 'readonly'],
  ['resourceId', 'String', 'readonly'],
  ['assignee', 'Email', 'user', 'readonly'],
];
/** While there is one of a user, nothing lets that user in. */
const disabled: readonly SystemAttribute[] = [generatedId, ['user', 'Email', 'user', 'readonly'], ['since', 'DateTime', 'generated']];
/** Of a user who is to be. */
const details: readonly SystemAttribute[] = [
  ['email', 'Email'],
  ['password', 'Password'],
  ['name', 'String', 'optional'],
  ['firstName', 'String', 'optional'],
  ['lastName', 'String', 'optional'],
  ['userData', 'Map', 'optional'],
];

/** A request about an account, which the two surfaces name differently. */
function identityEvent(
  [current, ...attributes]: readonly [string, ...SystemAttribute[]],
  [earlier, ...earlierAttributes]: readonly [string, ...SystemAttribute[]],
): SystemDeclaration {
  return { kind: 'closed-event', parts: ['auth'], name: current, attributes, earlier: { name: earlier, attributes: earlierAttributes } };
}

/** In the order in which they are made. */
const systemModules: readonly SystemModule[] = [
  {
    current: 'platform.auth',
    earlier: 'Platform.Kernel.Identity',
    types: [
      {
        kind: 'entity',
        parts: ['auth'],
        name: 'User',
        attributes: [
          ['email', 'Email', 'id', 'lower'],
          // What the user is told by from all others: a later account of the same address has another one.
          ['id', 'UUID', 'generated', 'readonly', 'writeonly'],
          ['name', 'String', 'optional'],
          ['password', 'Password', 'optional'],
          ['firstName', 'String', 'optional'],
          ['lastName', 'String', 'optional'],
          ['userData', 'Map', 'optional'],
        ],
      },
      {
        kind: 'entity',
        parts: ['auth'],
        name: 'ApiKey',
        attributes: [
          generatedId,
          ['name', 'String'],
          ['owner', 'Email', 'user', 'readonly'],
          ['roles', 'String', 'list', 'optional'],
          ['expires', 'DateTime', 'optional'],
          ['created', 'DateTime', 'generated', 'readonly'],
          ['lastUsed', 'DateTime', 'optional'],
        ],
      },
      { kind: 'entity', parts: ['auth'], name: 'DisabledUser', attributes: disabled },
      { kind: 'closed-record', parts: ['auth'], name: 'NewUser', attributes: details },
      identityEvent(['signup', ...details], ['SignUp', ['User', 'NewUser']]),
      identityEvent(
        ['confirmSignup', ['email', 'Email'], ['confirmationCode', 'String']],
        ['ConfirmSignUp', ['Username', 'Email'], ['ConfirmationCode', 'String']],
      ),
      identityEvent(
        ['login', ['email', 'String'], ['password', 'Password']],
        ['UserLogin', ['Username', 'String'], ['Password', 'Password']],
      ),
      identityEvent(['refreshToken', ['refreshToken', 'String']], ['RefreshToken', ['RefreshToken', 'String']]),
      identityEvent(['forgotPassword', ['email', 'Email']], ['ForgotPassword', ['Username', 'Email']]),
      identityEvent(
        ['confirmForgotPassword', ['email', 'Email'], ['confirmationCode', 'String'], ['newPassword', 'Password']],
        ['ConfirmForgotPassword', ['Username', 'Email'], ['ConfirmationCode', 'String'], ['Password', 'Password']],
      ),
      identityEvent(['resendConfirmationCode', ['email', 'Email']], ['ResendConfirmationCode', ['Username', 'Email']]),
      identityEvent(
        ['changePassword', ['password', 'Password'], ['newPassword', 'Password']],
        ['ChangePassword', ['AccessToken', 'String', 'optional'], ['CurrentPassword', 'Password'], ['NewPassword', 'Password']],
      ),
      identityEvent(['exchange', ['code', 'String'], ['verifier', 'String']], ['Exchange', ['Code', 'String'], ['Verifier', 'String']]),
      identityEvent(['logout'], ['Logout']),
      identityEvent(
        ['createApiKey', ['name', 'String'], ['roles', 'String', 'list', 'optional'], ['expires', 'DateTime', 'optional']],
        ['CreateApiKey', ['Name', 'String'], ['Roles', 'String', 'list', 'optional'], ['Expires', 'DateTime', 'optional']],
      ),
      {
        kind: 'event',
        parts: ['auth'],
        name: 'PostSignUp',
        attributes: [
          ['signupRequest', 'Any', 'optional'],
          ['signupResult', 'Any', 'optional'],
        ],
      },
    ],
  },
  {
    current: 'platform.rbac',
    earlier: 'Platform.Kernel.Rbac',
    types: [
      {
        kind: 'entity',
        parts: ['auth', 'rbac'],
        name: 'RoleAssignment',
        attributes: [generatedId, ['role', 'String'], ['assignee', 'Email', 'user']],
      },
      { kind: 'entity', parts: ['rbac'], name: 'OwnershipAssignment', attributes: [generatedId, ...assigned] },
      {
        kind: 'entity',
        parts: ['rbac'],
        name: 'InstancePrivilegeAssignment',
        attributes: [generatedId, ...assigned, ['actions', 'String', 'list', 'granted']],
      },
    ],
  },
  {
    current: 'platform.audit',
    earlier: 'Platform.Kernel.Audit',
    types: [
      {
        kind: 'entity',
        parts: ['audit'],
        name: 'Entry',
        attributes: [
          generatedId,
          ['time', 'DateTime', 'generated'],
          ['user', 'String', 'optional'],
          ['operation', 'String'],
          ['type', 'String'],
          // The one index: each costs every write that is recorded. Of a create that was denied nothing is known.
          ['instance', 'String', 'indexed', 'optional'],
          ['before', 'Map', 'optional'],
          ['after', 'Map', 'optional'],
          ['requestId', 'String', 'optional'],
          ['outcome', 'String'],
          ['run', 'String', 'optional'],
          ['toolCall', 'String', 'optional'],
          ['as', 'String', 'optional'],
        ],
      },
    ],
  },
  {
    current: 'platform.resolver',
    earlier: 'Platform.Kernel.Resolver',
    types: [
      {
        kind: 'entity',
        parts: ['resolvers'],
        name: 'Pending',
        attributes: [
          generatedId,
          ['resolver', 'String'],
          ['type', 'String', 'indexed'],
          ['instance', 'String'],
          ['operation', 'String'],
          ['before', 'Map', 'optional'],
          ['after', 'Map', 'optional'],
          // Both with what answers hide, by which the call is settled.
          ['whole', 'String', 'optional', 'writeonly'],
          ['since', 'DateTime'],
          ['attempts', 'Int'],
          ['error', 'String', 'optional'],
        ],
      },
    ],
  },
  aiModule,
  timerModule,
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
  ['Platform.Kernel.Lang/DataSync', { kind: 'event', attributes: ['Source', 'DestinationUri'] }],
]);

function typesIn(module: string, types: readonly SystemDeclaration[]): readonly (readonly [TypeName, BuiltinType])[] {
  return types.flatMap(({ kind, name, attributes }) =>
    kind === 'entity' || kind === 'event' ? [[`${module}/${name}`, { kind, attributes: attributes.map(([each]) => each) }] as const] : [],
  );
}

/** Attributes of the service begin with an upper-case letter on the earlier surface. */
function asEarlier({ kind, parts, name, attributes, earlier }: SystemDeclaration): SystemDeclaration {
  if (earlier !== undefined) return { kind, parts, ...earlier };
  const upper = attributes.map(([each, ...rest]): SystemAttribute => [`${each.charAt(0).toUpperCase()}${each.slice(1)}`, ...rest]);
  return { kind, parts, name, attributes: upper };
}

/** The modules of the service as one surface names them. */
export interface SystemSurface {
  readonly surface: 'current' | 'earlier';
  readonly units: readonly Unit[];
  /** The names that their tables are called by. */
  readonly stored: ReadonlyMap<TypeName, TypeName>;
}

/** What these parts need, under both names: first those that the tables are called by. */
export function systemUnits(parts: readonly SystemPart[]): readonly SystemSurface[] {
  const needed = systemModules
    .map((each) => ({ ...each, types: each.types.filter((type) => type.parts.some((part) => parts.includes(part))) }))
    .filter(({ types }) => types.length > 0);
  const hasUsers = parts.includes('auth');
  return [
    {
      surface: 'current',
      units: needed.map(({ current, types, contains = [] }) =>
        unitOf(current, types, hasUsers ? 'platform.auth/User.email' : undefined, contains),
      ),
      stored: new Map(needed.flatMap(({ current, types }) => types.map(({ name }) => [`${current}/${name}`, `${current}/${name}`]))),
    },
    {
      surface: 'earlier',
      units: needed.map(({ earlier, types }) =>
        unitOf(earlier, types.map(asEarlier), hasUsers ? 'Platform.Kernel.Identity/User.Email' : undefined),
      ),
      stored: new Map(
        needed.flatMap(({ current, earlier, types }) =>
          types.map((each) => [`${earlier}/${asEarlier(each).name}`, `${current}/${each.name}`]),
        ),
      ),
    },
  ];
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
  // What an agent of the earlier surface is told: events extend it.
  recordOf('Platform.Core/Inference', [['UserInstruction', 'String']]),
  // What such a check gives back.
  recordOf('platform/ValidationResult', [
    ['status', 'String'],
    ['reason', 'String', 'optional'],
  ]),
]);

function recordOf(type: TypeName, attributes: readonly SystemAttribute[]): [TypeName, TypeDeclaration] {
  const declared = attributes.map((each) => attributeOf(each));
  const name = nameOf(type.slice(type.indexOf('/') + 1));
  return [type, { kind: 'record', name, isPublic: false, attributes: declared, annotations: [], span }];
}
