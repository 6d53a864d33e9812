// Third-party sign-in in an OpenAPI document: the two addresses that browsers come to.

import type { JsonSchema } from '../../model/types/attribute-type.ts';
import type { Components } from './components.ts';
import type { Form } from './form.ts';
import { headersOf } from './shared.ts';

const text = { type: 'string' };

/** `providers` are the names of the services that users sign in at. */
export function signInItems(
  providers: readonly string[],
  { components, form, tag }: { readonly components: Components; readonly form: Form; readonly tag: string },
): Readonly<Record<string, JsonSchema>> {
  const named = (name: string, summary: string): JsonSchema => ({ operationId: `auth-${name}`, tags: [tag], summary, security: [] });
  const begun = sentTo(components, 'The browser is sent to the other service, with a cookie that binds the sign-in to it for 10 minutes.');
  const done = sentTo(
    components,
    'The browser is sent to the address that the sign-in was begun with: with a `code`, to be exchanged for tokens within a minute, or with `error` and `error_description`.',
  );
  return {
    '/auth': {
      get: {
        ...named('begin-sign-in', 'Begin to sign in at another service'),
        parameters: [
          required('provider', { type: 'string', enum: providers }, 'The service to sign in at.'),
          required('redirect', text, 'Where the browser is sent in the end: one of `auth.redirects`, `/console` or `/graphql`.'),
          required(
            'challenge',
            { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
            'The SHA-256 of the verifier that the code is exchanged with, as base64url.',
          ),
        ],
        responses: { 302: begun, ...form.openFailures(405, 422, 503) },
      },
    },
    '/auth/callback': {
      get: {
        ...named('end-sign-in', 'Come back from another service'),
        parameters: ['state', 'code', 'error'].map((name) => ({
          name,
          in: 'query',
          required: false,
          schema: text,
          description: added[name],
        })),
        responses: { 302: done, ...form.openFailures(400, 401, 403, 405, 503) },
      },
    },
  };
}

const added: Readonly<Record<string, string>> = {
  state: 'What the browser was sent away with.',
  code: 'What the other service gives for a user who has signed in.',
  error: 'Why it gives none.',
};

function required(name: string, schema: JsonSchema, description: string): JsonSchema {
  return { name, in: 'query', required: true, schema, description };
}

function sentTo(components: Components, description: string): JsonSchema {
  const location = { description: 'Where the browser is sent.', schema: { type: 'string', format: 'uri' } };
  return {
    description,
    headers: { ...headersOf(components), Location: location, 'Set-Cookie': { schema: text, description: 'The binding.' } },
  };
}
