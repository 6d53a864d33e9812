// What the operations of a document share: headers, parameters, and the answers to failures, made from the one table of codes.

import { type ErrorCode, errorCodes } from '../../errors.ts';
import type { JsonSchema } from '../../model/types/attribute-type.ts';
import { statusOf } from '../problem.ts';
import type { Components, Reference } from './components.ts';

export type HeaderName = keyof typeof headers;
export type ParameterName = keyof typeof parameters;

export function headersOf(components: Components, ...names: readonly HeaderName[]): Readonly<Record<string, Reference>> {
  const all: readonly HeaderName[] = [...names, 'X-Request-Id'];
  return Object.fromEntries(all.map((name) => [name, components.use('headers', name, () => headers[name])]));
}

export function parametersOf(components: Components, ...names: readonly ParameterName[]): readonly Reference[] {
  // `@` may not stand in the name of a component.
  return names.map((name) => components.use('parameters', name.replace('@', ''), () => ({ name, ...parameters[name] })));
}

/** How a surface answers failures. */
export interface FailureForm {
  /** Of the responses, and of the schema of their bodies. */
  readonly name: string;
  readonly type: string;
  readonly media: string;
  readonly schema: JsonSchema;
}

/** The answers of these statuses, and one for all others. */
export function failuresOf(components: Components, form: FailureForm, statuses: readonly number[]): Readonly<Record<string, Reference>> {
  const answers = statuses.map((status) => [String(status), failure(components, form, status)] as const);
  const other = components.use('responses', form.name, () => failureResponse(components, form, 'Any other failure', codes));
  return { ...Object.fromEntries(answers), default: other };
}

const codes: readonly ErrorCode[] = Object.keys(errorCodes).filter(isCode);

function isCode(name: string): name is ErrorCode {
  return name in errorCodes;
}

const text = { type: 'string' };

const headers = {
  ETag: { description: 'The version of the instance.', schema: text },
  Location: { description: 'The path of the created instance.', schema: { type: 'string', format: 'uri-reference' } },
  Link: { description: 'With `rel="next"`: where a list goes on that `@limit` cut.', schema: text },
  'X-Total-Count': {
    description: 'With `@count=true`: how many instances there are, whatever the page.',
    schema: { type: 'integer', minimum: 0 },
  },
  'X-Request-Id': { description: 'Names the request in the log. A caller may send its own.', schema: text },
  Allow: { description: 'The methods that the path takes.', schema: text },
  'WWW-Authenticate': { description: '`Bearer`, with `error` where a token was sent that is not valid.', schema: text },
  'Retry-After': { description: 'Seconds until trying again makes sense.', schema: { type: 'integer', minimum: 1 } },
} as const satisfies Record<string, JsonSchema>;

const inQuery = { in: 'query', required: false };
const inHeader = { in: 'header', required: false };
const count = { type: 'integer', minimum: 0 };

