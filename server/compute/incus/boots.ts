import type { Clock } from '../../platform/clock.ts';
import { eventOf, type GuestEvents, type GuestNotice } from '../guest-events.ts';
import { SSH_PORT, untilAnswered } from '../inside/ssh.ts';
import type { Inside } from './inside.ts';
import { IMAGE_KEYS, type Instance, idOf, imageOf, isOn, KEYS, runOf } from './instance.ts';

export interface BootsParts {
  clock: Clock;
  inside: Inside;
  events: GuestEvents;
  /** Sets a key of the guest's configuration if the guest is still in the same run. */
  note(instance: Instance, key: string, text: string): Promise<void>;
}

const DEFAULT_READINESS = `port:${SSH_PORT}`;
const NOTHING = 'none';
const DEFAULT_SECONDS = 300;
/** Time limit for a booted guest to answer. */
const ALIVE_MS = 10_000;
const PORT = /^port:([1-9][0-9]{0,4})$/;

/**
 * Waits once per run for started guests to become ready, and records in the guest's configuration that the wait is
 * over.
 */
export class Boots {
  readonly #parts: BootsParts;
  readonly #waits = new Map<string, { run: string; over: AbortController; ended: Promise<void> }>();
  /** The last run of each guest for which the wait is over. */
  readonly #booted = new Map<string, string>();

  constructor(parts: BootsParts) {
    this.#parts = parts;
  }

  /**
   * Returns whether the wait for the guest is over. Begins it if the guest is on and its current run has not been
   * waited for.
   */
  isBooted(instance: Instance): boolean {
    if (!isOn(instance)) return false;
    const id = idOf(instance);
    const run = runOf(instance);
    if (instance.config[KEYS.booted] === run || this.#booted.get(id) === run) return true;
    if (readinessOf(instance) === NOTHING) return true;
    if (this.#waits.get(id)?.run !== run) this.#begin(id, run, instance);
    return false;
  }

  /** Returns whether a booted guest answers in the way its image defines; false if the image defines none. */
  async answers(instance: Instance, signal: AbortSignal): Promise<boolean> {
    const readiness = readinessOf(instance);
    if (readiness === NOTHING) return false;
    return untilAnswered(this.#parts.clock, this.#asking(instance, readiness), ALIVE_MS, signal);
  }

  /** Called once a guest is off. */
  end(id: string): void {
    this.#waits.get(id)?.over.abort();
    this.#waits.delete(id);
    this.#booted.delete(id);
  }

  async close(): Promise<void> {
    const waits = [...this.#waits.values()];
    for (const { over } of waits) over.abort();
    await Promise.allSettled(waits.map(({ ended }) => ended));
  }

  #begin(id: string, run: string, instance: Instance): void {
    this.end(id);
    const over = new AbortController();
    const ended = this.#wait(id, run, instance, over.signal)
      .catch(() => {})
      .finally(() => {
        if (this.#waits.get(id)?.over === over) this.#waits.delete(id);
      });
    this.#waits.set(id, { run, over, ended });
  }

  async #wait(id: string, run: string, instance: Instance, signal: AbortSignal): Promise<void> {
    const { clock, events, note } = this.#parts;
    const readiness = readinessOf(instance);
    const seconds = Number(imageOf(instance, IMAGE_KEYS.readyWithinSeconds) ?? DEFAULT_SECONDS);
    const asking = this.#asking(instance, readiness);
    const isReady = await untilAnswered(clock, asking, seconds * 1000, signal);
    if (signal.aborted) return;
    this.#booted.set(id, run);
    const at = clock.now();
    const notice: GuestNotice = isReady
      ? {
          type: 'guest.ready',
          level: 'info',
          message: 'The guest has booted and is ready.',
          at,
          distinct: run,
        }
      : {
          type: 'guest.warning',
          level: 'warning',
          message: `The guest runs, but nothing answered on its TCP port ${portOf(readiness)} within ${seconds} s of its boot.`,
          waitedFor: readiness,
          at,
          distinct: run,
        };
    events.emit(eventOf(id, notice));
    await note(instance, KEYS.booted, run);
  }

  #asking(instance: Instance, readiness: string) {
    const port = portOf(readiness);
    return {
      open: (tried: AbortSignal) => this.#parts.inside.connect(instance, port, tried),
      greets: port === SSH_PORT,
    };
  }
}

const portOf = (readiness: string) => Number(PORT.exec(readiness)![1]);

/** Returns the image's readiness check. An unknown value counts as the default. */
function readinessOf(instance: Instance): string {
  const text = imageOf(instance, IMAGE_KEYS.readiness);
  return text === NOTHING || (text && PORT.test(text)) ? text : DEFAULT_READINESS;
}
