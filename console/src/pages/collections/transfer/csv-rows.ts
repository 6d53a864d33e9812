// Instances as lines of CSV and back: what was written here is read as the same values.

import type { Row } from '../../../api/instances.ts';
import { writeJson } from '../../../api/json.ts';
import type { AttributeDescription, EntityDescription } from '../../../api/model.ts';
import { messageOf } from '../../../components/fault-text.tsx';
import { draftValue, readJson } from '../../../components/form/draft.ts';
import { textOf } from '../../../components/value.tsx';
import { type Cell, guarded, unguarded } from './csv.ts';

export function cellOf(attribute: AttributeDescription | undefined, value: unknown): Cell {
  if (value === null || value === undefined) return undefined;
  if (attribute !== undefined && isJson(attribute)) return guarded(writeJson(value));
  return attribute !== undefined && isNumber(attribute) ? textOf(value) : guarded(textOf(value));
}

export function rowsOf(entity: EntityDescription, [names = [], ...lines]: readonly (readonly Cell[])[]): readonly Row[] {
  const columns = names.map((name = '') => ({ name, attribute: entity.attributes.find((each) => each.name === name) }));
  // What the service computes, and where an instance stood, are not taken: an export has them too.
  const taken = columns.map(({ name, attribute }) => name !== '' && name !== '__path__' && attribute?.computed !== true);
  return lines.map((line, row) =>
    Object.fromEntries(
      columns.flatMap(({ name, attribute }, index) => {
        const cell = line[index];
        if (taken[index] !== true || (cell === undefined && attribute?.required !== true)) return [];
        return [[name, atLine(row + 2, () => readCell(attribute, cell ?? ''))]];
      }),
    ),
  );
}

function atLine<T>(line: number, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw new Error(`Line ${line}: ${messageOf(thrown)}`);
  }
}

function readCell(attribute: AttributeDescription | undefined, cell: string): unknown {
  const text = attribute !== undefined && isNumber(attribute) ? cell : unguarded(cell);
  if (attribute === undefined) return text;
  if (isJson(attribute)) return readJson(attribute.name, text);
  return text === '' && attribute.kind === 'text' && attribute.enum === undefined ? '' : draftValue(attribute, text);
}

function isJson({ kind, list }: AttributeDescription): boolean {
  return list || kind === 'json' || kind === 'record' || kind === 'scalar';
}

/** A number is no formula: -5 stays a number in a spreadsheet. */
function isNumber({ kind, list, enum: choices }: AttributeDescription): boolean {
  return !list && choices === undefined && (kind === 'integer' || kind === 'real' || kind === 'decimal');
}
