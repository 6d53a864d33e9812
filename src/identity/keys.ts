// Keys of the service: those that tokens are signed with, which are replaced now and then, and the secret that others are derived from.

import { createHmac, randomBytes } from 'node:crypto';
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import type { Clock } from '../clock.ts';
import type { Columns, OwnTable } from '../engine/own-table.ts';
import { isError } from '../errors.ts';
import type { Store, Writer } from '../store/store.ts';

export interface SigningKey {
  readonly id: string;
  readonly private: CryptoKey;
  readonly public: CryptoKey;
  readonly publicJwk: JWK;
}

export const algorithm = 'EdDSA';
/** Milliseconds that a replaced key still verifies: longer than any token lives. */
const afterlife = 60 * 60 * 1000;
/** Milliseconds after which it is looked whether another instance has replaced the key. */
const freshness = 60_000;
const secretId = 'secret';

/** The keys of all instances, which are in the store. */
export class KeyRing {
  readonly #store: Store;
  readonly #table: OwnTable;
  readonly #clock: Clock;
  #keys: readonly SigningKey[] = [];
  #secret = Buffer.alloc(0);
  #readAt = 0;

  constructor(store: Store, table: OwnTable, clock: Clock) {
    [this.#store, this.#table, this.#clock] = [store, table, clock];
  }

  /** Makes what is missing, once for all instances, and reads it. */
  async open(): Promise<void> {
    await this.#read();
    if (this.#secret.length > 0 && this.#keys.length > 0) return;
    const key = await newKey(this.#now());
    await this.#insertFirst({ id: secretId, purpose: 'secret', secret: randomBytes(32).toString('base64url'), created: this.#now() });
    // Two instances that start at once may both make one: either verifies what both sign.
    if (this.#keys.length === 0) await this.#insertFirst(key);
    await this.#read();
  }

  /** The newest, which signs. */
  async current(): Promise<SigningKey> {
    if (this.#now() - this.#readAt > freshness) await this.#read();
    const [newest] = this.#keys;
    if (newest === undefined) throw new Error('there is no key to sign with');
    return newest;
  }

  /** Any that still verifies; one that is not known here may have been made by another instance since. */
  async find(id: string): Promise<SigningKey | undefined> {
    const known = this.#keys.find((each) => each.id === id);
    if (known !== undefined || this.#now() - this.#readAt < 1000) return known;
    await this.#read();
    return this.#keys.find((each) => each.id === id);
  }

  async jwks(): Promise<{ readonly keys: readonly JWK[] }> {
    await this.current();
    return { keys: this.#keys.map((each) => each.publicJwk) };
  }

  /** What only the service can make of a text. */
  derive(text: string): string {
    return createHmac('sha256', this.#secret).update(text).digest('base64url');
  }

  /** A new key signs from now on; the others verify until what they signed has expired. */
  async rotate(): Promise<string> {
    const key = await newKey(this.#now());
    await this.#store.write(async (tx) => {
      for (const each of await this.#table.all(tx, { purpose: 'sign' }))
        if (each['retired'] === null) await this.#table.update(tx, { id: each['id'] ?? null }, { retired: this.#now() });
      await this.#table.insert(tx, key);
    });
    await this.#read();
    return String(key['id']);
  }

  async #insertFirst(columns: Columns): Promise<void> {
    try {
      await this.#store.write((tx: Writer) => this.#table.insert(tx, columns));
    } catch (thrown) {
      // Another instance was faster: what it made is taken.
      if (!isError(thrown, 'duplicate')) throw thrown;
    }
  }

  async #read(): Promise<void> {
    const rows = await this.#store.read((tx) =>
      Promise.all([this.#table.find(tx, { id: secretId }), this.#table.all(tx, { purpose: 'sign' })]),
    );
    const [secret, signing] = rows;
    if (secret !== undefined) this.#secret = Buffer.from(String(secret['secret']), 'base64url');
    const alive = signing.filter(({ retired }) => retired === null || Number(retired) > this.#now() - afterlife);
    const newestFirst = alive.toSorted((one, other) => Number(other['created']) - Number(one['created']));
    this.#keys = await Promise.all(newestFirst.map((each) => this.#keys.find(({ id }) => id === each['id']) ?? signingKey(each)));
    this.#readAt = this.#now();
  }

  #now(): number {
    return this.#clock.now().getTime();
  }
}

async function newKey(created: number): Promise<Columns> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = await exportJWK(privateKey);
  return { id: await calculateJwkThumbprint(jwk), purpose: 'sign', secret: JSON.stringify(jwk), created };
}

async function signingKey({ id, secret }: Columns): Promise<SigningKey> {
  const jwk: JWK = JSON.parse(String(secret));
  const { d: _, ...open } = jwk;
  const publicJwk: JWK = { ...open, kid: String(id), alg: algorithm, use: 'sig' };
  const [own, known] = await Promise.all([importJWK(jwk, algorithm), importJWK(publicJwk, algorithm)]);
  if (own instanceof Uint8Array || known instanceof Uint8Array) throw new Error('a key that signs is no secret');
  return { id: String(id), private: own, public: known, publicJwk };
}
