/** How a client reaches its service, and with which patience. */
export interface ClientOptions {
  /** Such as `https://cloud.example`, without `/v1`. */
  baseUrl: string;
  /** Begins with `vk_`. Never put it into code that reaches a browser. */
  apiKey: string;
  /** How often an attempt that may be repeated is repeated; 5 when absent. */
  maxRetries?: number;
  /** How long an attempt may take, in milliseconds, besides what the service is asked to wait; 60,000 when absent. */
  timeoutMs?: number;
  /** Requests a minute that this client sends at most; 120, which a key may send, when absent. */
  requestsPerMinute?: number;
  /** Sees every attempt, for logs. What it throws is ignored. */
  onAttempt?: (attempt: Attempt) => void;
  /** In place of the global `fetch`. */
  fetch?: (url: string, init: RequestInit) => Promise<Reply>;
  /** In place of the global `WebSocket`, which Node has from version 22 on. */
  WebSocket?: typeof WebSocket;
  /** In place of the machine's clock. */
  clock?: ClientClock;
  /** In place of `Math.random`, by which the pauses before repeats differ. */
  random?: () => number;
}

/** What the client reads of a `Response`. */
export interface Reply {
  status: number;
  headers: { get(name: string): string | null };
  text(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
  body: ReadableStream<Uint8Array> | null;
}

/** What the client knows of time. */
export interface ClientClock {
  /** Milliseconds since any instant; never goes back. */
  now(): number;
  /** Resolves after so many milliseconds; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Options of every request. */
export interface RequestOptions {
  /** Ends the request, its retries and its waits. */
  signal?: AbortSignal;
  timeoutMs?: number;
  maxRetries?: number;
}

/** Options of an operation that costs or gives back money. */
export interface PaidOptions extends RequestOptions {
  /** Your name for what you want done. One is made for each call when absent, and kept for its retries. */
  idempotencyKey?: string;
}

/** One attempt of a request, as it has ended. */
export interface Attempt {
  operation: string;
  method: string;
  url: string;
  /** 1 is the first. */
  number: number;
  durationMs: number;
  /** Absent where no whole answer came. */
  status?: number;
  requestId?: string;
  error?: unknown;
  /** Until the next attempt; absent where there is none. */
  retryInMs?: number;
}
