// Reads the key and the certificate that TLS needs.

import { readFileSync } from 'node:fs';

export function readPem(files: { readonly key: string; readonly cert: string }): { readonly key: Buffer; readonly cert: Buffer } {
  return { key: readFileSync(files.key), cert: readFileSync(files.cert) };
}
