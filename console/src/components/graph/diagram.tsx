// A drawing that scrolls, is moved by dragging, zoomed and saved as a file. Its colours are those of the theme, by presentation attributes.

import { type PointerEvent, type ReactNode, useCallback, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { download } from '../download.ts';

interface DiagramParts {
  /** The name of the figure. */
  readonly label: string;
  /** Of the file that it is saved as. */
  readonly file: string;
  readonly width: number;
  readonly height: number;
  /** What stands before the buttons. */
  readonly tools?: ReactNode;
  readonly children: ReactNode;
}

const [least, most] = [0.25, 3];

export function Diagram({ label, file, width, height, tools, children }: DiagramParts) {
  const frame = useRef<HTMLDivElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const id = useId();
  const [scale, setScale] = useState(1);
  const fit = useCallback(() => {
    const { clientWidth = width, clientHeight = height } = frame.current ?? {};
    // Smaller than this nobody reads it: a narrow screen is scrolled.
    setScale(clamped(Math.min(1, Math.max(0.55, Math.min(clientWidth / width, clientHeight / height)))));
  }, [width, height]);
  useLayoutEffect(fit, [fit]);
  // Not by React: its listeners for the wheel cannot keep the page from zooming.
  useEffect(() => {
    const { current } = frame;
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      setScale((now) => clamped(now * (event.deltaY < 0 ? 1.1 : 1 / 1.1)));
    };
    current?.addEventListener('wheel', onWheel, { passive: false });
    return () => current?.removeEventListener('wheel', onWheel);
  }, []);
  const onDrag = useDragging();
  return (
    <figure className="diagram" aria-label={label}>
      <div className="toolbar">
        {tools}
        <span className="spacer" />
        <button type="button" aria-label="Zoom out" disabled={scale <= least} onClick={() => setScale(clamped(scale / 1.25))}>
          −
        </button>
        <output className="zoom" aria-label="Zoom">
          {Math.round(scale * 100)} %
        </output>
        <button type="button" aria-label="Zoom in" disabled={scale >= most} onClick={() => setScale(clamped(scale * 1.25))}>
          +
        </button>
        <button type="button" onClick={fit}>
          Fit
        </button>
        <button type="button" onClick={() => svg.current !== null && download(`${file}.svg`, svgText(svg.current), 'image/svg+xml')}>
          Export SVG
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard. */}
      <div className="diagram-frame" ref={frame} tabIndex={0} role="group" aria-label={`${label}, drawn`} {...onDrag}>
        <svg
          ref={svg}
          xmlns="http://www.w3.org/2000/svg"
          viewBox={`0 0 ${width} ${height}`}
          width={width * scale}
          height={height * scale}
          fontFamily="system-ui, sans-serif"
          fontSize="12"
          role="group"
          aria-labelledby={id}
        >
          <title id={id}>{label}</title>
          {children}
        </svg>
      </div>
    </figure>
  );
}

function clamped(scale: number): number {
  return Math.min(most, Math.max(least, scale));
}

/** By the mouse; a finger scrolls as everywhere. */
function useDragging() {
  const from = useRef<{ readonly x: number; readonly y: number }>(undefined);
  return {
    onPointerDown: (event: PointerEvent<HTMLDivElement>): void => {
      if (event.pointerType === 'mouse' && event.button === 0 && !isButton(event.target))
        from.current = { x: event.clientX, y: event.clientY };
    },
    onPointerMove: (event: PointerEvent<HTMLDivElement>): void => {
      if (from.current === undefined) return;
      event.currentTarget.scrollBy(from.current.x - event.clientX, from.current.y - event.clientY);
      from.current = { x: event.clientX, y: event.clientY };
    },
    onPointerUp: (): void => {
      from.current = undefined;
    },
    onPointerLeave: (): void => {
      from.current = undefined;
    },
  };
}

function isButton(target: EventTarget): boolean {
  return target instanceof Element && target.closest('[role=button]') !== null;
}

/** With the colours of now in the place of their names, so that it looks the same elsewhere. */
function svgText(svg: SVGSVGElement): string {
  const theme = getComputedStyle(document.documentElement);
  const copy = new XMLSerializer().serializeToString(svg);
  return copy.replace(/var\((--[\w-]+)\)/g, (_, name: string) => theme.getPropertyValue(name).trim());
}
