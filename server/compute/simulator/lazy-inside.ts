import type { Duplex } from 'node:stream';
import type { Clock } from '../../platform/clock.ts';
import { ComputeUnavailableError } from '../driver.ts';
import type { GuestAccess } from './inside.ts';
import type { SimulatorStore } from './store.ts';

/**
 * Loads the inside of guests at the first connection: shell, screen and SSH server are most of the simulator's code,
 * and the start should not wait for them.
 */
export class LazyGuestAccess implements Pick<GuestAccess, 'openSsh' | 'openVnc' | 'look' | 'close'> {
  readonly #store: SimulatorStore;
  readonly #clock: Clock;
  #inside: Promise<GuestAccess> | undefined;
  #closed = false;

  constructor(store: SimulatorStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async openSsh(id: string): Promise<Duplex> {
    return (await this.#load()).openSsh(id);
  }

  async openVnc(id: string): Promise<Duplex> {
    return (await this.#load()).openVnc(id);
  }

  async look(): Promise<void> {
    await (await this.#inside)?.look();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await (await this.#inside)?.close();
  }

  async #load(): Promise<GuestAccess> {
    if (this.#closed) throw new ComputeUnavailableError('the simulator is closed');
    this.#inside ??= import('./inside.ts').then(
      ({ GuestAccess }) => new GuestAccess(this.#store, this.#clock),
    );
    return this.#inside;
  }
}
