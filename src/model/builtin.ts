// The names of the modules that the service itself brings: what a model may refer to without declaring it.

import type { TypeName } from './model.ts';

export interface BuiltinType {
  readonly kind: 'entity' | 'event';
  readonly attributes: readonly string[];
}

/** Their behaviour lives in the rooms of the service; a model may use them in patterns and attach a workflow to an event. */
export const builtinTypes: ReadonlyMap<TypeName, BuiltinType> = new Map<TypeName, BuiltinType>([
  ['platform.auth/User', { kind: 'entity', attributes: ['email', 'name', 'firstName', 'lastName', 'userData'] }],
  ['platform.auth/PostSignUp', { kind: 'event', attributes: ['signupRequest', 'signupResult'] }],
  ['platform.rbac/RoleAssignment', { kind: 'entity', attributes: ['id', 'role', 'assignee'] }],
  ['platform.rbac/OwnershipAssignment', { kind: 'entity', attributes: ['id', 'resource', 'resourceId', 'assignee'] }],
  ['platform.rbac/InstancePrivilegeAssignment', { kind: 'entity', attributes: ['id', 'resource', 'resourceId', 'assignee', 'actions'] }],
  [
    'platform.audit/Entry',
    {
      kind: 'entity',
      attributes: ['id', 'time', 'user', 'operation', 'type', 'instance', 'before', 'after', 'requestId', 'outcome', 'run', 'toolCall'],
    },
  ],
  ['platform.ai/LLM', { kind: 'entity', attributes: ['name', 'service', 'config'] }],
  // The same, as the earlier surface names them (decisions 2.7), and its kernel.
  ['Platform.Kernel.Identity/User', { kind: 'entity', attributes: ['Email', 'Name', 'FirstName', 'LastName', 'UserData', 'Password'] }],
  ['Platform.Kernel.Identity/PostSignUp', { kind: 'event', attributes: ['SignupRequest', 'SignupResult'] }],
  ['Platform.Kernel.Rbac/RoleAssignment', { kind: 'entity', attributes: ['Id', 'Role', 'Assignee'] }],
  ['Platform.Kernel.Rbac/OwnershipAssignment', { kind: 'entity', attributes: ['Id', 'Resource', 'ResourceId', 'Assignee'] }],
  [
    'Platform.Kernel.Rbac/InstancePrivilegeAssignment',
    { kind: 'entity', attributes: ['Id', 'Resource', 'ResourceId', 'Assignee', 'Actions'] },
  ],
  [
    'Platform.Kernel.Audit/Entry',
    {
      kind: 'entity',
      attributes: ['Id', 'Time', 'User', 'Operation', 'Type', 'Instance', 'Before', 'After', 'RequestId', 'Outcome', 'Run', 'ToolCall'],
    },
  ],
  ['Platform.Kernel.Lang/AppInit', { kind: 'event', attributes: ['Data'] }],
  ['Platform.Kernel.Lang/Response', { kind: 'entity', attributes: ['HTTP'] }],
  ['Platform.Kernel.Lang/Timer', { kind: 'entity', attributes: ['Name', 'Expiry', 'ExpiryUnit', 'ExpiryEvent', 'TaskHandle'] }],
  ['Platform.Kernel.Lang/DataSync', { kind: 'event', attributes: ['Source', 'DestinationUri'] }],
]);

/** First path segments of the service: a module of one of these names could not be reached. */
export const reservedModules: ReadonlySet<string> = new Set([
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
  'platform.audit',
  'platform.auth',
  'platform.rbac',
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
