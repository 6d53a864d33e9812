// The head of a column: its button sorts, its edge is dragged (or moved by Alt and the arrow keys) to make it wider.

import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import type { AttributeDescription } from '../../../api/model.ts';
import { useParameters } from '../../../router.tsx';
import { isSortable } from '../list-query.ts';
import { isFigure } from './grid-row.tsx';

export function HeaderCell({ column, onResize }: { column: AttributeDescription; onResize: (width: number) => void }) {
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
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 24, ArrowLeft: -24 }[event.key];
    if (!event.altKey || by === undefined) return;
    event.preventDefault();
    onResize(Math.max(60, (cell.current?.offsetWidth ?? 0) + by));
  };
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: its button has the focus.
    <div role="columnheader" aria-sort={direction} ref={cell} className={isFigure(column) ? 'figure' : undefined}>
      {isSortable(column) ? (
        <button type="button" onClick={() => change({ '@sort': next })} onKeyDown={onKeyDown}>
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
