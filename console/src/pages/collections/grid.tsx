// The table: only the rows in sight are in the page, the next ones are read while it is scrolled.

import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { pathOf, type Row } from '../../api/instances.ts';
import type { AttributeDescription, EntityDescription } from '../../api/model.ts';
import { asCurl } from '../../api/request.ts';
import { Value } from '../../components/value.tsx';
import { useParameters } from '../../router.tsx';
import { isSortable } from './list-query.ts';

interface GridParts {
  readonly entity: EntityDescription;
  readonly columns: readonly AttributeDescription[];
  readonly rows: readonly Row[];
  readonly total: number | undefined;
  readonly isLoading: boolean;
  /** Absent where there is nothing more, or it is being read. */
  readonly loadMore: (() => unknown) | undefined;
  readonly open: string | undefined;
  readonly onOpen: (row: Row) => void;
}

const rowHeight = 36;

export function Grid({ entity, columns, rows, total, isLoading, loadMore, open, onOpen }: GridParts) {
  const scroller = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState(0);
  const [widths, setWidths] = useState<Readonly<Record<string, number>>>({});
  const rowsShown = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const items = rowsShown.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - 30) loadMore?.();
  }, [last, rows.length, loadMore]);
  const template = columns
    .map(
      ({ name, kind }) =>
        `minmax(${widths[name] ?? (kind === 'text' || kind === 'json' ? 220 : 150)}px, ${widths[name] === undefined ? '1fr' : 'max-content'})`,
    )
    .join(' ');
  const focus = (index: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, index));
    setFocused(next);
    rowsShown.scrollToIndex(next);
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-index="${next}"]`)?.focus());
  };
  const onKeyDown = (event: KeyboardEvent, index: number): void => {
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? rowHeight) / rowHeight) - 2);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -index,
      End: rows.length,
    };
    const step = steps[event.key];
    const row = rows[index];
    if (event.key === 'Enter' && row !== undefined) onOpen(row);
    else if (step !== undefined) focus(index + step);
    else return;
    event.preventDefault();
  };
  return (
    <div
      className="grid"
      role="grid"
      aria-label={entity.name}
      aria-rowcount={(total ?? rows.length) + 1}
      aria-colcount={columns.length}
      aria-busy={isLoading}
      ref={scroller}
      tabIndex={rows.length === 0 ? 0 : -1}
    >
      <div role="rowgroup" className="grid-head">
        {/* biome-ignore lint/a11y/useFocusableInteractive: its buttons have the focus. */}
        <div role="row" aria-rowindex={1} className="grid-row" style={{ gridTemplateColumns: template }}>
          {columns.map((column) => (
            <HeaderCell key={column.name} column={column} onResize={(width) => setWidths({ ...widths, [column.name]: width })} />
          ))}
        </div>
      </div>
      {rows.length === 0 ? (
        <div role="rowgroup">
          {/* biome-ignore lint/a11y/useFocusableInteractive: nothing can be done with it. */}
          <div role="row">
            {/* biome-ignore lint/a11y/useFocusableInteractive: nothing can be done with it. */}
            <div role="gridcell" className="grid-empty">
              <p>Nothing here yet.</p>
              <code>{asCurl({ method: 'POST', path: entity.path, body: exampleOf(entity) })}</code>
            </div>
          </div>
        </div>
      ) : (
        <div role="rowgroup" className="grid-body" style={{ height: rowsShown.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const row = rows[index] ?? {};
            const path = pathOf(entity, row);
            return (
              <div
                key={path}
                role="row"
                data-index={index}
                aria-rowindex={index + 2}
                aria-selected={path === open}
                tabIndex={index === focused || (focused >= rows.length && index === 0) ? 0 : -1}
                className="grid-row"
                style={{ gridTemplateColumns: template, transform: `translateY(${start}px)` }}
                onFocus={() => setFocused(index)}
                onClick={() => onOpen(row)}
                onKeyDown={(event) => onKeyDown(event, index)}
              >
                {columns.map((column) => (
                  // biome-ignore lint/a11y/useFocusableInteractive: the row has the focus.
                  <div key={column.name} role="gridcell" dir="auto" className={isFigure(column) ? 'figure' : undefined}>
                    <Value value={row[column.name]} attribute={column} />
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      )}
    </div>
  );
}

function isFigure({ kind, list }: AttributeDescription): boolean {
  return !list && (kind === 'integer' || kind === 'real' || kind === 'decimal');
}

function HeaderCell({ column, onResize }: { column: AttributeDescription; onResize: (width: number) => void }) {
  const [parameters, change] = useParameters();
  const sort = parameters.get('@sort');
  const direction = sort === column.name ? 'ascending' : sort === `-${column.name}` ? 'descending' : 'none';
  const next = { none: column.name, ascending: `-${column.name}`, descending: undefined }[direction];
  const cell = useRef<HTMLDivElement>(null);
  const resize = (event: PointerEvent<HTMLSpanElement>): void => {
    event.preventDefault();
    const start = (cell.current?.offsetWidth ?? 0) - event.clientX;
    const handle = event.currentTarget;
    handle.setPointerCapture(event.pointerId);
    handle.onpointermove = (moved) => onResize(Math.max(60, start + moved.clientX));
    handle.onpointerup = () => {
      handle.onpointermove = null;
    };
  };
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: its button has the focus.
    <div role="columnheader" aria-sort={direction} ref={cell}>
      {isSortable(column) ? (
        <button type="button" onClick={() => change({ '@sort': next })}>
          {column.name}
          <span aria-hidden="true">{{ none: '', ascending: ' ↑', descending: ' ↓' }[direction]}</span>
        </button>
      ) : (
        <span>{column.name}</span>
      )}
      <span className="resize" aria-hidden="true" onPointerDown={resize} />
    </div>
  );
}

/** Enough to try: each required attribute with something of its kind. */
function exampleOf({ attributes }: EntityDescription): Readonly<Record<string, unknown>> {
  const required = attributes.filter((each) => each.required && !each.readOnly);
  return Object.fromEntries(
    required.map((each) => [
      each.name,
      each.enum?.[0] ?? { integer: 1, real: 1, decimal: '1', boolean: true, json: {} }[each.kind] ?? 'text',
    ]),
  );
}
