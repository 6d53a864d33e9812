// The table: only the rows in sight are in the page, whatever number there is. Rows and cells have the focus; F2 changes a cell.

import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { pathOf, type Row } from '../../../api/instances.ts';
import type { AttributeDescription, EntityDescription } from '../../../api/model.ts';
import { lastPart } from '../../../api/request.ts';
import { mayDo } from '../../../api/rights.ts';
import { draftOf } from '../../../components/form/draft.ts';
import { toast } from '../../../components/toast.tsx';
import type { Rows } from '../rows.ts';
import { CellEditor } from './cell-editor.tsx';
import { EmptyRows } from './empty-rows.tsx';
import { GridRow, isEditable } from './grid-row.tsx';
import { HeaderCell } from './header-cell.tsx';
import { useRowWindow } from './window.ts';

export type Selection = ReadonlyMap<string, Row>;

interface GridParts {
  /** Another list begins at its first row. */
  readonly list: string;
  readonly entity: EntityDescription;
  readonly columns: readonly AttributeDescription[];
  readonly rows: Rows;
  readonly isFiltered: boolean;
  readonly open: string | undefined;
  /** Absent where nothing can be done with selected rows. */
  readonly selection: Selection | undefined;
  readonly onSelect: (selection: Selection) => void;
  readonly onOpen: (row: Row) => void;
  readonly onChanged: (row: Row) => void;
}

/** The cell that is changed: what it showed when it was opened, and what has been typed. */
interface Editing {
  readonly path: string;
  readonly column: string;
  readonly shown: string;
  readonly text: string;
}

const selectWidth = 40;
/** Of a column that nobody has made wider; a name of the model is longer than most numbers. */
const usualWidths: Readonly<Record<string, number>> = {
  text: 220,
  json: 220,
  record: 220,
  integer: 110,
  boolean: 110,
  date: 120,
  time: 110,
};

