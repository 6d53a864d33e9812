// Identity in an OpenAPI document: how callers are known, the identity paths of both surfaces, and how an API key is made.

import type { JsonSchema } from '../../model/types/attribute-type.ts';
import type { EntityPlan, LinkPlan, Plan } from '../../plan/plan.ts';
import { identityEventPaths } from '../identity/identity.ts';
import { kindTag, typeTag } from '../rest/earlier/keyed.ts';
import type { Components, Reference } from './components.ts';
import { enveloped } from './earlier-form.ts';
import {
  apiKeyExchange,
  earlierSent,
  type IdentityEvent,
  identityExchanges,
  keySetExample,
  meExample,
  signedUpAtOnce,
  spelledEarlier,
} from './examples/identity.ts';
import { type Form, json } from './form.ts';
import { closedObject } from './schemas/attribute.ts';
import type { Schemas } from './schemas/schemas.ts';
import { headersOf } from './shared.ts';
import { signInItems } from './sign-in.ts';

/** No module can have this name. */
export const identityTag = { name: 'auth', 'x-displayName': 'Identity', description: 'Signing up, logging in, and everything about it.' };

/** The one way in which callers are known, put among the components. */
export function bearerSecurity(components: Components): Readonly<Record<string, readonly string[]>> {
  components.use('securitySchemes', 'bearer', () => ({
    type: 'http',
    scheme: 'bearer',
    description: 'The `id-token` that a login gives, or an API key.',
  }));
  return { bearer: [] };
}

export interface IdentityDescribed {
  readonly plan: Plan;
  readonly components: Components;
  /** The forms of the surfaces that are served, the current one first. */
  readonly surfaces: readonly Form[];
  /** The services that users sign in at. */
  readonly providers: readonly string[];
}

export function identityItems(making: IdentityDescribed): Readonly<Record<string, JsonSchema>> {
  const items: Record<string, JsonSchema> = {};
  for (const form of making.surfaces)
    for (const { path, event, signedIn } of identityEventPaths(form.prefix === '' ? 'current' : 'earlier'))
      items[path] = { post: eventOperation(path, event, signedIn, form, making) };
  return { ...items, ...ownItems(making), ...signInPaths(making) };
}

function signInPaths({ components, surfaces: [form], providers }: IdentityDescribed): Readonly<Record<string, JsonSchema>> {
  if (form === undefined || providers.length === 0) return {};
  return signInItems(providers, { components, form, tag: identityTag.name });
}

type Access = 'always' | 'if sent' | undefined;

function eventOperation(path: string, event: string, signedIn: Access, form: Form, { plan, components }: IdentityDescribed): JsonSchema {
  const target = plan.model.events.get(event);
  if (target === undefined) throw new Error(`${event} is part of every model with users`);
  const known = described[target.local];
  if (known === undefined) throw new Error(`${event} is not described`);
  const { event: exchanged, summary, answered, statuses } = known;
  const failures = [400, ...statuses, 413, 415, 422];
  const sent = form.prefix === '' ? identityExchanges[exchanged].sent : earlierSent(exchanged, event);
  const security = signedIn === 'always' ? {} : { security: signedIn === 'if sent' ? [{}, { bearer: [] }] : [] };
  return {
    operationId: `auth${path.replaceAll('/', '-')}`,
    tags: [identityTag.name],
    summary,
    ...security,
    requestBody: { required: target.attributes.length > 0, content: json(form.bodies.event(target), sent) },
    responses: {
      200: { description: 'It is done.', headers: headersOf(components), content: answeredContent(exchanged, answered, form) },
      ...(signedIn === undefined ? form.openFailures(...failures) : form.failures(...failures)),
    },
  };
}

/** A sign-up is answered in two ways, by whether the address is to be confirmed. */
function answeredContent(event: IdentityEvent, schema: JsonSchema, form: Form): JsonSchema {
  const { answered } = identityExchanges[event];
  const spelled = (value: JsonSchema): JsonSchema => (form.prefix === '' || 'id-token' in value ? value : spelledEarlier(value));
  if (event !== 'signup') return json(schema, spelled(answered));
  const examples = { 'to be confirmed': { value: spelled(answered) }, 'at once': { value: spelled(signedUpAtOnce) } };
  return { 'application/json': { schema, examples } };
}

const text = { type: 'string' };
const yes = { const: true };

function object(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties) };
}

const tokens = object({ 'id-token': text, 'access-token': text, 'refresh-token': text, 'expires-in': { type: 'integer' } });
const signedUp: JsonSchema = {
  description:
    'What the workflow `PostSignUp` gives, else the user; where the address is to be confirmed, the address, and that it is not yet.',
};

type Told = readonly [summary: string, answer: JsonSchema, ...statuses: readonly number[]];

interface Described {
  readonly event: IdentityEvent;
  readonly summary: string;
  readonly answered: JsonSchema;
  readonly statuses: readonly number[];
}

function both(names: readonly [IdentityEvent, string], of: (named: (name: string) => string) => Told): Readonly<Record<string, Described>> {
  const [event, earlier] = names;
  const from = ([summary, answered, ...statuses]: Told): Described => ({ event, summary, answered, statuses });
  return { [event]: from(of((name) => name)), [earlier]: from(of(upper)) };
}

