// What is said between the service and its thread that hashes.

import type { HashCost } from '../../../secrets.ts';

export type HashWork =
  | { readonly kind: 'hash'; readonly secret: string; readonly cost: HashCost }
  | { readonly kind: 'verify'; readonly hash: string; readonly secret: string };

export type HashAnswer =
  | { readonly kind: 'hashed'; readonly hash: string }
  | { readonly kind: 'verified'; readonly isSame: boolean }
  | { readonly kind: 'failed'; readonly message: string };
