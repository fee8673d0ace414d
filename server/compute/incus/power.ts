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
  /** The guest's instance as it is now; throws where it is absent or cannot be seen. */
  need(id: string): Promise<Instance>;
  /** To be called when a guest has gone off. */
  ended(id: string): void;
  /** Aborts when the driver is closed. */
  closed: AbortSignal;
}

const STOPPING = new Set([107, 108]);
const isStopping = ({ status_code: code }: Instance) => STOPPING.has(code);
const cardOf = ({ devices }: Instance) => devices.eth0 ?? {};
const wanted = (instance: Instance) => announced(cardOf(instance), addressesOf(instance));

/**
 * How long Incus itself waits for a guest that was asked to go off, in seconds. Meanwhile nothing else is possible with the
 * instance; so it is short, and whether the guest goes off is looked at from here.
 */
const ASK_SECONDS = 1;
/** A guest does not hear the request before its system has come so far, so that it is repeated. */
const ASK_EVERY_MS = 5_000;
const LOOK_EVERY_MS = 200;
const NOT_OFF_IN_TIME = /deadline exceeded|timed? ?out|Failed shutting down/i;

/** Switches guests on and off. What waits for a guest holds nothing up, so that its power can be cut meanwhile. */
export class Power {
  readonly #parts: PowerParts;

  constructor(parts: PowerParts) {
    this.#parts = parts;
  }

  /** Resolves with the instance that is on, and whose addresses are announced. */
  on(id: string): Promise<Instance> {
    const { clock, instances, need, closed } = this.#parts;
    return converge(clock, {
      look: () => need(id),
      isDone: (instance) =>
        isOn(instance) === true && !isStopping(instance) && isSameCard(cardOf(instance), wanted(instance)),
      step: async (instance) => {
        // One that is just going off is not what is asked for.
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

  /** Cuts the power of what `find` gives, until that is off or absent. */
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

  /** Asks a guest to go off and resolves when it is; throws {@link ShutdownTimeoutError}. */
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
      // In another run it has been off meanwhile, and was started again.
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

  /** Restarts a guest that is on, by a cut of the power unless it obeys. */
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

  /** Whether the guest was asked. */
  async #ask(instance: Instance, signal: AbortSignal): Promise<boolean> {
    const { clock, instances } = this.#parts;
    const body = { action: 'stop', force: false, timeout: ASK_SECONDS };
    try {
      await noteStop(instances, instance, clock.now());
      await instances.work(instance, 'PUT', { below: '/state', body, signal });
      return true;
    } catch (error) {
      if (error instanceof IncusError && NOT_OFF_IN_TIME.test(error.message)) return true;
      // Something else is being done to it: the next look says whether it still has to be asked.
      if (isPassing(error)) return false;
      signal.throwIfAborted();
      throw error;
    }
  }
}

/** Refuses what only a guest that is off can have done to it. */
export function requireOff(instance: Instance, what: string): void {
  if (isOn(instance)) throw new Error(`${idOf(instance)} must be off to be ${what}`);
}
