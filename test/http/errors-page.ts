// The page of errors, docs/errors.md, made from the table of codes.

import { type ErrorCode, errorCodes } from '../../src/errors.ts';
import { statusOf } from '../../src/http/problem.ts';

export function errorsPage(): string {
  const codes: readonly ErrorCode[] = Object.keys(errorCodes).filter(isCode);
  const sorted = codes.toSorted((one, other) => statusOf[one] - statusOf[other]);
  return `${introduction}${sorted.map((code) => `| ${statusOf[code]} | \`${code}\` | ${errorCodes[code]} |\n`).join('')}${remarks}`;
}

const introduction = `# Errors

This page is made from the table in the code; the tests keep it true.

A request that fails is answered with \`application/problem+json\` (RFC 9457):

\`\`\`json
{
  "type": "urn:platform:error:attributes-invalid",
  "title": "Some attributes do not fit.",
  "status": 422,
  "detail": "Some attributes do not fit.",
  "instance": "/blog/Post",
  "code": "attributes-invalid",
  "errors": [{ "attribute": "title", "code": "required", "message": "is required" }]
}
\`\`\`

\`title\` is the same for every error of one \`code\`; \`detail\` says what it is this time. \`errors\` lists every attribute or query
parameter that does not fit; of more than 100, the first 100, and \`errorCount\` says how many they are (after 10,000 nothing more is looked at). \`pattern\` says which step of a workflow failed, such as \`create shop/Order\` (of a 403, only where \`explanation\` says why). The header \`X-Request-Id\` of every answer names the request in the log.

| Status | \`code\` | Meaning |
|---|---|---|
`;

const remarks = `
- 405 carries \`Allow\` with the methods that the path takes.
- 429, and 409 and 503 where waiting helps, carry \`Retry-After\` in seconds.
- 408, 413 and the answer to what is not HTTP at all close the connection.
- 500 \`internal\` is a fault of the service itself, 500 \`function-failed\` one of a function of the application; the cause is in the log, under the request's id, and
  never in the answer.
`;

function isCode(name: string): name is ErrorCode {
  return name in errorCodes;
}
