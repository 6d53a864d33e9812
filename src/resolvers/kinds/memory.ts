// A resolver that keeps its instances in the memory of this process: for demonstrations and tests.

import type { EntityPlan } from '../../plan/plan.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import { keyName } from '../../plan/rows/keys.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import type { Value } from '../../values/value.ts';
import type { Resolver } from '../resolver.ts';
import { mostInstances } from '../resolver.ts';

export function memoryHandlers(planOf: (type: string) => EntityPlan): Resolver['handlers'] {
  const kept = new Map<string, Map<string, Value>>();
  const rowsOf = (type: string): Map<string, Value> => {
    const rows = kept.get(type) ?? new Map<string, Value>();
    kept.set(type, rows);
    return rows;
  };
  const nameOf = (instance: Value, type: string): string => {
    const fields = isObject(instance) ? instance : {};
    return keyName(fields[pathColumn] ?? fields[planOf(type).identifier.name] ?? null);
  };
  return {
    query: (_question, { type }) => [...rowsOf(type).values()],
    create(instance, { type }) {
      const [rows, name] = [rowsOf(type), nameOf(instance, type)];
      if (rows.has(name)) throw refusal(409, 'There is already an instance with this value.');
      if (rows.size >= mostInstances) throw refusal(409, `The memory holds ${mostInstances} instances, and no more.`);
      rows.set(name, instance);
      return instance;
    },
    update(instance, { type }) {
      rowsOf(type).set(nameOf(instance, type), instance);
      return instance;
    },
    delete(instance, { type }) {
      rowsOf(type).delete(nameOf(instance, type));
      return instance;
    },
  };
}

function refusal(status: number, message: string): Error {
  return Object.assign(new Error(message), { status });
}
