// `@profile(email)` on an entity: its instances describe users, each the one whose e-mail it has.

import type { Attribute, Entity } from '../model.ts';

/** The attribute that says whose an instance is; absent where the entity describes no users. */
export function profileOf({ attributes, profile }: Entity): Attribute | undefined {
  return profile === undefined ? undefined : attributes.find((each) => each.name === profile);
}