const parameters = {
  '@or': {
    ...inQuery,
    description:
      'One of these filters must hold: `(a=1,b[gt]=2)`. A value that holds a comma stands in quotes, in which a backslash goes before a quote or a backslash. It may be sent several times, and all of them must hold.',
    schema: { type: 'array', items: text },
    style: 'form',
    explode: true,
  },
  '@search': {
    ...inQuery,
    description:
      'Words that must all stand in the texts of the instance, without regard to case and accents. Without `@sort`, what answers best comes first.',
    schema: { type: 'string', minLength: 1, maxLength: 1000 },
  },
  '@sort': {
    ...inQuery,
    description:
      'Attributes to sort by, separated by commas; `-` before one turns its order round. `record.field` sorts by what stands in a record, `Rel.Other.attr` by the one instance that up to three relationships lead to, `Rel.attr` by the link there. Absent values come first. Else the order is that of the identifiers.',
    schema: text,
  },
  '@limit': { ...inQuery, description: 'The most instances to give; without it, all of them.', schema: count },
  '@offset': { ...inQuery, description: 'How many instances to skip.', schema: count },
  '@after': { ...inQuery, description: 'Where to go on: the cursor of the `Link` header of the page before.', schema: text },
  '@select': {
    ...inQuery,
    description: 'Attributes to give, separated by commas. The identifier and `__path__` are always given.',
    schema: text,
  },
  '@include': {
    ...inQuery,
    description: 'Relationships, separated by commas, whose instances are embedded; `A.B` embeds those of `B` in those of `A`.',
    schema: text,
  },
  '@count': { ...inQuery, description: 'Whether to give the number of all instances, in `X-Total-Count`.', schema: { type: 'boolean' } },
  '@rights': {
    ...inQuery,
    description:
      'Whether each instance says under `@rights` which of `read`, `update` and `delete` the caller may do with it; `related`: also what may be made and removed at it.',
    schema: { enum: [true, false, 'related'] },
  },
  '@tree': { ...inQuery, description: 'Whether to give everything that the instance contains with it.', schema: { type: 'boolean' } },
  '@initial': {
    ...inQuery,
    description: 'Of a stream: whether the instances that are there already come first.',
    schema: { type: 'boolean' },
  },
  'Last-Event-ID': {
    ...inHeader,
    description: 'Of a stream: the `id` of the last event that the caller has; it goes on behind that one.',
    schema: text,
  },
  'If-Match': { ...inHeader, description: 'The `ETag` that the instance must still have for this to be done.', schema: text },
  'If-None-Match': { ...inHeader, description: 'The `ETag` that the caller has; the answer is 304 while it is still right.', schema: text },
  'Idempotency-Key': {
    ...inHeader,
    description: 'Makes it safe to send the request again: for 24 hours the same key is answered the same, and done once.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
} as const satisfies Record<string, JsonSchema>;

const failureHeaders: ReadonlyMap<number, readonly HeaderName[]> = new Map([
  [401, ['WWW-Authenticate']],
  [405, ['Allow']],
  [409, ['Retry-After']],
  [429, ['Retry-After']],
  [503, ['Retry-After']],
]);

function failure(components: Components, form: FailureForm, status: number): Reference {
  const own = codes.filter((code) => statusOf[code] === status);
  const further = failureHeaders.get(status) ?? [];
  return components.use('responses', `${form.name}-${status}`, () => failureResponse(components, form, 'Failure', own, further));
}

function failureResponse(
  components: Components,
  form: FailureForm,
  title: string,
  own: readonly ErrorCode[],
  further: readonly HeaderName[] = [],
): JsonSchema {
  const lines = own.map((code) => `- \`${code}\` (${statusOf[code]}): ${errorCodes[code]}`);
  const schema = components.use('schemas', form.type, () => form.schema);
  return {
    description: `${title}:\n\n${lines.join('\n')}`,
    headers: headersOf(components, ...further),
    content: { [form.media]: { schema } },
  };
}

/** RFC 9457. */
const problemSchema: JsonSchema = {
  type: 'object',
  description: 'What went wrong (RFC 9457).',
  required: ['type', 'title', 'status', 'code'],
  properties: {
    type: { type: 'string', format: 'uri', description: '`urn:platform:error:` and the code.' },
    title: { type: 'string', description: 'The same for every failure of one code.' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string', description: 'What it is this time.' },
    instance: { type: 'string', description: 'The path of the request.' },
    code: { type: 'string', enum: codes },
    pattern: { type: 'string', description: 'What the step of a workflow does that failed: `create shop/Order`.' },
    result: { description: 'What the model itself says of the failure.' },
    errorCount: { type: 'integer', description: 'How many do not fit, where they are more than are listed.' },
    errors: {
      type: 'array',
      description: 'Every attribute or query parameter that does not fit; of more than 100, the first.',
      items: {
        type: 'object',
        required: ['attribute', 'code', 'message'],
        properties: {
          attribute: { type: 'string', description: 'By its path: `title`, `address.city`, `PostComment[0].content`.' },
          code: { type: 'string' },
          message: { type: 'string' },
        },
      },
    },
  },
};

export const problemFailure: FailureForm = { name: 'problem', type: 'Problem', media: 'application/problem+json', schema: problemSchema };
