// Operations that an OpenAPI document describes, as events of a module: read when a project is loaded, called as `eval` of a resolver.

import type { Unit } from '../../model/declaration.ts';
import { Outgoing } from '../../outgoing.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import type { Span } from '../../source.ts';
import type { Value } from '../../values/value.ts';
import type { Resolver, ResolverSettings } from '../resolver.ts';
import { callOperation, checkRequest } from './call.ts';
import { DocumentFault, parseDocument } from './document.ts';
import { eventUnit } from './events.ts';
import { type OpenapiModule, operationsOf, type RemoteOperation } from './operations.ts';
import { serverOf } from './server.ts';

/** What the configuration says of a document. */
export interface OpenapiEntry {
  /** Of the module. */
  readonly name: string;
  /** A file, relative to the configuration, or an address. */
  readonly spec: string;
  readonly baseUrl?: string;
  /** Whether its names may lead to addresses of the own network. */
  readonly ownNetwork?: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** Seconds. */
  readonly timeout?: number;
  readonly span: Span;
}

export interface OpenapiRead {
  readonly unit: Unit;
  readonly settings: ResolverSettings;
  /** Operations that cannot be called, and why. */
  readonly ignored: readonly string[];
}

/** Throws a `DocumentFault` where nothing can be made of it. */
export async function readOpenapi(entry: OpenapiEntry, text: string): Promise<OpenapiRead> {
  const document = await parseDocument(text);
  const { operations, ignored } = operationsOf(document);
  const { name, headers, timeout, span } = entry;
  const own = entry.ownNetwork === true ? { ownNetwork: true } : {};
  const openapi: OpenapiModule = { baseUrl: serverOf(document, entry).href, ...own, headers, document, operations };
  return {
    unit: eventUnit(name, operations, document, span),
    settings: {
      name: `${name}/openapi`,
      kind: 'openapi',
      types: operations.map((each) => `${name}/${each.name}`),
      openapi,
      ...(timeout === undefined ? {} : { timeout }),
    },
    ignored,
  };
}

export { DocumentFault };

/** The events are `types`, in the order of the operations. */
export function openapiResolver(
  openapi: OpenapiModule | undefined,
  types: readonly string[],
): Pick<Resolver, 'handlers' | 'check' | 'reads' | 'close'> {
  if (openapi === undefined) throw new Error('a resolver of type openapi has no document');
  const { baseUrl, ownNetwork = false, headers, document, operations } = openapi;
  const base = new URL(baseUrl);
  const outgoing = new Outgoing(base, { ownNetwork });
  const system = { base, outgoing, headers, document, patterns: new Map() };
  const byType = new Map(operations.map((each, index) => [types[index] ?? '', each]));
  const operationOf = (type: string): RemoteOperation => {
    const found = byType.get(type);
    if (found === undefined) throw new Error(`${type} is no operation`);
    return found;
  };
  return {
    handlers: { eval: (event, context) => callOperation(system, operationOf(context.type), fieldsOf(event), context) },
    check: (type, event) => checkRequest(operationOf(type), event, system),
    close: async () => outgoing.close(),
    reads: new Set([...byType].flatMap(([type, { method }]) => (method === 'GET' || method === 'HEAD' ? [type] : []))),
  };
}

function fieldsOf(event: Value): { readonly [key: string]: Value } {
  return isObject(event) ? event : {};
}
