// Calls to try, made from the model: create an instance, list the instances, read that one; before them, where users are known, sign up and log in.

import { allowedExample, isRequired } from '../../model/description.ts';
import type { Attribute, Entity, Model } from '../../model/model.ts';
import type { AttributeType } from '../../model/types/attribute-type.ts';
import type { Value, Values } from '../../values/value.ts';

export interface HintsFor {
  readonly address: string;
  readonly surface: 'current' | 'earlier';
  /** Absent while authentication is off. */
  readonly auth: SignUpHint | undefined;
  uuid(): string;
}

export interface SignUpHint {
  /** Whether everybody may sign up. */
  readonly signup: boolean;
  /** Whether the address is confirmed by a code. */
  readonly confirm: boolean;
}

/** `curl` lines for the first entity that can be created on its own; none when there is no such entity. */
export function hints(model: Model, options: HintsFor): readonly string[] {
  const { auth } = options;
  return [...(auth === undefined ? [] : signInCalls(auth, options)), ...entityCalls(model, options)];
}

function entityCalls(model: Model, { address, surface, auth, uuid }: HintsFor): readonly string[] {
  const roots = [...model.entities.values()].filter((entity) => entity.system === undefined && isRoot(entity, model));
  const entity = roots.find((each) => !each.attributes.filter(isRequired).some((attribute) => pointsElsewhere(attribute))) ?? roots[0];
  if (entity === undefined) return [];
  const url = `${address}${surface === 'earlier' ? '/api' : ''}/${segment(entity.module)}/${segment(entity.local)}`;
  const body = bodyFor(entity, model, uuid);
  const id = body[entity.identifier.name];
  const bearer = auth === undefined ? '' : ' -H "Authorization: Bearer $TOKEN"';
  return [
    `${posted(url, surface === 'earlier' ? { [entity.name]: body } : body)}${bearer}`,
    `curl ${url}${bearer}`,
    `curl ${url}/${id === undefined ? '<id>' : segment(String(id))}${bearer}`,
  ];
}

/** They end with a token in the variable TOKEN of the shell. */
function signInCalls({ signup, confirm }: SignUpHint, { address, surface, uuid }: HintsFor): readonly string[] {
  // Another one at every start: whoever signed up yesterday must not be in the way today.
  const email = signup ? `ada-${uuid().slice(-4)}@example.com` : '<email>';
  const user = { email, password: signup ? 'correct horse battery' : '<password>' };
  const { signUp, confirmed, login } = identityCalls[surface];
  const code = '<the code in the mail>';
  return [
    ...(signup ? [posted(`${address}${signUp.path}`, signUp.body(user))] : []),
    ...(signup && confirm ? [posted(`${address}${confirmed.path}`, confirmed.body({ email, code }))] : []),
    `TOKEN=$(${posted(`${address}${login.path}`, login.body(user), ' -s')} | sed 's/.*"id-token":"\\([^"]*\\)".*/\\1/')`,
  ];
}

type Given = Readonly<Record<string, string | undefined>>;

const identity = 'Platform.Kernel.Identity';
const identityCalls = {
  current: {
    signUp: { path: '/platform.auth/signup', body: (user: Given) => user },
    confirmed: { path: '/platform.auth/confirmSignup', body: ({ email, code }: Given) => ({ email, confirmationCode: code }) },
    login: { path: '/platform.auth/login', body: (user: Given) => user },
  },
  earlier: {
    signUp: {
      path: '/signup',
      body: ({ email, password }: Given) => ({
        [`${identity}/SignUp`]: { User: { [`${identity}/User`]: { Email: email, Password: password } } },
      }),
    },
    confirmed: {
      path: '/confirm-sign-up',
      body: ({ email, code }: Given) => ({ [`${identity}/ConfirmSignUp`]: { Username: email, ConfirmationCode: code } }),
    },
    login: {
      path: '/login',
      body: ({ email, password }: Given) => ({ [`${identity}/UserLogin`]: { Username: email, Password: password } }),
    },
  },
} as const;

function posted(url: string, body: object, options = ''): string {
  return `curl${options} ${url} -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`;
}

function isRoot(entity: Entity, model: Model): boolean {
  return ![...model.relationships.values()].some((each) => each.kind === 'contains' && each.child === entity.name);
}

function bodyFor(entity: Entity, model: Model, uuid: () => string): Values {
  const body: Record<string, Value> = {};
  for (const attribute of entity.attributes.filter(isRequired)) body[attribute.name] = sample(attribute, model, uuid, 0);
  const { name, default: initial, readonly: isFixed } = entity.identifier;
  // A generated identifier is named here, so that the third call can be pasted as it stands.
  return initial?.kind === 'uuid' && !name.startsWith('__') && !isFixed ? { [name]: uuid(), ...body } : body;
}

function pointsElsewhere(attribute: Attribute): boolean {
  return attribute.ref !== undefined || attribute.oneOf !== undefined;
}

function sample(attribute: Attribute, model: Model, uuid: () => string, depth: number): Value {
  const one = sampleOne(attribute, model, uuid, depth);
  return attribute.list ? [one] : one;
}

function sampleOne(attribute: Attribute, model: Model, uuid: () => string, depth: number): Value {
  const allowed = attribute.values ?? attribute.choices;
  if (allowed?.[0] !== undefined) return allowed[0];
  if (attribute.type.kind === 'record') {
    const fields = depth > 4 ? [] : (model.records.get(attribute.type.record)?.attributes ?? []).filter(isRequired);
    return Object.fromEntries(fields.map((field) => [field.name, sample(field, model, uuid, depth + 1)]));
  }
  const value = sampleOfType(attribute, attribute.type.type, uuid);
  return allowedExample(attribute, value) ?? value;
}

function sampleOfType(attribute: Attribute, { name, example }: AttributeType, uuid: () => string): Value {
  if (name === 'UUID') return uuid();
  // Another one at every start: the calls of yesterday must not be in the way of today's.
  if (name === 'String' && (attribute.identifier || attribute.unique)) return `${attribute.name}-${uuid().slice(-4)}`;
  if (name === 'Email' && (attribute.identifier || attribute.unique)) return `ada-${uuid().slice(-4)}@example.com`;
  return samples.get(name) ?? example ?? `A ${attribute.name}`;
}

/** In place of the examples of documents: what reads well in a line of a terminal. */
const samples: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['Float', 1.5],
  ['Decimal', '9.90'],
  ['Date', '2030-01-31'],
  ['DateTime', '2030-01-31T09:30:00Z'],
  ['Email', 'ada@example.com'],
  ['URL', 'https://example.com/'],
  ['Password', 'correct horse battery'],
]);

function segment(text: string): string {
  return encodeURIComponent(text);
}

/** For a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
