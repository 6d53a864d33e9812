// A resolver that keeps its instances in the memory of this process: for demonstrations and tests.

import type { EntityPlan } from '../../plan/plan.ts';
import { isObject } from '../../plan/rows/attribute.ts';
import { keyName } from '../../plan/rows/keys.ts';
import { pathColumn } from '../../plan/rows/tables.ts';
import type { Value } from '../../values/value.ts';
import { parentPath } from '../answer.ts';
import { parentName } from '../question.ts';
import { mostInstances, type Resolver } from '../resolver.ts';

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
    query: (argument, { type }) => asked([...rowsOf(type).values()], argument, planOf(type)),
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

/** Where one instance is asked for, or the children of one, the others need not be checked and looked through by the service. */
function asked(all: readonly Value[], argument: Value, { identifier }: EntityPlan): readonly Value[] {
  const question = Array.isArray(argument) ? argument[1] : undefined;
  const where = isObject(question) ? question['where'] : undefined;
  const terms = Array.isArray(where) && where[0] === 'and' ? where.slice(1) : [where ?? null];
  return terms.reduce((rows: readonly Value[], term) => {
    if (!Array.isArray(term) || term[0] !== '=') return rows;
    const [, name, value = null] = term;
    if (name === parentName) return rows.filter((each) => isObject(each) && parentPath(String(each[pathColumn])) === value);
    if (name !== identifier.name) return rows;
    return rows.filter((each) => isObject(each) && keyName(each[identifier.name] ?? null) === keyName(value));
  }, all);
}

function refusal(status: number, message: string): Error {
  return Object.assign(new Error(message), { status });
}
