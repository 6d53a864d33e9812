// Spans of what agents do, by the conventions of OpenTelemetry for generative AI, sent as OTLP over HTTP. Loaded only where an exporter is configured.

import type { Clock } from '../../clock.ts';
import type { Attributes, Span, Tracer } from '../run.ts';
import type { TelemetrySettings } from '../settings.ts';

/** Spans that wait to be sent at the most: where nobody takes them, the newest are given up. */
const mostWaiting = 2048;
const batch = 512;
/** Milliseconds. */
const every = 5000;
const patience = 10_000;

interface Ended {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly object[];
  readonly status: object;
}

export function openTracer(settings: TelemetrySettings, clock: Clock, failed: (thrown: unknown, what: string) => void): Tracer {
  let waiting: Ended[] = [];
  let sending: Promise<void> = Promise.resolve();
  const send = async (spans: readonly Ended[]): Promise<void> => {
    try {
      const response = await fetch(settings.endpoint, {
        method: 'POST',
        headers: { ...settings.headers, 'content-type': 'application/json' },
        body: JSON.stringify(bodyOf(spans, settings.service)),
        signal: AbortSignal.timeout(patience),
      });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`the collector answered ${response.status}`);
    } catch (thrown) {
      failed(thrown, 'sending spans');
    }
  };
  const flush = (): Promise<void> => {
    const spans = waiting;
    waiting = [];
    if (spans.length > 0) sending = sending.then(() => send(spans));
    return sending;
  };
  const timer = setInterval(() => void flush(), every);
  timer.unref();
  return {
    content: settings.content,
    start(name, attributes, parent): Span {
      const [traceId, spanId] = [parent?.traceId ?? clock.uuid().replaceAll('-', ''), clock.uuid().replaceAll('-', '').slice(16)];
      const startTimeUnixNano = nanoseconds(clock);
      return {
        traceId,
        spanId,
        end(more = {}, error) {
          if (waiting.length >= mostWaiting) return;
          waiting.push({
            ...{ traceId, spanId, name, startTimeUnixNano },
            ...(parent === undefined ? {} : { parentSpanId: parent.spanId }),
            // A call of a language model goes to somebody else.
            kind: name.startsWith('chat') ? 3 : 1,
            endTimeUnixNano: nanoseconds(clock),
            attributes: listed({ ...attributes, ...more, ...(error === undefined ? {} : { 'error.type': error }) }),
            status: error === undefined ? {} : { code: 2, message: error },
          });
          if (waiting.length >= batch) void flush();
        },
      };
    },
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}

function nanoseconds(clock: Clock): string {
  return `${clock.now().getTime()}000000`;
}

function bodyOf(spans: readonly Ended[], service: string): object {
  const resource = { attributes: listed({ 'service.name': service }) };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'platform' }, spans }] }] };
}

function listed(attributes: Attributes): readonly object[] {
  return Object.entries(attributes).flatMap(([key, value]): readonly object[] => {
    if (value === undefined) return [];
    if (typeof value === 'string') return [{ key, value: { stringValue: value } }];
    return [{ key, value: Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value } }];
  });
}
