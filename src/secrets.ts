// What may be kept of a secret: an argon2id hash. The library is loaded when the first secret comes.

/** Of argon2id, the library's default algorithm. */
export interface HashCost {
  /** KiB. */
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** OWASP's figures: 19 MiB, two passes. */
export const hashCost: HashCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Runs on threads of its own. */
export async function hashSecret(secret: string, cost = hashCost): Promise<string> {
  const { hash } = await import('@node-rs/argon2');
  return hash(secret, cost);
}

export async function verifySecret(hashed: string, secret: string): Promise<boolean> {
  const { verify } = await import('@node-rs/argon2');
  return verify(hashed, secret);
}

/** The same on the thread that calls it, which does nothing else meanwhile. */
export interface HashingHere {
  hash(secret: string, cost: HashCost): string;
  verify(hashed: string, secret: string): boolean;
}

export async function hashingHere(): Promise<HashingHere> {
  const { hashSync, verifySync } = await import('@node-rs/argon2');
  return { hash: (secret, cost) => hashSync(secret, cost), verify: (hashed, secret) => verifySync(hashed, secret) };
}
