// The cases in the form of the earlier surface: the same operations under `/api`, with keyed bodies.

import { type Case, cases } from './cases.ts';

export const earlierCases: readonly Case[] = cases.map((each) => ({
  ...each,
  status: 200,
  requests: (ids) => each.requests(ids).map(keyed),
}));

function keyed(request: string): string {
  const [head = '', body = ''] = request.split('\r\n\r\n');
  const moved = head.replace(' /bench/', ' /api/bench/');
  if (body === '') return `${moved}\r\n\r\n`;
  const type = head.includes('/Comment ') ? 'bench/Comment' : 'bench/Note';
  const text = `{"${type}":${body}}`;
  return `${moved.replace(/content-length: \d+/, `content-length: ${Buffer.byteLength(text)}`)}\r\n\r\n${text}`;
}
