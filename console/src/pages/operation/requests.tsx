// Requests, errors and times of the process that answers, from `/metrics`: as they go on, and since it was started.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, Problem } from '../../api/request.ts';
import { CopyAsCurl } from '../../components/curl.tsx';
import { FaultText } from '../../components/fault-text.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { bytesText, millisecondsText, rateText } from './figures.ts';
import { quantile, type RequestFigures, ratesBetween, readMetrics, type Sample } from './metrics.ts';
import { Scrolled } from './scrolled.tsx';
import { Sparkline } from './sparkline.tsx';

/** Milliseconds from one look to the next, and how many are kept: five minutes. */
const pause = 2_000;
const most = 150;

export function Requests() {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const { error } = useQuery({
    queryKey: ['metrics'],
    refetchInterval: pause,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const { body } = await call({ path: '/metrics', signal, headers: { accept: 'text/plain' } });
      const sample = readMetrics(String(body), Date.now());
      setSamples((before) => [...before.slice(1 - most), sample]);
      return sample.at;
    },
  });
  const last = samples.at(-1);
  return (
    <section aria-labelledby="requests">
      <h2 id="requests">Requests</h2>
      {error instanceof Problem && error.status === 404 ? (
        <p className="hint">The service gives no measurements: service.expose.metrics is false.</p>
      ) : (
        error !== null && <FaultText thrown={error} />
      )}
      {last === undefined ? error === null && <Skeleton lines={6} label="Loading the measurements" /> : <Course samples={samples} />}
      {last !== undefined && <SinceStart sample={last} />}
      <CopyAsCurl asked={() => ({ path: '/metrics' })} />
    </section>
  );
}

function Course({ samples }: { samples: readonly Sample[] }) {
  const rates = samples.flatMap((each, index) => {
    const before = samples[index - 1];
    return before === undefined ? [] : [ratesBetween(before, each)];
  });
  const gauge = (name: string): readonly (number | undefined)[] => samples.map((each) => each.gauges.get(name));
  const seconds = (name: string): readonly (number | undefined)[] => gauge(name).map((each) => each && each * 1000);
  return (
    <div className="charts">
      <Sparkline title="Requests per second" values={rates.map((each) => each.requests)} write={rateText} />
      <Sparkline
        title="Errors (5xx) per second"
        values={rates.map((each) => each.errors)}
        write={rateText}
        isAlarming={(rates.at(-1)?.errors ?? 0) > 0}
      />
      <Sparkline title="95 of 100 within" values={rates.map((each) => each.slow)} write={millisecondsText} />
      <Sparkline title="Delay of the event loop" values={seconds('nodejs_eventloop_lag_p99_seconds')} write={millisecondsText} />
      <Sparkline title="Memory" values={gauge('process_resident_memory_bytes')} write={bytesText} />
      <Sparkline title="Open connections" values={gauge('http_connections_open')} write={(value) => String(value)} />
    </div>
  );
}

function SinceStart({ sample }: { sample: Sample }) {
  const methods = [...new Set(sample.requests.map((each) => each.method))];
  return (
    <Scrolled name="Requests since the start">
      <table className="plain figures">
        <caption>Since the process was started</caption>
        <thead>
          <tr>
            <th scope="col">Method</th>
            <th scope="col">Requests</th>
            <th scope="col">4xx</th>
            <th scope="col">5xx</th>
            <th scope="col">Mean</th>
            <th scope="col">95 of 100 within</th>
          </tr>
        </thead>
        <tbody>
          {methods.map((method) => (
            <MethodRow key={method} method={method} figures={sample.requests.filter((each) => each.method === method)} />
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}

function MethodRow({ method, figures }: { method: string; figures: readonly RequestFigures[] }) {
  const count = (status?: string): number =>
    figures.reduce((sum, each) => (status === undefined || each.status === status ? sum + each.count : sum), 0);
  const total = count();
  const mean = figures.reduce((sum, each) => sum + each.sum, 0) / Math.max(1, total);
  return (
    <tr>
      <th scope="row">{method}</th>
      <td>{total.toLocaleString()}</td>
      <td>{count('4xx').toLocaleString()}</td>
      <td className={count('5xx') > 0 ? 'bad' : undefined}>{count('5xx').toLocaleString()}</td>
      <td>{millisecondsText(mean * 1000)}</td>
      <td>{millisecondsText(quantile(figures, 0.95) ?? 0)}</td>
    </tr>
  );
}
