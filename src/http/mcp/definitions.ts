// Schemas that stand alone: what several of them share is under `$defs` of each.

import type { JsonSchema } from '../../model/types/attribute-type.ts';
import type { Components } from '../openapi/components.ts';

export interface Definitions {
  /** Where shared schemas are put. */
  readonly components: Components;
  /** The schema with what it refers to, directly or not. */
  around(schema: JsonSchema): JsonSchema;
}

export function definitionsIn(): Definitions {
  const made = new Map<string, JsonSchema>();
  const makers = new Map<string, () => JsonSchema>();
  const components: Components = {
    use(_, name, make) {
      if (!makers.has(name)) makers.set(name, make);
      return { $ref: `#/$defs/${name}` };
    },
    *make() {},
  };
  const schemaOf = (name: string): JsonSchema => {
    const found = made.get(name) ?? makers.get(name)?.() ?? {};
    made.set(name, found);
    return found;
  };
  return {
    components,
    around(schema) {
      const names = new Set(referred(schema));
      // A set goes on with what is added to it on the way.
      for (const name of names) for (const each of referred(schemaOf(name))) names.add(each);
      return names.size === 0 ? schema : { ...schema, $defs: Object.fromEntries([...names].map((name) => [name, schemaOf(name)])) };
    },
  };
}

function referred(schema: JsonSchema): readonly string[] {
  return [...JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)].map(([, name = '']) => name);
}
