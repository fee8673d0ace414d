/** Connection, retries and time limits of a client. */
export interface ClientOptions {
  /** Such as `https://cloud.example`, without `/v1`. */
  baseUrl: string;
  /** Begins with `vk_`. Never put it into code that reaches a browser. */
  apiKey: string;
  /** Retries of a request that is safe to repeat; 5 by default. */
  maxRetries?: number;
  /**
   * Time limit of an attempt in milliseconds, in addition to the wait requested from the service; 60,000 by default.
   */
  timeoutMs?: number;
  /** The most requests per minute that this client sends; by default 120, the limit of a key. */
  requestsPerMinute?: number;
  /** Called after every attempt, for logs. Errors that it throws are ignored. */
  onAttempt?: (attempt: Attempt) => void;
  /** Replaces the global `fetch`. */
  fetch?: (url: string, init: RequestInit) => Promise<Reply>;
  /** Replaces the global `WebSocket`, which Node has since version 22. */
  WebSocket?: typeof WebSocket;
  /** Replaces the system clock. */
  clock?: ClientClock;
  /** Replaces `Math.random`, which spreads the pauses before retries. */
  random?: () => number;
}

/** The parts of a `Response` that the client uses. */
export interface Reply {
  status: number;
  headers: { get(name: string): string | null };
  text(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
  body: ReadableStream<Uint8Array> | null;
}

export interface ClientClock {
  /** Milliseconds since an arbitrary instant; never decreases. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason if it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface RequestOptions {
  /** Aborts the request, its retries and its waits. */
  signal?: AbortSignal;
  timeoutMs?: number;
  maxRetries?: number;
}

/** Options of operations that charge or refund money. */
export interface PaidOptions extends RequestOptions {
  /**
   * Identifies the operation, so that it is done only once. By default each call gets a new key, which its retries
   * reuse.
   */
  idempotencyKey?: string;
}

/** A finished attempt of a request. */
export interface Attempt {
  operation: string;
  method: string;
  url: string;
  /** Begins at 1. */
  number: number;
  durationMs: number;
  /** Absent if no complete reply was received. */
  status?: number;
  requestId?: string;
  error?: unknown;
  /** Milliseconds until the next attempt; absent if there is none. */
  retryInMs?: number;
}
