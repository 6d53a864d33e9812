// What may be kept of a secret: an argon2id hash. The library is loaded when the first secret comes.

/** OWASP's figures for argon2id: 19 MiB, two passes. Runs on threads of its own. */
export async function hashSecret(secret: string): Promise<string> {
  const { hash } = await import('@node-rs/argon2');
  // argon2id is the library's default algorithm.
  return hash(secret, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
}

export async function verifySecret(hashed: string, secret: string): Promise<boolean> {
  const { verify } = await import('@node-rs/argon2');
  return verify(hashed, secret);
}
