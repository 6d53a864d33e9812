// What is said between the service and its thread that hashes.

export type HashWork =
  | { readonly kind: 'hash'; readonly secret: string }
  | { readonly kind: 'verify'; readonly hash: string; readonly secret: string };

export type HashAnswer =
  | { readonly kind: 'hashed'; readonly hash: string }
  | { readonly kind: 'verified'; readonly isSame: boolean }
  | { readonly kind: 'failed'; readonly message: string };
