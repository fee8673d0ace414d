import { once } from 'node:events';
import type WebSocket from 'ws';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';
import { parseJson } from '../../platform/peer/json.ts';
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
  /** To be called when a guest has gone off; `isAsked` where somebody had asked the cluster for it. */
  ended(id: string, isAsked: boolean): void;
  /** To be called with each guest that is on. */
  seen(instance: Instance): void;
}

interface Lifecycle {
  metadata: { action: string; source: string; requestor?: object };
}

/** After a stream has ended, or could not be had. */
const PAUSE_MS = 1_000;
/** How often the stream is asked whether its other end is there. */
const PING_MS = 10_000;
/** Events that are looked into at once. */
const MAX_UNDER_WAY = 20_000;
const OFF = ['instance-shutdown', 'instance-stopped'];
const RESTARTED = 'instance-restarted';
const LAST_POWER = 'volatile.last_state.power';

/**
 * What instances do by themselves, as the cluster reports it. Nothing is repeated of what happens while no stream is open, so
 * that all instances are looked at whenever one is opened.
 */
export class EventStream {
  readonly #parts: EventStreamParts;
  readonly #closing = new AbortController();
  /** Runs that were seen going on, by the guest: one that is off at the next look has ended unheard. */
  readonly #runs = new Map<string, string>();
  #following: Promise<void> | undefined;
  #socket: WebSocket | undefined;
  #isDown = false;

  constructor(parts: EventStreamParts) {
    this.#parts = parts;
  }

  /** Follows what happens from now on. */
  open(): void {
    this.#following ??= this.#follow();
  }

  /** The end of a run that was asked for is no news. */
  expected(id: string): void {
    this.#runs.delete(id);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#socket?.terminate();
    await this.#following;
  }

  async #follow(): Promise<void> {
    const { clock, logger } = this.#parts;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        await this.#once();
      } catch (error) {
        if (!this.#isDown && !signal.aborted)
          logger.warn({ err: error }, 'events of the cluster are not heard');
        this.#isDown = true;
      }
      await clock.sleep(PAUSE_MS, signal).catch(() => {});
    }
  }

  /** From one stream's beginning to its end. */
  async #once(): Promise<void> {
    const { members, clock, project } = this.#parts;
    const client = members.clientForEvents();
    const socket = client.socket(`/1.0/events?type=lifecycle&project=${project}`);
    this.#socket = socket;
    if (this.#closing.signal.aborted) socket.terminate();
    const gone = new AbortController();
    socket.on('close', () => gone.abort());
    socket.on('error', () => members.failed(client));
    let underWay = 0;
    socket.on('message', (data: Buffer) => {
      // More than a cluster has guests: whatever happens is seen by the look at all when the next stream is open.
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
      socket.terminate();
    }
  }

  async #lookAtAll(): Promise<void> {
    for (const instance of (await this.#parts.instances.list()).filter(isGuest)) {
      const run = this.#runs.get(idOf(instance));
      if (isOn(instance)) this.#goesOn(instance);
      // One that moves as it runs is on neither member for a moment.
      else if (isOn(instance) === false && run === runOf(instance) && !isUnderWay(instance))
        this.#wentOff(instance);
    }
  }

  async #hear(socket: WebSocket, message: Buffer): Promise<void> {
    const { action, source, requestor } = (parseJson(message, 'the cluster') as Lifecycle).metadata;
    const name = /^\/1\.0\/instances\/([^/?]+)(?:\?|$)/.exec(source)?.[1];
    if (!name || !(OFF.includes(action) || action === RESTARTED || action === 'instance-started')) return;
    const instance = await this.#parts.instances.find(name).catch(() => {
      // What it has done would be lost: all are looked at once the next stream is open.
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

  /** A guest that its host took down with itself should run; one that was switched off from the inside should not. */
  #wentOff(instance: Instance): void {
    const { clock, events, ended } = this.#parts;
    const id = idOf(instance);
    this.#runs.delete(id);
    ended(id, false);
    const at = clock.now();
    const distinct = runOf(instance);
    const isCrash = instance.config[LAST_POWER] === 'RUNNING';
    // A daemon that died over what was asked of it has forgotten that it was asked, and finishes it all the same.
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
            message: 'The guest has powered itself off.',
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
