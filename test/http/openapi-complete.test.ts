// The description is complete: each operation that it has is called in each of its media types and statuses, and the service answers nothing else.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenApiDocument } from '../../src/http/openapi/openapi.ts';
import { type OidcPeer, oidcPeer } from '../identity/peers/oidc.ts';
import { sampled } from '../support/form.ts';
import { at, call, resolved } from './openapi-client.ts';
import { serveDesk, url } from './openapi-desk.ts';
import { isIdentity, performIdentity } from './openapi-identity.ts';
import { identityJourney, prepare, special } from './openapi-journeys.ts';
import { perform } from './openapi-perform.ts';
import { undescribed } from './openapi-routes.ts';
import { unfitting, unlikeWritten } from './openapi-shown.ts';
import { startWalk, type Walk } from './openapi-walk.ts';

let peer: OidcPeer;
beforeAll(async () => {
  peer = await oidcPeer([`${url}/auth/callback`]);
});
afterAll(() => peer.close());

const [user, earlierUser] = ['platform.auth.User', 'Platform.Kernel.Identity.User'];
const references = { assignee: user, user, Assignee: earlierUser, User: earlierUser };

const rows: readonly [title: string, surfaces: readonly ('current' | 'earlier')[], secured: boolean][] = [
  ['both surfaces, with everything on', ['current', 'earlier'], true],
  ['the earlier surface alone, with everything on', ['earlier'], true],
  ['both surfaces, without users', ['current', 'earlier'], false],
];

/** What is answered and not described, with the reason. */
const leftOut: readonly (readonly [path: RegExp, reason: string])[] = [
  [/^GET \/openapi\.json /, 'the description itself'],
  [/^GET \/docs(\/(scalar|login)\.js)? /, 'a page for people, which shows it'],
  [/^GET \/console(\/| )/, 'a page for people'],
  [/^POST (\/api)?\/desk\/Page 4(00|22)$/, 'refused with the reason: what is contained is created under its parent'],
];

const methods = ['get', 'put', 'post', 'patch', 'delete'] as const;

/** The first has all that there is; of the others the short form takes one. */
const drawn = [...rows.slice(0, 1), ...sampled(rows.slice(1), 2)];

describe.each(drawn)('a service on %s', (_, surfaces, secured) => {
  // More than five seconds: a description is complete only where all of it was called, on each path that the service might have.
  test('answers each documented operation in each documented media type and status, as in its examples, and nothing else', async () => {
    const desk = await serveDesk(surfaces, secured ? peer : undefined);
    const document = await documentOf(desk.app);
    const walk = startWalk(desk.app, document, { references, opensAll: true });
    await prepare(walk, desk);
    for (const surface of secured ? surfaces : []) await identityJourney(walk, desk, peer, surface);
    for (const [template, method] of operationsOf(document)) {
      const [, performSpecial] = special.find(([path]) => path.test(template)) ?? [];
      if (performSpecial !== undefined) await performSpecial(walk, desk, template, method);
      else if (!isIdentity(walk, template, method)) await perform(walk, template, method);
      else if (template === '/platform.auth/confirm') await performIdentity(walk, template, method);
    }
    expect(described(document).filter((each) => !walk.answered.has(each))).toEqual([]);
    expect([...unfitting(walk), ...(await unlikeWritten(walk))]).toEqual([]);
    const others = await undescribed(walk);
    expect(others.filter((each) => !leftOut.some(([path]) => path.test(each)))).toEqual([]);
    expect(leftOut.filter(([path]) => !others.some((each) => path.test(each)))).toEqual([]);
  });
});

async function documentOf(app: Walk['app']): Promise<OpenApiDocument> {
  return Object((await call(app, 'GET', '/openapi.json')).body);
}

function operationsOf(document: OpenApiDocument): readonly (readonly [template: string, method: string])[] {
  return Object.entries(document.paths).flatMap(([template, item]) =>
    methods.filter((method) => method in item).map((method) => [template, method] as const),
  );
}

/** Each kind of answer that is not a failure: `get /blog/Post 200 application/json`; without a body, it ends with the status. */
function described(document: OpenApiDocument): readonly string[] {
  return operationsOf(document).flatMap(([template, method]) =>
    Object.entries(at(document, 'paths', template, method, 'responses'))
      .filter(([status]) => Number(status) < 400)
      .flatMap(([status, response]) => {
        const types = Object.keys(at(resolved(document, response), 'content'));
        return (types.length === 0 ? [''] : types).map((type) => `${method} ${template} ${status} ${type}`);
      }),
  );
}
