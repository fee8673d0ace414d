import type { Clock } from '../../platform/clock.ts';
import { ShutdownTimeoutError } from '../driver.ts';
import { IncusError } from './client.ts';
import { converge, isPassing } from './converge.ts';
import { addressesOf, type Instance, idOf, isOn, isUnderWay, KEYS, runOf } from './instance.ts';
import type { Instances } from './instances.ts';
import { announced, isSameCard, unannounced } from './specification.ts';
import { forgetStop, noteStop } from './stop-requests.ts';

export interface PowerParts {
  clock: Clock;
  instances: Instances;
  /** Returns the guest's instance as it is now. Throws if it does not exist or cannot be seen. */
  need(id: string): Promise<Instance>;
  /** Called once a guest is off. */
  ended(id: string): void;
  /** Aborts when the driver is closed. */
  closed: AbortSignal;
}

const STOPPING = new Set([107, 108]);
const isStopping = ({ status_code: code }: Instance) => STOPPING.has(code);
const cardOf = ({ devices }: Instance) => devices.eth0 ?? {};
const wanted = (instance: Instance) => announced(cardOf(instance), addressesOf(instance));

/**
 * Time that Incus itself waits for a guest to shut down, in seconds. It allows no other operation on the instance
 * during that time, so this is short, and the service watches for the power-off itself.
 */
const ASK_SECONDS = 1;
/** A guest ignores the request until its system has booted far enough, so the request is repeated. */
const ASK_EVERY_MS = 5_000;
const LOOK_EVERY_MS = 200;
const NOT_OFF_IN_TIME = /deadline exceeded|timed? ?out|Failed shutting down/i;

/** Switches guests on and off. Waiting for a guest blocks nothing, so its power can be cut in the meantime. */
export class Power {
  readonly #parts: PowerParts;

  constructor(parts: PowerParts) {
    this.#parts = parts;
  }

  /** Resolves with the instance once it is on and its addresses are announced. */
  on(id: string): Promise<Instance> {
    const { clock, instances, need, closed } = this.#parts;
    return converge(clock, {
      look: () => need(id),
      isDone: (instance) =>
        isOn(instance) === true && !isStopping(instance) && isSameCard(cardOf(instance), wanted(instance)),
      step: async (instance) => {
        // An instance that is powering off counts as neither on nor off: wait for it.
        if (isStopping(instance)) return clock.sleep(LOOK_EVERY_MS, closed);
        if (isOn(instance)) return instances.change(instance, { devices: { eth0: wanted(instance) } });
        const bare = unannounced(cardOf(instance));
        if (isUnderWay(instance)) await instances.change(instance, { config: { [KEYS.run]: '' } });
        if (!isSameCard(cardOf(instance), bare))
          await instances.change(instance, { devices: { eth0: bare } });
        await instances.work(instance, 'PUT', { below: '/state', body: { action: 'start' } });
      },
      signal: closed,
    });
  }

  /** Cuts the power of the instance that `find` returns, until it is off or gone. */
  async off(id: string, find: () => Promise<Instance | undefined>): Promise<Instance | undefined> {
    const { clock, instances, ended } = this.#parts;
    const instance = await converge(clock, {
      look: find,
      isDone: (now) => now === undefined || isOn(now) === false,
      step: async (now) => {
        await noteStop(instances, now!, clock.now());
        await instances.work(now!, 'PUT', { below: '/state', body: { action: 'stop', force: true } });
      },
    });
    ended(id);
    return instance;
  }

  /** Asks a guest to shut down and resolves when it is off. Throws {@link ShutdownTimeoutError}. */
  async shutDown(id: string, timeoutSeconds: number, signal?: AbortSignal): Promise<void> {
    const { clock, instances, need, ended, closed } = this.#parts;
    const ending = signal ? AbortSignal.any([signal, closed]) : closed;
    const end = clock.now().getTime() + timeoutSeconds * 1000;
    let run: string | undefined;
    let askAt = 0;
    for (;;) {
      ending.throwIfAborted();
      const instance = await need(id);
      run ??= runOf(instance);
      // A different run means that the guest was off in the meantime and has been started again.
      if (isOn(instance) === false || runOf(instance) !== run) break;
      const now = clock.now().getTime();
      if (now >= end) {
        await forgetStop(instances, instance);
        throw new ShutdownTimeoutError(`${id} did not power off in time`);
      }
      if (now >= askAt) {
        askAt = now + ASK_EVERY_MS;
        if (!(await this.#ask(instance, ending))) askAt = 0;
      }
      await clock.sleep(LOOK_EVERY_MS, ending);
    }
    ended(id);
  }

  /** Restarts a guest that is on. Cuts its power if it does not shut down in time. */
  async restart(id: string, timeoutSeconds: number, signal?: AbortSignal): Promise<Instance> {
    try {
      await this.shutDown(id, timeoutSeconds, signal);
    } catch (error) {
      if (!(error instanceof ShutdownTimeoutError)) throw error;
      await this.off(id, () => this.#parts.need(id));
    }
    signal?.throwIfAborted();
    return this.on(id);
  }

  /** Returns whether the guest was asked. */
  async #ask(instance: Instance, signal: AbortSignal): Promise<boolean> {
    const { clock, instances } = this.#parts;
    const body = { action: 'stop', force: false, timeout: ASK_SECONDS };
    try {
      await noteStop(instances, instance, clock.now());
      await instances.work(instance, 'PUT', { below: '/state', body, signal });
      return true;
    } catch (error) {
      if (error instanceof IncusError && NOT_OFF_IN_TIME.test(error.message)) return true;
      // Another operation is in progress: the next look decides whether to ask again.
      if (isPassing(error)) return false;
      signal.throwIfAborted();
      throw error;
    }
  }
}

export function requireOff(instance: Instance, what: string): void {
  if (isOn(instance)) throw new Error(`${idOf(instance)} must be off to be ${what}`);
}
