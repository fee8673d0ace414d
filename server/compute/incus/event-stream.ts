import { once } from 'node:events';
import type WebSocket from 'ws';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';
import { parseJson } from '../../platform/peer/json.ts';
import { Reconciler } from '../../platform/reconciler.ts';
import type { GuestEvents } from '../guest-events.ts';
import { eventOf } from '../guest-events.ts';
import { type Instance, idOf, isGuest, isOn, isUnderWay, runOf } from './instance.ts';
import type { Instances } from './instances.ts';
import type { Members } from './members.ts';
import { wasStopAsked } from './stop-requests.ts';

export interface EventStreamParts {
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
  members: Members;
  instances: Instances;
  project: string;
  events: GuestEvents;
  /** Called once a guest is off; `isAsked` if a request to the cluster caused it. */
  ended(id: string, isAsked: boolean): void;
  /** Called with each guest that is on. */
  seen(instance: Instance): void;
}

interface Lifecycle {
  metadata: { action: string; source: string; requestor?: object };
}

/** Pause after a stream has ended or failed to open. */
const PAUSE_MS = 1_000;
const PING_MS = 10_000;
/** Events processed at once. */
const MAX_UNDER_WAY = 20_000;
const OFF = ['instance-shutdown', 'instance-stopped'];
const RESTARTED = 'instance-restarted';
const LAST_POWER = 'volatile.last_state.power';

/**
 * Reports power changes that guests make themselves, from the cluster's event stream. Incus does not repeat events
 * missed while no stream is open, so all instances are looked at each time a stream opens.
 */
export class EventStream {
  readonly #parts: EventStreamParts;
  readonly #streams: Reconciler;
  /** The last running run seen of each guest. If the guest is off at the next look, the event was missed. */
  readonly #runs = new Map<string, string>();
  #isOpen = false;
  #isDown = false;

  constructor(parts: EventStreamParts) {
    this.#parts = parts;
    this.#streams = new Reconciler({
      run: (signal) => this.#once(signal),
      onFailure: (error) => this.#failed(error),
      pauses: { clock: parts.clock, everyMs: PAUSE_MS },
    });
  }

  open(): void {
    if (!this.#isOpen) this.#streams.kick();
    this.#isOpen = true;
  }

  /** Called before a requested stop, so that it is not reported as an event. */
  expected(id: string): void {
    this.#runs.delete(id);
  }

  close(): Promise<void> {
    return this.#streams.close();
  }

  #failed(error: unknown): void {
    if (!this.#isDown)
      this.#parts.logger.warn({ err: error }, 'events of the cluster are not being received');
    this.#isDown = true;
  }

  /** Hears one stream until it ends or `signal` aborts. */
  async #once(signal: AbortSignal): Promise<void> {
    const { members, clock, project } = this.#parts;
    const client = members.clientForEvents();
    const socket = client.socket(`/1.0/events?type=lifecycle&project=${project}`);
    const terminate = () => socket.terminate();
    signal.addEventListener('abort', terminate);
    const gone = new AbortController();
    socket.on('close', () => gone.abort());
    socket.on('error', () => members.failed(client));
    let underWay = 0;
    socket.on('message', (data: Buffer) => {
      // More than a cluster has guests. Nothing is lost: all instances are looked at when the next stream opens.
      if (++underWay > MAX_UNDER_WAY) return socket.terminate();
      this.#hear(socket, data)
        .catch(() => socket.terminate())
        .finally(() => underWay--);
    });
    try {
      await once(socket, 'open', { signal: gone.signal });
      await this.#lookAtAll();
      this.#isDown = false;
      let answered = true;
      socket.on('pong', () => {
        answered = true;
      });
      while (!gone.signal.aborted && answered) {
        answered = false;
        socket.ping();
        await clock.sleep(PING_MS, gone.signal).catch(() => {});
      }
    } finally {
      signal.removeEventListener('abort', terminate);
      socket.terminate();
    }
  }

  async #lookAtAll(): Promise<void> {
    for (const instance of (await this.#parts.instances.list()).filter(isGuest)) {
      const run = this.#runs.get(idOf(instance));
      if (isOn(instance)) this.#goesOn(instance);
      // During a live move, an instance is on neither member for a moment.
      else if (isOn(instance) === false && run === runOf(instance) && !isUnderWay(instance))
        this.#wentOff(instance);
    }
  }

  async #hear(socket: WebSocket, message: Buffer): Promise<void> {
    const { action, source, requestor } = (parseJson(message, 'the cluster') as Lifecycle).metadata;
    const name = /^\/1\.0\/instances\/([^/?]+)(?:\?|$)/.exec(source)?.[1];
    if (!name || !(OFF.includes(action) || action === RESTARTED || action === 'instance-started')) return;
    const instance = await this.#parts.instances.find(name).catch(() => {
      // The event would be lost. Ending the stream makes the next one look at all instances.
      socket.terminate();
      return undefined;
    });
    if (!instance || !isGuest(instance)) return;
    const isAsked = requestor !== undefined;
    if (OFF.includes(action)) {
      if (isOn(instance) === false && !isAsked) this.#wentOff(instance);
      else if (isOn(instance) === false) this.#parts.ended(idOf(instance), true);
      return;
    }
    if (action === RESTARTED && !isAsked) this.#rebooted(instance);
    if (isOn(instance)) this.#goesOn(instance);
  }

  #goesOn(instance: Instance): void {
    this.#runs.set(idOf(instance), runOf(instance));
    this.#parts.seen(instance);
  }

  /** A guest that went down with its host should be running; one that was switched off from the inside should not. */
  #wentOff(instance: Instance): void {
    const { clock, events, ended } = this.#parts;
    const id = idOf(instance);
    this.#runs.delete(id);
    ended(id, false);
    const at = clock.now();
    const distinct = runOf(instance);
    const isCrash = instance.config[LAST_POWER] === 'RUNNING';
    // A daemon that died during a requested stop completes it afterwards, but no longer reports that it was requested.
    if (!isCrash && wasStopAsked(instance, at)) return;
    events.emit(
      isCrash
        ? eventOf(id, {
            type: 'guest.crashed',
            level: 'error',
            message: 'The guest went down with its host.',
            at,
            distinct,
          })
        : eventOf(id, {
            type: 'guest.powered_off',
            level: 'info',
            message: 'The guest powered itself off.',
            at,
            distinct,
          }),
    );
  }

  #rebooted(instance: Instance): void {
    const { clock, events } = this.#parts;
    const message = 'The guest has rebooted itself.';
    const notice = {
      type: 'guest.rebooted',
      level: 'info',
      message,
      at: clock.now(),
      distinct: runOf(instance),
    } as const;
    events.emit(eventOf(idOf(instance), notice));
  }
}
