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
      if (names.size === 0) return schema;
      const short = shortNames([...names]);
      const $defs = Object.fromEntries([...names].map((name) => [short.get(name) ?? name, renamed(schemaOf(name), short)]));
      return { ...renamed(schema, short), $defs };
    },
  };
}

function referred(schema: JsonSchema): readonly string[] {
  return [...JSON.stringify(schema).matchAll(/"\$ref":"#\/\$defs\/([^"]+)"/g)].map(([, name = '']) => name);
}

/** `shop.core.Address-value` is `Address` in a schema that has no other one: assistants read all of it. */
function shortNames(names: readonly string[]): ReadonlyMap<string, string> {
  const bare = (name: string): string => name.slice(name.lastIndexOf('.') + 1).replace(/-value$/, '');
  const isOnly = (name: string): boolean => names.every((each) => each === name || bare(each) !== bare(name));
  return new Map(names.map((name) => [name, isOnly(name) ? bare(name) : name]));
}

function renamed(schema: JsonSchema, short: ReadonlyMap<string, string>): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key !== '$ref' || typeof value !== 'string') return value;
    const name = value.slice('#/$defs/'.length);
    return `#/$defs/${short.get(name) ?? name}`;
  });
}