function upper(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

const described: Readonly<Record<string, Described>> = {
  ...both(['signup', 'SignUp'], () => ['Sign up', signedUp, 403, 409]),
  ...both(['confirmSignup', 'ConfirmSignUp'], (named) => [
    'Confirm the address by the code in the mail',
    object({ [named('email')]: text, [named('confirmed')]: yes }),
  ]),
  ...both(['login', 'UserLogin'], () => ['Log in', tokens, 401, 429]),
  ...both(['refreshToken', 'RefreshToken'], () => ['Go on with the session, with new tokens', tokens, 401]),
  ...both(['forgotPassword', 'ForgotPassword'], (named) => ['Ask for a code to set a new password', object({ [named('email')]: text })]),
  ...both(['confirmForgotPassword', 'ConfirmForgotPassword'], (named) => [
    'Set a new password by the code in the mail',
    object({ [named('email')]: text, [named('changed')]: yes }),
  ]),
  ...both(['resendConfirmationCode', 'ResendConfirmationCode'], (named) => [
    'Ask for another code to confirm the address',
    object({ [named('email')]: text }),
  ]),
  ...both(['changePassword', 'ChangePassword'], (named) => [
    'Change the password, which ends all sessions',
    object({ [named('changed')]: yes }),
    401,
    403,
    429,
  ]),
  ...both(['exchange', 'Exchange'], () => ['Get the tokens of a sign-in by another service for its code', tokens]),
  ...both(['logout', 'Logout'], (named) => ['End the session', object({ [named('ended')]: yes }), 403]),
};

/** Their failures have the form of the current surface where that is served. */
function ownItems({ components, surfaces: [form] }: IdentityDescribed): Readonly<Record<string, JsonSchema>> {
  if (form === undefined) throw new Error('no surface is served');
  const answer = (content: JsonSchema): JsonSchema => ({ description: 'What was asked for.', headers: headersOf(components), content });
  const named = (name: string, summary: string): JsonSchema => ({ operationId: `auth-${name}`, tags: [identityTag.name], summary });
  const user = object({ id: text, email: text, name: { type: ['string', 'null'] }, roles: { type: 'array', items: text } });
  const keys = object({ keys: { type: 'array', items: { type: 'object' } } });
  const open = (name: string, summary: string, content: JsonSchema): JsonSchema => ({
    get: { ...named(name, summary), security: [], responses: { 200: answer(content), ...form.openFailures(405) } },
  });
  return {
    '/platform.auth/me': {
      get: { ...named('me', 'Tell who calls'), responses: { 200: answer(json(user, meExample)), ...form.failures(405) } },
    },
    '/platform.auth/confirm': open('confirm-page', 'The page that a link in a mail leads to', { 'text/html': { schema: text } }),
    '/.well-known/jwks.json': open('jwks', 'Give the public keys that tokens are verified with', json(keys, keySetExample)),
  };
}

const keyTypes = { current: 'platform.auth/ApiKey', earlier: 'Platform.Kernel.Identity/ApiKey' } as const;

export function isApiKey(plan: EntityPlan | LinkPlan): boolean {
  return plan.kind === 'entity' && plan.entity.system?.stored === keyTypes.current;
}

export function apiKeyBody({ model }: Plan, form: Form, schemas: Schemas): JsonSchema | Reference {
  const isCurrent = form.prefix === '';
  const event = model.events.get(isCurrent ? 'platform.auth/createApiKey' : 'Platform.Kernel.Identity/CreateApiKey');
  if (event === undefined) throw new Error('API keys are part of every model with users');
  const body = schemas.event(event);
  return isCurrent ? body : closedObject({ [keyTypes.earlier]: { ...body } }, [keyTypes.earlier]);
}

/** Without the secret it is found like any other instance. */
export function apiKeyCreation(
  operation: JsonSchema,
  { components, form, apiKeyBody: body }: { readonly components: Components; readonly form: Form; apiKeyBody(): JsonSchema | Reference },
): JsonSchema {
  const isCurrent = form.prefix === '';
  const named = (name: string): string => (isCurrent ? name : upper(name));
  const optional = { type: ['string', 'null'] };
  const attributes = {
    id: text,
    name: text,
    owner: text,
    roles: { type: ['array', 'null'], items: text },
    expires: optional,
    created: text,
  };
  const shown = Object.entries({ ...attributes, key: { type: 'string', pattern: '^pk_' } }).map(([name, schema]) => [named(name), schema]);
  const key = object({ ...(isCurrent ? {} : { [kindTag]: text, [typeTag]: text }), ...Object.fromEntries(shown) });
  const description = 'The key, which is not shown again.';
  const { sent, answered } = apiKeyExchange;
  const tagged = { [kindTag]: 'entity', [typeTag]: keyTypes.earlier, ...spelledEarlier(answered) };
  const made = isCurrent
    ? { 201: { description, headers: headersOf(components, 'Location'), content: json(key, answered) } }
    : {
        200: {
          description,
          headers: headersOf(components),
          content: {
            'application/json': { schema: enveloped({ type: 'array', items: key }), example: [{ status: 'ok', result: [tagged] }] },
          },
        },
      };
  return {
    ...operation,
    description: 'For a user who has signed in, not for another API key. The roles are some of the caller’s own; without them, all.',
    requestBody: { required: true, content: json(body(), isCurrent ? sent : { [keyTypes.earlier]: spelledEarlier(sent) }) },
    responses: { ...made, ...form.failures(400, 403, 413, 415, 422) },
  };
}
