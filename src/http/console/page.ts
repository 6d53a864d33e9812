// The page of the console, and that at `/graphql`: which files it loads, and what of the service it has to know before anybody has signed in.

import type { PageName } from './files.ts';
import type { Pack } from './pack.ts';

export interface ConsoleSettings {
  /** Of the application. */
  readonly name: string;
  readonly surface: 'current' | 'earlier';
  readonly authentication: boolean;
  /** Services that users sign in at besides. */
  readonly providers: readonly string[];
}

/** Everything comes from this service: no script but its own files, no style written into the page, no evaluated text. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-cache',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
};

export function pageText(page: PageName, settings: ConsoleSettings, { script, style }: Pick<Pack, 'script' | 'style'>): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="platform" content="${escaped(JSON.stringify(settings))}">
    <title>${escaped(settings.name)}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/${page}/assets/${style}">
    <script type="module" src="/${page}/assets/${script}"></script>
  </head>
  <body>
    <div id="root"></div>
    <noscript>This page needs JavaScript. The API is described at <a href="/openapi.json">/openapi.json</a>.</noscript>
  </body>
</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
