// The tokens of a session that was opened here.

import type { TokenSet } from '../provider.ts';
import type { OpenSession } from '../sessions.ts';
import { lifetime, type Tokens } from './tokens.ts';

export async function tokenSetOf({ id, email, refreshToken }: OpenSession, name: string | undefined, tokens: Tokens): Promise<TokenSet> {
  return {
    idToken: await tokens.sign('id', id, email, name === undefined ? {} : { name }),
    accessToken: await tokens.sign('access', id, email),
    refreshToken,
    expiresIn: lifetime,
  };
}
