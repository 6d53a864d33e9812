// `/openapi.json` and `/docs`: made at the first request for them, then kept. Nothing of either is loaded before.

import type { Plan } from '../../plan/plan.ts';
import type { HttpRequest, HttpResponse } from '../exchange.ts';
import type { EarlierOptions } from '../rest/earlier/earlier.ts';
import type { SystemAnswer, SystemParts } from '../system.ts';
import type { DocumentBytes } from './document-bytes.ts';
import type { Described } from './openapi.ts';

export interface Exposed {
  readonly docs: boolean;
  readonly openapi: boolean;
  readonly metrics: boolean;
}

/** Which surfaces a document is about. */
export function surfacesOf({ surfaces, envelope }: Served): Pick<Described, 'current' | 'earlier' | 'own'> {
  return {
    current: surfaces.includes('current'),
    earlier: surfaces.includes('earlier') ? envelope : undefined,
    own: surfaces[0] ?? 'current',
  };
}

/** What a document says of users. */
export function identityOf(
  auth: { readonly providers: readonly { readonly name: string }[] } | undefined,
): Pick<Described, 'auth' | 'providers'> {
  return { auth: auth !== undefined, providers: auth?.providers.map((each) => each.name) ?? [] };
}

interface Served extends EarlierOptions {
  readonly surfaces: readonly ('current' | 'earlier')[];
}

/** The page shows the document: without the one there is no other. */
export function openapiAnswers(plan: Plan, described: Described, expose: Exposed): Pick<SystemParts, 'pages' | 'descriptions'> {
  if (!expose.openapi) return { pages: new Map(), descriptions: new Map() };
  const document = cached(async () => {
    const { documentBytes } = await import('./document-bytes.ts');
    // Bytes, which all answers share: of a text each connection would hold a copy until it is read.
    return documentBytes(plan, { ...described, metrics: expose.metrics });
  });
  const descriptions = new Map<string, SystemAnswer>([['/openapi.json', async (request) => documentAnswer(await document(), request)]]);
  if (!expose.docs) return { pages: new Map(), descriptions };
  const docs = cached(async () => {
    const [{ docsPage }, { readDocsScript }] = await Promise.all([import('./docs/page.ts'), import('./docs/script.ts')]);
    return docsPage(described.name, await readDocsScript(), described.auth === true ? loginSurface(described) : undefined);
  });
  const pages = new Map<string, SystemAnswer>([
    ['/docs', async () => (await docs()).page()],
    ['/docs/scalar.js', async (request) => (await docs()).script(request)],
  ]);
  if (described.auth === true) pages.set('/docs/login.js', async () => (await docs()).login());
  return { pages, descriptions };
}

function loginSurface({ current = true }: Described): 'current' | 'earlier' {
  return current ? 'current' : 'earlier';
}

function documentAnswer({ body, etag }: DocumentBytes, { headers }: HttpRequest): HttpResponse {
  const known = String(headers['if-none-match'] ?? '').split(',');
  if (known.some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')))) return { status: 304, headers: { etag }, body: undefined };
  return { status: 200, headers: { 'content-type': 'application/json', etag }, body };
}

/** What `make` gives, made once; a failure is not kept. */
function cached<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((thrown: unknown) => {
      made = undefined;
      throw thrown;
    });
    return made;
  };
}
