// The shared parts of an OpenAPI document: each is made once, when something refers to it for the first time.

import type { JsonSchema } from '../../model/types/attribute-type.ts';

export type Section = 'schemas' | 'parameters' | 'headers' | 'responses';

export interface Reference {
  readonly $ref: string;
}

export interface Components {
  /** A reference to the part of this name; `make` is called once, later, so that parts may refer to each other in circles. */
  use(section: Section, name: string, make: () => JsonSchema): Reference;
  /** Everything that was referred to. */
  all(): Readonly<Record<Section, Readonly<Record<string, JsonSchema>>>>;
}

export function createComponents(): Components {
  const made = { schemas: new Map(), parameters: new Map(), headers: new Map(), responses: new Map() } satisfies Record<
    Section,
    Map<string, JsonSchema | undefined>
  >;
  const waiting: (() => void)[] = [];
  return {
    use(section, name, make) {
      const parts: Map<string, JsonSchema | undefined> = made[section];
      if (!parts.has(name)) {
        parts.set(name, undefined);
        waiting.push(() => parts.set(name, make()));
      }
      return { $ref: `#/components/${section}/${name}` };
    },
    all() {
      // It grows while it is gone through: what is made refers to further parts.
      for (const next of waiting) next();
      waiting.length = 0;
      const { schemas, parameters, headers, responses } = made;
      return {
        schemas: Object.fromEntries(schemas),
        parameters: Object.fromEntries(parameters),
        headers: Object.fromEntries(headers),
        responses: Object.fromEntries(responses),
      };
    },
  };
}

/** The name of a type as a component may be called: letters, digits, `.`, `_` and `-` alone. */
export function componentName(type: string): string {
  return type.replace('/', '.').replace(/[^\w.]/gu, (character) => `-x${character.codePointAt(0)?.toString(16)}-`);
}