export function Grid({ list, entity, columns, rows, isFiltered, open, selection, onSelect, onOpen, onChanged }: GridParts) {
  const scroller = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState(0);
  const [widths, setWidths] = useState<Readonly<Record<string, number>>>({});
  const [editing, setEditing] = useState<Editing>();
  const { total, see } = rows;
  const inSight = useRowWindow(scroller, total);
  const { first, last } = inSight;
  useEffect(() => see(first, Math.max(first, last)), [see, first, last]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the list that has changed.
  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
    setFocused(0);
    setEditing(undefined);
  }, [list]);
  const wanted = useRef<{ readonly index: number; readonly column: string | undefined }>(undefined);
  useEffect(() => {
    const { current: target } = wanted;
    const row = target && scroller.current?.querySelector<HTMLElement>(`[data-index="${target.index}"]`);
    if (target === undefined || !row) return;
    wanted.current = undefined;
    (row.querySelector<HTMLElement>(`[data-column="${CSS.escape(target.column ?? '')}"]`) ?? row).focus({ preventScroll: true });
  });
  const [, draw] = useState(0);
  const focus = (index: number, column: string | undefined): void => {
    const next = Math.max(0, Math.min(total - 1, index));
    wanted.current = { index: next, column };
    inSight.show(next);
    setFocused(next);
    draw((count) => count + 1);
  };
  const select = (path: string, row: Row, isSelected: boolean): void => {
    const next = new Map(selection);
    if (isSelected) next.set(path, row);
    else next.delete(path);
    onSelect(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = placeOf(event.target);
    const row = at && rows.rowAt(at.index);
    const { target } = event;
    // A box that is ticked takes the space bar, and no other key.
    const isTyped = target instanceof HTMLInputElement && (target.type !== 'checkbox' || event.key === ' ');
    if (at === undefined || isTyped) return;
    const order = columns.map((each) => each.name);
    const column = at.column === undefined ? -1 : order.indexOf(at.column);
    const page = inSight.rowsPerPage;
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
    const ends: Readonly<Record<string, number>> = { Home: 0, End: total - 1 };
    const step = steps[event.key];
    const end = ends[event.key];
    const side = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const edited = columns[column] ?? columns.find(isEditable);
    if (event.key === 'Enter' && row !== undefined) onOpen(row);
    else if (event.key === ' ' && row !== undefined && selection !== undefined) {
      const path = pathOf(entity, row);
      select(path, row, !selection.has(path));
    } else if (event.key === 'F2' && row !== undefined && edited !== undefined && isEditable(edited) && mayDo('update', entity, row))
      edit(pathOf(entity, row), row, edited.name);
    else if (step !== undefined) focus(at.index + step, at.column);
    else if (end !== undefined) focus(end, at.column);
    else if (side !== undefined) focus(at.index, order[Math.min(order.length - 1, column + side)]);
    else return;
    event.preventDefault();
  };
  const widthOf = ({ name, kind, list }: AttributeDescription): number => widths[name] ?? (list ? 220 : (usualWidths[kind] ?? 150));
  const template = [
    ...(selection === undefined ? [] : [`${selectWidth}px`]),
    ...columns.map((each) => (widths[each.name] === undefined ? `minmax(${widthOf(each)}px, ${widthOf(each)}fr)` : `${widthOf(each)}px`)),
  ].join(' ');
  const minWidth = columns.reduce((sum, each) => sum + widthOf(each), selection === undefined ? 0 : selectWidth);
  const edit = (path: string, row: Row, column: string): void => {
    const attribute = columns.find(({ name }) => name === column);
    const shown = attribute === undefined ? '' : String(draftOf(attribute, row[column]));
    sayLost();
    setEditing({ path, column, shown, text: shown });
  };
  /** An editor in sight saves what was typed when it is left; of one that was scrolled away this is said. */
  const sayLost = (): void => {
    if (editing === undefined || editing.text === editing.shown || drawn.has(editing.path)) return;
    toast(`${editing.column} of ${lastPart(editing.path)} was not saved: its row was out of sight.`);
  };
  const isTold = useRef(false);
  const lastPlace = useRef<number>(undefined);
  // A row that is in its place no more, though nobody has scrolled, takes its editor along.
  useEffect(() => {
    const before = lastPlace.current;
    const place = editing && drawn.get(editing.path);
    lastPlace.current = place ?? (editing && before);
    if (editing === undefined || place !== undefined || before === undefined || isTold.current) return;
    if (before < first || before > last || (before < total && rows.rowAt(before) === undefined)) return;
    setEditing(undefined);
    if (editing.text !== editing.shown)
      toast(`${editing.column} of ${lastPart(editing.path)} was not saved: its row is no longer in the table.`);
  });
  const latest = useRef({ select, onOpen, edit, editing });
  latest.current = { select, onOpen, edit, editing };
  const stable = useRef({
    onSelect: (path: string, row: Row, isSelected: boolean) => latest.current.select(path, row, isSelected),
    onOpen: (row: Row) => latest.current.onOpen(row),
    onEdit: (path: string, row: Row, column: string) => latest.current.edit(path, row, column),
    onFocus: (index: number) => setFocused(index),
  }).current;
  const drawn = new Map<string, number>();
  const shown = Array.from({ length: total === 0 ? 0 : Math.max(0, last - first + 1) }, (_, at) => first + at);
  const here = shown
    .filter(inSight.isSeen)
    .map((index) => rows.rowAt(index))
    .filter((row) => row !== undefined);
  const isAllSelected = selection !== undefined && here.length > 0 && here.every((row) => selection.has(pathOf(entity, row)));
  const finish = (row: Row | undefined, isLeft: boolean, index: number, path: string, column: string): void => {
    // Another cell may have been opened before the answer came.
    const isOpen = (now: Editing | undefined): boolean => now?.path === path && now.column === column;
    setEditing((now) => (isOpen(now) ? undefined : now));
    if (row !== undefined) onChanged(row);
    if (!isLeft && isOpen(latest.current.editing)) focus(index, column);
  };
  return (
    <div
      className="grid"
      role="grid"
      aria-label={entity.name}
      aria-rowcount={total + 1}
      aria-colcount={columns.length + (selection === undefined ? 0 : 1)}
      aria-multiselectable={selection !== undefined}
      aria-busy={rows.isLoading}
      ref={scroller}
      tabIndex={total === 0 ? 0 : -1}
      onKeyDown={onKeyDown}
    >
      <div role="rowgroup" className="grid-head" style={{ minWidth }}>
        {/* biome-ignore lint/a11y/useFocusableInteractive: its buttons have the focus. */}
        <div role="row" aria-rowindex={1} className="grid-row" style={{ gridTemplateColumns: template }}>
          {selection !== undefined && (
            // biome-ignore lint/a11y/useFocusableInteractive: the box in it has the focus.
            <div role="columnheader" className="select-cell">
              <input
                type="checkbox"
                aria-label="Select the rows in sight"
                checked={isAllSelected}
                onChange={() =>
                  onSelect(isAllSelected ? new Map() : new Map([...selection, ...here.map((row) => [pathOf(entity, row), row] as const)]))
                }
              />
            </div>
          )}
          {columns.map((column) => (
            <HeaderCell key={column.name} column={column} onResize={(width) => setWidths({ ...widths, [column.name]: width })} />
          ))}
        </div>
      </div>
      {total === 0 ? (
        // Of what cannot be read nobody knows whether it is empty.
        (rows.error === undefined || rows.isPending) && <EmptyRows entity={entity} isPending={rows.isPending} isFiltered={isFiltered} />
      ) : (
        <div role="rowgroup" className="grid-body" style={{ height: inSight.height, minWidth }}>
          <div role="presentation" className="grid-window" style={{ transform: `translateY(${inSight.offset}px)` }}>
            {shown.map((index) => {
              const row = rows.rowAt(index);
              const top = inSight.top(index);
              if (row === undefined) return <LoadingRow key={index} index={index} top={top} />;
              const path = pathOf(entity, row);
              // What moves while it is read may stand on two pages.
              const key = drawn.has(path) ? `${path} ${index}` : path;
              if (!drawn.has(path)) drawn.set(path, index);
              const attribute = editing?.path === path ? columns.find(({ name }) => name === editing.column) : undefined;
              return (
                <GridRow
                  key={key}
                  row={row}
                  path={path}
                  index={index}
                  top={top}
                  columns={columns}
                  template={template}
                  isOpen={path === open}
                  isFocusable={index === focused || (index === first && (focused < first || focused > last))}
                  isSelected={selection?.has(path)}
                  mayEdit={mayDo('update', entity, row)}
                  editing={attribute?.name}
                  editor={
                    attribute &&
                    editing && (
                      <CellEditor
                        entity={entity}
                        attribute={attribute}
                        path={path}
                        row={row}
                        shown={editing.shown}
                        text={editing.text}
                        isTold={isTold}
                        onText={(text) => setEditing({ ...editing, text })}
                        onAgain={() => setEditing(editing)}
                        onDone={(changed, isLeft) => finish(changed, isLeft, index, path, attribute.name)}
                      />
                    )
                  }
                  {...stable}
                />
              );
            })}
          </div>
        </div>
      )}
    </div>
  );
}

function LoadingRow({ index, top }: { index: number; top: number }) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: it is not there yet.
    <div role="row" aria-rowindex={index + 2} aria-busy="true" className="grid-row" style={{ transform: `translateY(${top}px)` }}>
      {/* biome-ignore lint/a11y/useFocusableInteractive: it is not there yet. */}
      <div role="gridcell">
        <span className="skeleton-line" />
      </div>
    </div>
  );
}

/** The row, and the cell of it, that something in the table stands in. */
function placeOf(target: EventTarget): { readonly index: number; readonly column: string | undefined } | undefined {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-index]') : null;
  const cell = target instanceof Element ? target.closest<HTMLElement>('[data-column]') : null;
  return row === null ? undefined : { index: Number(row.dataset['index']), column: cell?.dataset['column'] };
}
