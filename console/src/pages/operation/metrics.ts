// The figures of `/metrics`, read from the text form of Prometheus: requests by method and status, and how long they took.

export interface Sample {
  /** Milliseconds, of this browser. */
  readonly at: number;
  readonly requests: readonly RequestFigures[];
  readonly gauges: ReadonlyMap<string, number>;
}

export interface RequestFigures {
  readonly method: string;
  readonly status: string;
  readonly count: number;
  /** Seconds, of all of them together. */
  readonly sum: number;
  /** How many took at most so many seconds, ascending. */
  readonly buckets: readonly (readonly [bound: number, count: number])[];
}

const line = /^(\w+)(?:\{(.*)\})? (\S+)$/;
const duration = 'http_request_duration_seconds';

export function readMetrics(text: string, at: number): Sample {
  const requests = new Map<string, { method: string; status: string; count: number; sum: number; buckets: [number, number][] }>();
  const gauges = new Map<string, number>();
  for (const each of text.split('\n')) {
    const [, name = '', labelled, value = ''] = line.exec(each) ?? [];
    if (name === '') continue;
    if (!name.startsWith(duration)) {
      if (labelled === undefined) gauges.set(name, Number(value));
      continue;
    }
    const labels = new Map([...(labelled ?? '').matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', label = '']) => [key, label]));
    const [method = '', status = ''] = [labels.get('method'), labels.get('status')];
    const figures = requests.get(`${method} ${status}`) ?? { method, status, count: 0, sum: 0, buckets: [] };
    requests.set(`${method} ${status}`, figures);
    if (name.endsWith('_count')) figures.count = Number(value);
    else if (name.endsWith('_sum')) figures.sum = Number(value);
    else figures.buckets.push([labels.get('le') === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.get('le')), Number(value)]);
  }
  return { at, requests: [...requests.values()], gauges };
}

export interface Rates {
  readonly requests: number;
  readonly errors: number;
  /** Milliseconds that 95 of 100 requests took at most; absent where there were none. */
  readonly slow: number | undefined;
}

/** What happened between two samples, per second. A service that was started anew begins at nothing again. */
export function ratesBetween(before: Sample, after: Sample): Rates {
  const seconds = Math.max(0.001, (after.at - before.at) / 1000);
  const earlier = new Map(before.requests.map((each) => [`${each.method} ${each.status}`, each]));
  const isAnew = after.requests.some((each) => each.count < (earlier.get(`${each.method} ${each.status}`)?.count ?? 0));
  const differences = after.requests.map((each) => less(each, isAnew ? undefined : earlier.get(`${each.method} ${each.status}`)));
  const count = (of: readonly RequestFigures[]): number => of.reduce((sum, each) => sum + each.count, 0);
  return {
    requests: count(differences) / seconds,
    errors: count(differences.filter(({ status }) => status === '5xx')) / seconds,
    slow: quantile(differences, 0.95),
  };
}

function less(figures: RequestFigures, before: RequestFigures | undefined): RequestFigures {
  if (before === undefined) return figures;
  const buckets = figures.buckets.map(([bound, count], index) => [bound, count - (before.buckets[index]?.[1] ?? 0)] as const);
  return { ...figures, count: figures.count - before.count, sum: figures.sum - before.sum, buckets };
}

/** In milliseconds: the bound below which so many of them stay, as far as the buckets tell it. */
export function quantile(figures: readonly RequestFigures[], share: number): number | undefined {
  const total = figures.reduce((sum, each) => sum + each.count, 0);
  if (total === 0) return undefined;
  const bounds = figures.find((each) => each.buckets.length > 0)?.buckets.map(([bound]) => bound) ?? [];
  const found = bounds.find(
    (bound, index) => Number.isFinite(bound) && figures.reduce((sum, { buckets }) => sum + (buckets[index]?.[1] ?? 0), 0) >= total * share,
  );
  return found === undefined ? Number.POSITIVE_INFINITY : found * 1000;
}
