// `/docs`: the API reference page. Everything it needs comes from this service; nothing is asked of anybody else.

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { HttpRequest, HttpResponse } from '../../exchange.ts';
import { loginForm, loginScript, loginStyle } from './login.ts';

export interface DocsPage {
  page(): HttpResponse;
  script(request: HttpRequest): HttpResponse | Promise<HttpResponse>;
  /** What logs in, where that is asked for. */
  login(): HttpResponse;
}

/** `script` is compressed with gzip; `login` is the surface that readers log in on, where they have to. */
export function docsPage(name: string, script: Buffer, login: 'current' | 'earlier' | undefined): DocsPage {
  const version = createHash('sha256').update(script).digest('hex').slice(0, 16);
  const body = html(name, `/docs/scalar.js?v=${version}`, login !== undefined);
  const javascript = { 'content-type': 'text/javascript; charset=utf-8' };
  let unpacked: Promise<Buffer> | undefined;
  return {
    page: () => ({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8', ...pageHeaders }, body }),
    script(request) {
      const compressed = acceptsGzip(request);
      const headers = { ...javascript, 'cache-control': forever, vary: 'accept-encoding' };
      if (compressed) return { status: 200, headers: { ...headers, 'content-encoding': 'gzip' }, body: script };
      // Once, and where nobody waits for it.
      unpacked ??= promisify(gunzip)(script);
      return unpacked.then((bytes) => ({ status: 200, headers, body: bytes }));
    },
    login: () => ({
      status: 200,
      headers: { ...javascript, 'cache-control': 'no-cache' },
      body: loginScript(login ?? 'current', configuration),
    }),
  };
}

/** The address of the script names its version. */
const forever = 'public, max-age=31536000, immutable';

const pageHeaders = {
  // The script writes style elements; it loads nothing but itself, and talks to nobody but this service.
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
};

/** Whatever of it would talk to its makers is switched off; the policy above would stop it besides. */
const configuration = {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  persistAuth: false,
  theme: 'default',
  documentDownloadType: 'json',
};

function html(name: string, script: string, asks: boolean): string {
  const reference = `<script id="api-reference" data-url="${configuration.url}" data-configuration="${escaped(JSON.stringify(configuration))}"></script>`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escaped(name)}</title>
    <link rel="icon" href="data:,">${asks ? `\n    <style>${loginStyle}</style>` : ''}
  </head>
  <body>
    <noscript>This page needs JavaScript. The description of the API is at <a href="/openapi.json">/openapi.json</a>.</noscript>
    ${asks ? loginForm : reference}
    <script src="${escaped(script)}"></script>${asks ? '\n    <script src="/docs/login.js"></script>' : ''}
  </body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function acceptsGzip({ headers }: HttpRequest): boolean {
  const accepted = String(headers['accept-encoding'] ?? '').split(',');
  return accepted.some((each) => /^\s*(gzip|\*)\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(each));
}
