// Instances as lines of CSV and back: what was written here is read as the same values.

import type { Row } from '../../../api/instances.ts';
import { scalarText, writeJson } from '../../../api/json.ts';
import type { AttributeDescription, EntityDescription } from '../../../api/model.ts';
import { type Fault, Problem } from '../../../api/request.ts';
import { draftValue, readJson } from '../../../components/form/draft.ts';
import { textOf } from '../../../components/value.tsx';
import { type Cell, guarded, unguarded } from './csv.ts';

export function cellOf(attribute: AttributeDescription | undefined, value: unknown): Cell {
  if (value === null || value === undefined) return undefined;
  if (attribute !== undefined && isJson(attribute)) return guarded(writeJson(value));
  if (attribute?.kind === 'scalar') return guarded(scalarText(value));
  return attribute !== undefined && isNumber(attribute) ? textOf(value) : guarded(textOf(value));
}

export function rowsOf(entity: EntityDescription, [names = [], ...lines]: readonly (readonly Cell[])[]): readonly Row[] {
  const columns = names.map((name = '') => ({ name, attribute: entity.attributes.find((each) => each.name === name) }));
  // What the service computes, and where an instance stood, are not taken: an export has them too.
  const taken = columns.map(({ name, attribute }) => name !== '' && name !== '__path__' && attribute?.computed !== true);
  const faults: Fault[] = [];
  const rows = lines.map((line, row) =>
    Object.fromEntries(
      columns.flatMap(({ name, attribute }, index) => {
        const cell = line[index];
        if (taken[index] !== true || (cell === undefined && attribute?.required !== true)) return [];
        return [[name, faultsAt(row, faults, () => readCell(attribute, cell ?? ''))]];
      }),
    ),
  );
  const [first] = faults;
  if (first === undefined) return rows;
  const message = faults.length === 1 ? 'One cell cannot be read.' : `${faults.length.toLocaleString()} cells cannot be read.`;
  throw new Problem(422, first.code, message, faults);
}

/** All of them are told, as the service tells those of a list. */
function faultsAt(row: number, faults: Fault[], read: () => unknown): unknown {
  try {
    return read();
  } catch (thrown) {
    if (!(thrown instanceof Problem)) throw thrown;
    faults.push(...thrown.errors.map((each) => ({ ...each, attribute: `[${row}].${each.attribute}` })));
    return undefined;
  }
}

function readCell(attribute: AttributeDescription | undefined, cell: string): unknown {
  const text = attribute !== undefined && isNumber(attribute) ? cell : unguarded(cell);
  if (attribute === undefined) return text;
  if (isJson(attribute)) return readJson(attribute.name, text);
  return text === '' && attribute.kind === 'text' && attribute.enum === undefined ? '' : draftValue(attribute, text);
}

function isJson({ kind, list }: AttributeDescription): boolean {
  return list || kind === 'json' || kind === 'record';
}

/** A number is no formula: -5 stays a number in a spreadsheet. */
function isNumber({ kind, list, enum: choices }: AttributeDescription): boolean {
  return !list && choices === undefined && (kind === 'integer' || kind === 'real' || kind === 'decimal');
}
