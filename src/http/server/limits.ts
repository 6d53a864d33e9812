// What the server is told: where it listens, and the bounds within which it serves anyone.

export interface ServerSettings {
  readonly port: number;
  /** Absent: loopback, both address families. */
  readonly host?: string | undefined;
  /** PEM texts, not files. */
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer } | undefined;
  /** Whether the last address in `X-Forwarded-For`, which the proxy in front has set, is the caller's. */
  readonly trustProxy?: boolean;
  /** Origins whose pages may call; `*` is every origin. */
  readonly corsOrigins?: readonly string[];
  /** At most `max` requests of one address in `window` seconds. */
  readonly rateLimit?: RateLimit | undefined;
  readonly limits: ServerLimits;
}

export interface RateLimit {
  readonly max: number;
  readonly window: number;
}

/** Sizes in bytes, times in milliseconds. */
export interface ServerLimits {
  readonly body: number;
  readonly url: number;
  readonly headers: number;
  readonly headerCount: number;
  readonly headersTimeout: number;
  /** From the first byte of a request to its last. */
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  /** How often the times above are looked at. */
  readonly checkInterval: number;
  /** How long a caller may leave a full buffer of an answer unread. */
  readonly stallTimeout: number;
  readonly connections: number;
  readonly connectionsPerAddress: number;
  readonly backlog: number;
  /** Requests under way at once, and further ones, each of a network that has none under way. */
  readonly requests: number;
  readonly requestsReserved: number;
  /** Those that wait for a place, and for how long. */
  readonly requestsWaiting: number;
  readonly requestWait: number;
}

export const defaultLimits: ServerLimits = {
  body: 1024 * 1024,
  url: 8 * 1024,
  headers: 16 * 1024,
  headerCount: 100,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  checkInterval: 5_000,
  stallTimeout: 30_000,
  connections: 5_000,
  connectionsPerAddress: 200,
  backlog: 1024,
  requests: 1_000,
  requestsReserved: 250,
  requestsWaiting: 5_000,
  requestWait: 5_000,
};
