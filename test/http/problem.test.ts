// Every error of the table as its answer on the current surface.

import { describe, expect, test } from 'vitest';
import { type ErrorCode, error, errorCodes, invalid } from '../../src/errors.ts';
import { statusOf, toProblem } from '../../src/http/problem.ts';
import { errorsPage } from './errors-page.ts';

const request = { path: '/blog/Post/1' };

/** Which failures a status stands for. */
const expected: Readonly<Record<number, readonly ErrorCode[]>> = {
  400: ['request-unreadable', 'body-unreadable', 'body-invalid', 'code-invalid'],
  401: ['unauthenticated', 'credentials-invalid'],
  403: ['access-denied', 'attribute-denied'],
  404: ['path-unknown', 'instance-not-found'],
  405: ['method-not-allowed'],
  408: ['request-timeout'],
  409: ['duplicate', 'instance-referenced', 'identifier-ambiguous', 'request-in-progress', 'run-state'],
  410: ['cursor-expired'],
  412: ['version-mismatch'],
  413: ['body-too-large'],
  414: ['url-too-long'],
  415: ['media-type-unsupported'],
  422: [
    'attributes-invalid',
    'query-invalid',
    'parent-required',
    'key-reused',
    'tree-too-large',
    'include-too-large',
    'limit-exceeded',
    'dataflow-failed',
    'dataflow-limit',
    'resolver-refused',
    'suspension-refused',
    'agent-message-invalid',
    'agent-turn-limit',
    'flow-step-limit',
    'flow-step-input',
    'llm-input-too-long',
  ],
  429: ['too-many-requests', 'llm-budget'],
  431: ['headers-too-large'],
  500: ['function-failed', 'internal'],
  501: ['not-available', 'coding-unsupported'],
  502: [
    'llm-auth-rejected',
    'llm-unavailable',
    'llm-empty',
    'llm-invalid',
    'resolver-failed',
    'resolver-answer-invalid',
    'resolver-answer-too-large',
  ],
  503: [
    'store-failed',
    'store-busy',
    'model-outdated',
    'service-busy',
    'service-stopping',
    'identity-unavailable',
    'llm-not-configured',
    'llm-busy',
    'llm-suspended',
    'resolver-unavailable',
  ],
  504: ['llm-timeout', 'resolver-timeout'],
  505: ['version-unsupported'],
  507: ['store-full'],
};

describe('every code has its status and a problem body', () => {
  for (const [status, codes] of Object.entries(expected)) {
    for (const code of codes) {
      test(`${code} is ${status}`, () => {
        const { body, ...answer } = problem(error(code));
        const detail = { detail: errorCodes[code] };
        expect(answer).toEqual({
          status: Number(status),
          headers: {
            'content-type': 'application/problem+json',
            'cache-control': 'no-store',
            ...(status === '401' ? { 'www-authenticate': 'Bearer' } : {}),
          },
        });
        expect(body).toEqual({
          type: `urn:platform:error:${code}`,
          title: errorCodes[code],
          status: Number(status),
          ...detail,
          instance: request.path,
          code,
        });
      });
    }
  }
  test('no code is left out', () => {
    expect(Object.values(expected).flat().toSorted()).toEqual(Object.keys(errorCodes).toSorted());
    expect(Object.keys(statusOf).toSorted()).toEqual(Object.keys(errorCodes).toSorted());
  });
});

test('all faulty attributes are listed', () => {
  const errors = [
    { attribute: 'title', code: 'required', message: 'title is required' },
    { attribute: 'address.city', code: 'type', message: 'must be a text' },
  ] as const;
  expect(problem(invalid(errors)).body).toMatchObject({ status: 422, errors });
});

test('a wrong method is answered with Allow', () => {
  expect(problem(error('method-not-allowed', { allow: ['GET', 'POST'] })).headers['allow']).toBe('GET, POST');
});

test('Retry-After is in whole seconds, at least one', () => {
  expect(problem(error('store-busy', { retryAfter: 0.2 })).headers['retry-after']).toBe('1');
  expect(problem(error('too-many-requests', { retryAfter: 12.1 })).headers['retry-after']).toBe('13');
});

describe('what went wrong inside is not told', () => {
  const secret = new Error('SELECT password FROM /home/user/data.db');
  const cases: readonly [title: string, thrown: unknown][] = [
    ['an exception', secret],
    ['a cause', error('store-failed', {}, secret)],
    ['an internal error with a detail', error('internal', { detail: secret.message })],
    ['a thrown text', secret.message],
    ['nothing', undefined],
    ['a thrown look-alike', { code: 'duplicate', details: { detail: secret.message } }],
  ];
  for (const [title, thrown] of cases) {
    test(title, () => {
      const answer = toProblem(thrown, request);
      expect(answer.status).toBeGreaterThanOrEqual(500);
      expect(answer.body).not.toMatch(/SELECT|home|at .*\.ts/);
    });
  }
});

test('docs/errors.md is made from the table of errors', async () => {
  await expect(errorsPage()).toMatchFileSnapshot('../../docs/errors.md');
});

function problem(thrown: unknown) {
  const { body, ...answer } = toProblem(thrown, request);
  const parsed: unknown = JSON.parse(typeof body === 'string' ? body : '');
  return { ...answer, body: parsed };
}
