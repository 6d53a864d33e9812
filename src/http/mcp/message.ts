// What a body must be before the library sees it: messages of the protocol. The library takes every other JSON for text that cannot be read.

import { ErrorCode, JSONRPCMessageSchema, type RequestId, RequestIdSchema } from '@modelcontextprotocol/sdk/types.js';
import { error, isError } from '../../errors.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import type { JsonLimits } from '../../values/json/reader.ts';
import type { Value } from '../../values/value.ts';
import type { HttpRequest, HttpResponse } from '../exchange.ts';
import { readBody } from '../media/media.ts';

const mostTogether = 10;

/** An error of the protocol: nothing of the body is done. */
interface Refusal {
  readonly id: RequestId | null;
  readonly code: number;
  readonly message: string;
}

/** A message, or several as an array. */
export function readMessages(request: HttpRequest, limits: JsonLimits): { readonly body: Value } | Refusal {
  try {
    const body = readBody(request, limits);
    if (body === undefined) return { id: null, code: ErrorCode.ParseError, message: 'There is no body.' };
    return (isList(body) ? batchFault(body) : faultOf(body)) ?? { body };
  } catch (thrown) {
    if (!isError(thrown, 'body-unreadable')) throw thrown;
    return { id: null, code: ErrorCode.ParseError, message: thrown.message };
  }
}

export function refusalResponse({ id, code, message }: Refusal): HttpResponse {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  return { status: 400, headers, body: JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }) };
}

function batchFault(messages: readonly Value[]): Refusal | undefined {
  if (messages.length === 0) return invalid(null, 'There must be at least one message.');
  if (messages.length > mostTogether) throw error('limit-exceeded', { detail: `At most ${mostTogether} messages come together.` });
  const fault = messages.map(faultOf).find((each) => each !== undefined);
  if (fault !== undefined) return { ...fault, id: null };
  const ids = messages.flatMap((each) => (isObject(each) && 'method' in each && 'id' in each ? [each['id']] : []));
  // The library answers one of them.
  return new Set(ids).size < ids.length ? invalid(null, 'Two of the requests have the same id.') : undefined;
}

function faultOf(message: Value): Refusal | undefined {
  if (JSONRPCMessageSchema.safeParse(message).success) return undefined;
  if (!isObject(message)) return invalid(null, 'A message is an object.');
  const id = RequestIdSchema.safeParse(message['id']).data ?? null;
  const { params = null, ...envelope } = message;
  const isEnvelope = isObject(params) && JSONRPCMessageSchema.safeParse(envelope).success;
  return isEnvelope ? { id, code: ErrorCode.InvalidParams, message: 'The parameters do not fit.' } : invalid(id, noMessage);
}

const noMessage = 'This is no request, notification or answer of the protocol.';

function invalid(id: RequestId | null, message: string): Refusal {
  return { id, code: ErrorCode.InvalidRequest, message };
}

function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}
