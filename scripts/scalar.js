// The API reference page's script, taken out of its package: the package carries it inside a plugin of a server that is not ours.

import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/** Compressed, as it is kept and, to every browser there is, sent. */
export async function scalarScript() {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const routes = [];
  const server = { hasPlugin: () => false, log: { warn() {} }, route: (route) => routes.push(route) };
  plugin(server, { routePrefix: '/docs', configuration: { url: '/openapi.json' } }, () => {});
  const sent = [];
  const reply = { header: () => reply, send: (text) => sent.push(text) };
  routes.find((route) => route.url.endsWith('.js')).handler({}, reply);
  // The map that its last line points at is not served.
  return gzipSync(sent[0].replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'), { level: 9 });
}

export function scalarLicense() {
  return readFileSync(new URL('../node_modules/@scalar/fastify-api-reference/LICENSE', import.meta.url));
}
