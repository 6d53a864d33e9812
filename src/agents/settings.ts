// What is configured of language models: which ones there are, and how much a run may use.

export interface ModelSettings {
  readonly provider: ProviderName;
  readonly model: string | undefined;
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
}

export const providerNames = ['openai', 'openai-responses', 'anthropic', 'scripted'] as const;
export type ProviderName = (typeof providerNames)[number];

export type MatchLevel = 'exact' | 'normalized' | 'repair';

export interface AgentSettings extends ModelSettings {
  /** Further models by name, each whole: what one does not say is that of the first. */
  readonly models: ReadonlyMap<string, ModelSettings>;
  /** Names of models that are asked in turn where one gives no reply. */
  readonly fallbacks: readonly string[];
  /** File of replies for the provider `scripted`. */
  readonly script: string | undefined;
  /** Folders in which replies are kept, and from which they are taken in place of asking anybody. */
  readonly record: string | undefined;
  readonly replay: string | undefined;
  /** By the names that vendors have for their models. */
  readonly prices: ReadonlyMap<string, Price>;
  /** Where spans of what agents do are sent; absent: nowhere. */
  readonly telemetry: TelemetrySettings | undefined;
  /** Hosts that documents may be read from. */
  readonly documentHosts: readonly string[];
  /** Days that runs are kept, with what was said in them. */
  readonly keepDays: number;
  readonly match: MatchLevel;
  readonly limits: RunLimits;
}

export interface TelemetrySettings {
  /** The whole address. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly service: string;
  /** Whether messages and replies are part of the spans. */
  readonly content: boolean;
}

/** Of a million tokens, as texts of decimals. */
export interface Price {
  readonly input: string;
  readonly output: string;
}

export interface RunLimits {
  /** Bytes of a message. */
  readonly message: number;
  /** Tokens of one reply. */
  readonly output: number;
  /** Replies of one step. */
  readonly turns: number;
  /** Tokens of one run. */
  readonly tokens: number;
  /** Writes of one run. */
  readonly writes: number;
  /** Runs at the same time, of all users and of one. */
  readonly runs: number;
  readonly runsPerUser: number;
  /** Tokens of one user in a day. */
  readonly dailyTokens: number;
  /** Seconds of one call of a model, of an agent's run and of a flow's. */
  readonly call: number;
  readonly run: number;
  readonly flow: number;
}
