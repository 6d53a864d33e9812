// Where the operations of a document are asked: at the address of the configuration, else at the first server of the document.

import { isOwnNetwork } from '../../outgoing.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import type { Value } from '../../values/value.ts';
import { DocumentFault } from './document.ts';

/**
 * A document does not lead the service, and the headers of its configuration, to a host that nobody wrote down: one that was fetched names
 * its own host, and an address of the machine's own network is written as `baseUrl`.
 */
export function serverOf(document: Value, { spec, baseUrl }: { readonly spec: string; readonly baseUrl?: string }): URL {
  if (baseUrl !== undefined) return new URL(baseUrl);
  const origin = /^https?:\/\//i.test(spec) ? new URL(spec) : undefined;
  const written = firstServer(document);
  if (written === undefined || !URL.canParse(written, origin?.href)) throw new DocumentFault('names no server; give baseUrl beside it');
  const url = new URL(written, origin);
  if (!/^https?:$/.test(url.protocol))
    throw new DocumentFault(`names the server ${url.origin}, which is none of HTTP; give baseUrl beside it`);
  if (origin !== undefined && url.hostname !== origin.hostname)
    throw new DocumentFault(`names a server on another host (${url.origin}); give baseUrl beside it, where that is meant`);
  if (origin?.protocol === 'https:' && url.protocol === 'http:')
    throw new DocumentFault(
      `names a server without encryption (${url.origin}), and was read with it; give baseUrl beside it, where that is meant`,
    );
  if (origin === undefined && isOwnNetwork(url.hostname))
    throw new DocumentFault(`names a server of the own network (${url.origin}); give baseUrl beside it, where that is meant`);
  return url;
}

function firstServer(document: Value): string | undefined {
  const servers = isObject(document) ? document['servers'] : undefined;
  const server = Array.isArray(servers) ? servers[0] : undefined;
  if (!isObject(server) || typeof server['url'] !== 'string') return undefined;
  const variables = isObject(server['variables']) ? server['variables'] : {};
  return server['url'].replaceAll(/\{([^}]*)\}/g, (_, name: string) => {
    const variable = variables[name];
    return isObject(variable) ? String(variable['default'] ?? '') : '';
  });
}
