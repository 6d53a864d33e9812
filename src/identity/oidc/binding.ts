// What binds a sign-in to the browser that began it: a text that only the service can make, which the browser brings back. Nothing is kept here meanwhile,
// so any instance can go on with it.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import { parseJson } from '../../values/json/json.ts';
import type { KeyRing } from '../keys.ts';
import type { Proof } from './client.ts';

export interface Begun {
  readonly provider: string;
  /** Where the browser is sent in the end. */
  readonly redirect: string;
  /** SHA-256 of what the code is exchanged with. */
  readonly challenge: string;
}

/** Seconds from the beginning to the return of the browser. */
export const bindingLifetime = 600;
const longest = 4096;
const limits = { depth: 2, keys: 10, items: 1, bytes: longest };

export class Bindings {
  readonly #keys: KeyRing;
  readonly #clock: Clock;

  constructor(keys: KeyRing, clock: Clock) {
    [this.#keys, this.#clock] = [keys, clock];
  }

  make({ provider, redirect, challenge }: Begun): { readonly binding: string; readonly proof: Proof } {
    const id = randomBytes(32).toString('base64url');
    const expires = this.#clock.now().getTime() + bindingLifetime * 1000;
    const content = Buffer.from(JSON.stringify({ id, provider, redirect, challenge, expires })).toString('base64url');
    return { binding: `${content}.${this.#keys.derive(`sign-in ${content}`)}`, proof: this.#proof(id) };
  }

  /** What was begun with it, where it was made here and is not too old. */
  read(binding: string): { readonly begun: Begun; readonly proof: Proof } | undefined {
    const [content = '', signature = ''] = binding.length > longest ? [] : binding.split('.');
    if (!isSame(signature, this.#keys.derive(`sign-in ${content}`))) return undefined;
    const value = parseJson(Buffer.from(content, 'base64url').toString(), limits);
    if (!isObject(value) || Number(value['expires']) <= this.#clock.now().getTime()) return undefined;
    const [provider, redirect, challenge] = [String(value['provider']), String(value['redirect']), String(value['challenge'])];
    return { begun: { provider, redirect, challenge }, proof: this.#proof(String(value['id'])) };
  }

  /** Follows from the text that the browser has, and says nothing about it. */
  #proof(id: string): Proof {
    const [state, nonce, verifier] = ['state', 'nonce', 'verifier'].map((each) => this.#keys.derive(`sign-in ${each} ${id}`));
    return { state: state ?? '', nonce: nonce ?? '', verifier: verifier ?? '' };
  }
}

export function isSame(one: string, other: string): boolean {
  return timingSafeEqual(digestOf(one), digestOf(other));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
