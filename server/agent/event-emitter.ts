import type { AgentRunRow } from '../db/queries/agent-runs.ts';
import type { Clock } from '../platform/clock.ts';
import type { EventStream } from './event-stream.ts';
import type { AgentEvents, AgentEventType } from './events.ts';

/** Numbers the events of a run, over all of its streams, and sends them. */
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
