import { PassThrough, type Readable } from 'node:stream';
import type { AgentRunRow } from '../db/queries/vms/agent-runs.ts';
import type { Clock } from '../platform/clock.ts';
import type { AgentEvents, AgentEventType } from './events.ts';
import { PING_MS, SEND_BUFFER_BYTES } from './limits.ts';

/** A stream of server-sent events to one client. */
export class EventStream {
  readonly #stream = new PassThrough({ highWaterMark: SEND_BUFFER_BYTES });
  readonly #closed = new AbortController();

  constructor(clock: Clock) {
    this.#stream.once('close', () => this.#closed.abort());
    // A client that disconnects is not an error; the signal reports it.
    this.#stream.on('error', () => {});
    void this.#ping(clock);
  }

  get readable(): Readable {
    return this.#stream;
  }

  /** Aborts when the client has disconnected or the stream has ended. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Sends an event. Await {@link drained} before sending large amounts. */
  send(id: number, event: string, data: object): void {
    this.#write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Resolves when the client has read all but a small remainder, has disconnected, or `signal` aborts. */
  drained(signal: AbortSignal): Promise<void> {
    if (!this.#stream.writableNeedDrain || this.closed.aborted || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#stream.off('drain', done).off('close', done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#stream.once('drain', done).once('close', done);
      signal.addEventListener('abort', done, { once: true });
    });
  }

  /** Ends the stream; cuts it off if the client does not read. */
  end(): void {
    if (this.#stream.writableNeedDrain) this.#stream.destroy();
    else this.#stream.end();
  }

  #write(text: string): void {
    if (this.#stream.writable) this.#stream.write(text);
  }

  /** Prevents proxies from treating a long silence as the end. */
  async #ping(clock: Clock): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      await clock.sleep(PING_MS, signal).catch(() => {});
      if (!signal.aborted && !this.#stream.writableNeedDrain) this.#write(': ping\n\n');
    }
  }
}

/** Numbers the events of a run across all of its streams, and sends them. */
export class AgentEventEmitter {
  /** Number of the last event. */
  seq: number;
  readonly #clock: Clock;
  readonly #stream: EventStream;
  readonly #run: Pick<AgentRunRow, 'id' | 'session_id'>;

  constructor(clock: Clock, stream: EventStream, run: AgentRunRow) {
    this.#clock = clock;
    this.#stream = stream;
    this.#run = run;
    this.seq = run.event_seq;
  }

  emit<T extends AgentEventType>(type: T, fields: AgentEvents[T]): void {
    const { id: run_id, session_id } = this.#run;
    const seq = ++this.seq;
    const at = this.#clock.now().toISOString();
    this.#stream.send(seq, type, { type, seq, run_id, session_id, at, ...fields });
  }
}
