// The shared parts of an OpenAPI document: each is made once, when something refers to it for the first time.

import type { JsonSchema } from '../../model/types/attribute-type.ts';

export type Section = 'schemas' | 'parameters' | 'headers' | 'responses' | 'securitySchemes';

/** In the order in which a document has them. */
export function inEachSection<T>(make: () => T): Record<Section, T> {
  return { schemas: make(), parameters: make(), headers: make(), responses: make(), securitySchemes: make() };
}

export interface Reference {
  readonly $ref: string;
}

export interface Components {
  /** A reference to the part of this name; `make` is called once, later, so that parts may refer to each other in circles. */
  use(section: Section, name: string, make: () => JsonSchema): Reference;
  /** Everything that was referred to, and what that refers to: each is made when it is asked for. */
  make(): Iterable<Component>;
}

export interface Component {
  readonly section: Section;
  readonly name: string;
  readonly part: JsonSchema;
}

export function createComponents(): Components {
  const known = inEachSection(() => new Set<string>());
  const waiting: (() => Component)[] = [];
  return {
    use(section, name, make) {
      const names = known[section];
      if (!names.has(name)) {
        names.add(name);
        waiting.push(() => ({ section, name, part: make() }));
      }
      return { $ref: `#/components/${section}/${name}` };
    },
    *make() {
      // It grows while it is gone through: what is made refers to further parts.
      for (const next of waiting) yield next();
      waiting.length = 0;
    },
  };
}

/** The name of a type as a component may be called: letters, digits, `.`, `_` and `-` alone. */
export function componentName(type: string): string {
  return type.replace('/', '.').replace(/[^\w.]/gu, (character) => `-x${character.codePointAt(0)?.toString(16)}-`);
}
