// `/console`, one page at every address below it, and the page for people at `/graphql`, with the files that they load. Nothing of it is read before the first visit.

import { error } from '../../errors.ts';
import type { Endpoint } from '../endpoint.ts';
import type { HttpRequest, HttpResponse } from '../exchange.ts';
import { preferred } from '../media/media.ts';
import type { PageName } from './files.ts';
import type { Coding, Pack } from './pack.ts';
import type { ConsoleSettings } from './page.ts';

const methods = ['GET', 'HEAD', 'OPTIONS'];

export function consoleEndpoint(settings: ConsoleSettings): Endpoint {
  return pageEndpoint('console', settings, ({ path }) => path === '/console' || path.startsWith('/console/'));
}

/** Before the endpoint of GraphQL: it takes what a browser sends that shows a page, and leaves everything else. */
export function graphqlPageEndpoint(settings: ConsoleSettings): Endpoint {
  return pageEndpoint(
    'graphql',
    settings,
    (request) =>
      request.path.startsWith('/graphql/assets/') ||
      ((request.path === '/graphql' || request.path === '/graphql/') && ['GET', 'HEAD'].includes(request.method) && wantsPage(request)),
  );
}

const html = 'text/html';

function wantsPage({ headers: { accept } }: HttpRequest): boolean {
  return (
    typeof accept === 'string' &&
    preferred(accept, [html, 'application/graphql-response+json', 'application/json', 'text/event-stream']) === html
  );
}

/** Open to everybody: what it shows comes from the API, under the rights of who has signed in. */
function pageEndpoint(page: PageName, settings: ConsoleSettings, matches: (request: HttpRequest) => boolean): Endpoint {
  const assets = `/${page}/assets/`;
  let opened: Promise<Opened> | undefined;
  return {
    open: true,
    matches,
    async respond(request) {
      if (request.method === 'OPTIONS') return { status: 204, headers: { allow: methods.join(', ') }, body: undefined };
      if (!methods.includes(request.method)) throw error('method-not-allowed', { allow: methods });
      opened ??= open(page, settings).catch((thrown: unknown) => {
        opened = undefined;
        throw thrown;
      });
      const { pack, answer } = await opened;
      return request.path.startsWith(assets) ? assetAnswer(request, request.path.slice(assets.length), pack) : answer;
    },
  };
}

interface Opened {
  readonly pack: Pack;
  readonly answer: HttpResponse;
}

async function open(page: PageName, settings: ConsoleSettings): Promise<Opened> {
  const [{ openPack }, { readPack }, { pageHeaders, pageText }] = await Promise.all([
    import('./pack.ts'),
    import('./files.ts'),
    import('./page.ts'),
  ]);
  const bytes = await readPack(page);
  if (bytes === undefined) throw error('path-unknown', { detail: 'The files of this page are not installed.' });
  const pack = openPack(bytes);
  const headers = page === 'graphql' ? { ...pageHeaders, vary: 'Accept' } : pageHeaders;
  return { pack, answer: { status: 200, headers, body: pageText(page, settings, pack) } };
}

/** The names of files hold a digest of what is in them. */
const forever = 'public, max-age=31536000, immutable';

async function assetAnswer(request: HttpRequest, name: string, pack: Pack): Promise<HttpResponse> {
  const file = pack.file(name);
  if (file === undefined) throw error('path-unknown');
  const coding = codingFor(request);
  const body = await file.content(coding);
  const headers = { 'content-type': file.type, 'cache-control': forever, vary: 'accept-encoding' };
  return { status: 200, headers: coding === 'identity' ? headers : { ...headers, 'content-encoding': coding }, body };
}

function codingFor({ headers }: HttpRequest): Coding {
  const accepted = String(headers['accept-encoding'] ?? '')
    .split(',')
    .filter((each) => !/;\s*q=0(\.0*)?\s*$/.test(each))
    .map((each) => each.split(';')[0]?.trim().toLowerCase());
  return (['br', 'gzip'] as const).find((each) => accepted.includes(each)) ?? 'identity';
}
