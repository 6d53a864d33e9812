// The tags of a document: one for each entity and relationship that has paths, one for the events of each module, grouped by module.

import { describeRow } from '../../plan/description/description.ts';
import { tagOf } from './operations.ts';
import type { PathEntry } from './paths.ts';

export interface Tag {
  readonly name: string;
  /** What viewers show in place of the qualified name. */
  readonly 'x-displayName'?: string;
  readonly description: string;
}

export interface TagGroup {
  readonly name: string;
  readonly tags: readonly string[];
}

export function tagsOf(places: readonly PathEntry[]): { readonly tags: readonly Tag[]; readonly groups: readonly TagGroup[] } {
  const tags = new Map<string, Tag>();
  for (const place of places) {
    const name = tagOf(place);
    if (!tags.has(name)) tags.set(name, tagAt(place, name));
  }
  const modules = new Set(places.map((each) => each.module));
  const groups = [...modules].map((module) => ({
    name: module,
    tags: [...tags.keys()].filter((name) => name === module || name.startsWith(`${module}/`)),
  }));
  return { tags: groups.flatMap((group) => group.tags.flatMap((name) => tags.get(name) ?? [])), groups };
}

function tagAt(place: PathEntry, name: string): Tag {
  if (place.kind === 'call') return { name, 'x-displayName': 'Events', description: `The events of \`${place.module}\`.` };
  const { plan } = place;
  const kind = plan.kind === 'entity' ? `The entity \`${plan.type}\`.` : `The relationship \`${plan.type}\`: links as rows of their own.`;
  return { name, 'x-displayName': plan.local, description: describeRow(plan).documentation ?? kind };
}
