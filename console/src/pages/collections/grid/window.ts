// Which rows of a table are in sight. Rows have one height; more of them than a browser has room for share what room there is.

import { type RefObject, useCallback, useEffect, useState } from 'react';

export const rowHeight = 36;
const beyond = 10;
/** Browsers have no elements taller than 17 to 33 million pixels. */
const tallest = 12_000_000;
/** Positions are told from the first row of a block, so that they stay small numbers. */
const block = 10_000;

export interface RowWindow {
  readonly first: number;
  readonly last: number;
  /** Whether a row is in sight itself: `first` to `last` are some more, so that scrolling finds them drawn. */
  isSeen(index: number): boolean;
  /** Height of the whole. */
  readonly height: number;
  /** Where the block begins that positions of rows are told from. */
  readonly offset: number;
  top(index: number): number;
  /** Scrolls until the row is in sight. */
  show(index: number): void;
  readonly rowsPerPage: number;
}

export function useRowWindow(scroller: RefObject<HTMLDivElement | null>, total: number): RowWindow {
  const [top, setTop] = useState(0);
  const [room, setRoom] = useState(600);
  useEffect(() => {
    const { current } = scroller;
    if (current === null) return undefined;
    const measure = (): void => setRoom(Math.max(rowHeight, current.clientHeight - rowHeight));
    const onScroll = (): void => setTop(current.scrollTop);
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    current.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      current.removeEventListener('scroll', onScroll);
    };
  }, [scroller]);
  const whole = total * rowHeight;
  const height = Math.min(whole, tallest);
  // The end of the bar is the end of the table, however much stands between.
  const ratio = whole <= tallest ? 1 : (whole - room) / (tallest - room);
  const position = top * ratio;
  const first = Math.max(0, Math.min(total - 1, Math.floor(position / rowHeight)) - beyond);
  const last = Math.min(total - 1, Math.ceil((position + room) / rowHeight) + beyond);
  const base = Math.floor(first / block) * block;
  const show = useCallback(
    (index: number): void => {
      const { current } = scroller;
      if (current === null) return;
      const at = index * rowHeight;
      const shown = current.scrollTop * ratio;
      if (at < shown) current.scrollTop = at / ratio;
      else if (at + rowHeight > shown + room) current.scrollTop = (at + rowHeight - room) / ratio + (ratio > 1 ? 1 : 0);
      setTop(current.scrollTop);
    },
    [scroller, ratio, room],
  );
  return {
    first,
    last,
    // Most of a row, not a line of it.
    isSeen: (index) => index >= Math.round(position / rowHeight) && index < Math.round((position + room) / rowHeight),
    height,
    offset: top - position + base * rowHeight,
    top: (index) => (index - base) * rowHeight,
    show,
    rowsPerPage: Math.max(1, Math.floor(room / rowHeight) - 1),
  };
}
