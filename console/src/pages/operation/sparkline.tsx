// A small chart: the course of one figure, its newest value, and in words what it shows.

import { useId } from 'react';

interface SparklineParts {
  readonly title: string;
  /** Gaps are where nothing was measured. */
  readonly values: readonly (number | undefined)[];
  readonly write: (value: number) => string;
  readonly isAlarming?: boolean;
}

const [width, height] = [240, 48];

export function Sparkline({ title, values, write, isAlarming = false }: SparklineParts) {
  const id = useId();
  const known = values.filter((each) => each !== undefined);
  const newest = values.findLast((each) => each !== undefined);
  // What is beyond all measure stands at the top of the others.
  const highest = Math.max(...known.filter(Number.isFinite), 0);
  const top = highest === 0 ? 1 : highest;
  const step = width / Math.max(1, values.length - 1);
  const points = values.flatMap((each, index) =>
    each === undefined ? [] : [`${(index * step).toFixed(1)},${(height - 2 - (Math.min(each, top) / top) * (height - 6)).toFixed(1)}`],
  );
  const words =
    known.length < 2 ? 'being measured' : `now ${newest === undefined ? 'nothing' : write(newest)}, at most ${write(highest)} in this time`;
  return (
    <figure className={isAlarming ? 'chart alarming' : 'chart'} aria-labelledby={id}>
      <figcaption>
        <span id={id}>{title}</span>
        <strong>{newest === undefined ? '–' : write(newest)}</strong>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={`${title}: ${words}`}>
        {points.length > 1 && (
          <>
            <polygon className="area" points={`0,${height} ${points.join(' ')} ${((values.length - 1) * step).toFixed(1)},${height}`} />
            <polyline points={points.join(' ')} />
          </>
        )}
      </svg>
      <small>{known.length < 2 ? 'being measured…' : `at most ${write(highest)}`}</small>
    </figure>
  );
}
