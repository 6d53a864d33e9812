// `/console`: one page at every address below it, and the files that it loads. Nothing of it is read before the first visit.

import { error } from '../../errors.ts';
import type { Endpoint } from '../endpoint.ts';
import type { HttpRequest, HttpResponse } from '../exchange.ts';
import type { Coding, Pack } from './pack.ts';
import type { ConsoleSettings } from './page.ts';

const path = '/console';
const assets = '/console/assets/';
const methods = ['GET', 'HEAD', 'OPTIONS'];

/** Open to everybody: what it shows comes from the API, under the rights of who has signed in. */
export function consoleEndpoint(settings: ConsoleSettings): Endpoint {
  let opened: Promise<Opened> | undefined;
  return {
    open: true,
    matches: (request) => request.path === path || request.path.startsWith(`${path}/`),
    async respond(request) {
      if (request.method === 'OPTIONS') return { status: 204, headers: { allow: methods.join(', ') }, body: undefined };
      if (!methods.includes(request.method)) throw error('method-not-allowed', { allow: methods });
      opened ??= open(settings).catch((thrown: unknown) => {
        opened = undefined;
        throw thrown;
      });
      const { pack, page } = await opened;
      return request.path.startsWith(assets) ? assetAnswer(request, pack) : page;
    },
  };
}

interface Opened {
  readonly pack: Pack;
  readonly page: HttpResponse;
}

async function open(settings: ConsoleSettings): Promise<Opened> {
  const [{ openPack }, { readConsolePack }, { pageHeaders, pageText }] = await Promise.all([
    import('./pack.ts'),
    import('./files.ts'),
    import('./page.ts'),
  ]);
  const bytes = await readConsolePack();
  if (bytes === undefined) throw error('path-unknown', { detail: 'The files of the console are not installed.' });
  const pack = openPack(bytes);
  return { pack, page: { status: 200, headers: pageHeaders, body: pageText(settings, pack) } };
}

/** The names of files hold a digest of what is in them. */
const forever = 'public, max-age=31536000, immutable';

async function assetAnswer(request: HttpRequest, pack: Pack): Promise<HttpResponse> {
  const file = pack.file(request.path.slice(assets.length));
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
