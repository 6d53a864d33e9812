// One row of the table. It is drawn anew only when something of it has changed.

import { memo, type ReactNode, useState } from 'react';
import type { Row } from '../../../api/instances.ts';
import type { AttributeDescription } from '../../../api/model.ts';
import { Value } from '../../../components/value.tsx';

export interface RowParts {
  readonly row: Row;
  readonly path: string;
  readonly index: number;
  readonly top: number;
  readonly columns: readonly AttributeDescription[];
  readonly template: string;
  readonly isOpen: boolean;
  readonly isFocusable: boolean;
  /** Absent where there is nothing that could be done with selected rows. */
  readonly isSelected: boolean | undefined;
  readonly mayEdit: boolean;
  readonly editing: string | undefined;
  readonly editor: ReactNode;
  readonly onSelect: (path: string, row: Row, isSelected: boolean) => void;
  readonly onEdit: (path: string, row: Row, column: string) => void;
  readonly onOpen: (row: Row) => void;
  readonly onFocus: (index: number) => void;
}

/** What is typed into a cell: one value, which fits on a line. */
export function isEditable({ kind, list, identifier, readOnly, secret, writeOnly }: AttributeDescription): boolean {
  return !list && !identifier && !readOnly && !secret && !writeOnly && kind !== 'json' && kind !== 'record' && kind !== 'scalar';
}

export const GridRow = memo(function GridRow(parts: RowParts) {
  const { row, path, index, top, columns, template, isOpen, isFocusable, isSelected, mayEdit, editing, editor } = parts;
  const [isHovered, setHovered] = useState(false);
  const shift = isSelected === undefined ? 1 : 2;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the table has the keys of its rows.
    <div
      role="row"
      data-index={index}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      aria-current={isOpen ? 'true' : undefined}
      tabIndex={isFocusable ? 0 : -1}
      className="grid-row"
      style={{ gridTemplateColumns: template, transform: `translateY(${top}px)` }}
      onFocus={() => parts.onFocus(index)}
      onClick={() => parts.onOpen(row)}
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
    >
      {isSelected !== undefined && (
        // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the box in it has the focus.
        <div role="gridcell" aria-label="Selection" aria-colindex={1} className="select-cell" onClick={(event) => event.stopPropagation()}>
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Select row ${index + 1}`}
            checked={isSelected}
            onChange={() => parts.onSelect(path, row, !isSelected)}
          />
        </div>
      )}
      {columns.map((column, at) =>
        column.name === editing ? (
          <div key={column.name} role="gridcell" aria-colindex={at + shift} className="editing" tabIndex={-1}>
            {editor}
          </div>
        ) : (
          <div
            key={column.name}
            role="gridcell"
            aria-colindex={at + shift}
            data-column={column.name}
            tabIndex={-1}
            dir="auto"
            className={isFigure(column) ? 'figure' : undefined}
          >
            <Value value={row[column.name]} attribute={column} />
            {isHovered && mayEdit && isEditable(column) && (
              <button
                type="button"
                className="edit-cell"
                tabIndex={-1}
                aria-label="Edit the cell"
                onClick={(event) => {
                  event.stopPropagation();
                  parts.onEdit(path, row, column.name);
                }}
              >
                ✎
              </button>
            )}
          </div>
        ),
      )}
    </div>
  );
});

/** Stands at the right edge, and so does the head of its column. */
export function isFigure({ kind, list }: AttributeDescription): boolean {
  return !list && (kind === 'integer' || kind === 'real' || kind === 'decimal');
}
