// Stands in for the argon2 package in a built application: read in with the first secret, its native part comes from the file.

import { loadNative } from './native.ts';

interface Argon2 {
  hash(secret: string, options: object): Promise<string>;
  verify(hashed: string, secret: string): Promise<boolean>;
  hashSync(secret: string, options: object): string;
  verifySync(hashed: string, secret: string): boolean;
}

export const { hash, verify, hashSync, verifySync } = argon2(loadNative(__filename, 'argon2'));

function argon2(native: unknown): Argon2 {
  if (!isArgon2(native)) throw new Error('the native part of argon2 lacks a function');
  return native;
}

function isArgon2(native: unknown): native is Argon2 {
  const names = ['hash', 'verify', 'hashSync', 'verifySync'];
  return typeof native === 'object' && native !== null && names.every((name) => typeof Reflect.get(native, name) === 'function');
}
