import type { Clock } from '../../platform/clock.ts';
import { AgentUnavailableError, ComputeUnavailableError } from '../driver.ts';
import { endRun, type Guest } from './guest.ts';
import { powerAt } from './guest-os/model/guest.ts';
import { isUp } from './power.ts';
import { failureOf, has, type Operation } from './sentinels.ts';
import { requireSight } from './sight.ts';
import type { Stock } from './stock.ts';
import type { Disks, SimulatorStore } from './store.ts';

/** Called before every operation that changes a guest. If it throws, the operation fails with that error. */
export type Faults = (operation: Operation, guestId: string) => void;

/** Delay until a waiting operation notices what another operation, in any process, has done to the guest. */
const LOOK_EVERY_MS = 2_000;

/** Alters a guest and its disks at the time `now`. */
export type Work<T> = (guest: Guest, now: number, disks: Disks) => T | Promise<T>;

interface OperationsParts {
  store: SimulatorStore;
  clock: Clock;
  stock: Stock;
  faults: Faults;
}

/** Runs operations that alter guests or wait for them, and injects the requested failures. */
export class Operations {
  readonly #store: SimulatorStore;
  readonly #clock: Clock;
  readonly #stock: Stock;
  readonly #faults: Faults;
  readonly #closing = new AbortController();

  constructor({ store, clock, stock, faults }: OperationsParts) {
    this.#store = store;
    this.#clock = clock;
    this.#stock = stock;
    this.#faults = faults;
  }

  /**
   * Creates the guest unless it exists, then lets `work` alter it. If its hostname asks for a failure, the guest is
   * created anyway.
   */
  async make(operation: Operation, id: string, guest: Guest, work?: Work<unknown>): Promise<void> {
    this.#begin(operation, id);
    const isNew = await this.#store.insertGuest(id, guest);
    const isDone = isNew && !work && !failureOf(operation, guest.hostname, guest.spent);
    if (!isDone) await this.#alter(operation, id, work ?? (() => {}), refuseAbsent);
  }

  /**
   * Lets `work` alter the guest atomically. A run that has ended by then is closed first, so `guest.run` tells whether
   * the guest is on.
   */
  async change<T>(
    operation: Operation,
    id: string,
    work: Work<T>,
    ifAbsent: (id: string) => T = refuseAbsent,
  ): Promise<T> {
    this.#begin(operation, id);
    return this.#alter(operation, id, work, ifAbsent);
  }

  /** Same as `change`, for work that needs a running guest whose agent answers. */
  changeInside(operation: Operation, id: string, work: (guest: Guest) => void): Promise<void> {
    return this.change(operation, id, (guest, now) => {
      requireAgent(id, guest, now);
      work(guest);
    });
  }

  /** Waits until the time that `when` returns. Calls it again whenever the guest may have changed. */
  async wait(
    id: string,
    when: (guest: Guest | undefined, now: number) => number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const ending = signal ? AbortSignal.any([signal, this.closing]) : this.closing;
    for (;;) {
      ending.throwIfAborted();
      const guest = await this.read(id);
      const now = this.#clock.now().getTime();
      const left = when(guest, now) - now;
      if (left <= 0) return;
      await this.#clock.sleep(Math.min(left, LOOK_EVERY_MS), ending);
    }
  }

  /** Returns the stored guest. Throws {@link ComputeUnavailableError} if its host cannot be reached. */
  async read(id: string): Promise<Guest | undefined> {
    const seen = await this.#store.seeGuest(id);
    if (seen) this.#stock.requireReachable(seen.guest, seen.lost);
    return seen?.guest;
  }

  /** Aborts when {@link close} is called. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Ends every wait and refuses all later calls. */
  close(): void {
    this.#closing.abort(new ComputeUnavailableError('the simulator is closed'));
  }

  #begin(operation: Operation, id: string): void {
    this.closing.throwIfAborted();
    this.#faults(operation, id);
  }

  async #alter<T>(operation: Operation, id: string, work: Work<T>, ifAbsent: (id: string) => T): Promise<T> {
    const outcome = await this.#store.changeGuest(id, async (guest, disks, lost): Promise<() => T> => {
      this.#stock.requireReachable(guest, lost);
      const failure = failureOf(operation, guest.hostname, guest.spent);
      if (failure) {
        // Thrown after the commit, because a failure that happens only once must be recorded.
        guest.spent = [...new Set([...guest.spent, operation])];
        return () => {
          throw failure;
        };
      }
      const now = this.#clock.now().getTime();
      if (operation !== 'powerOff' && operation !== 'remove') requireSight(id, guest, now);
      if (powerAt(guest, now) === 'off') endRun(id, guest, now);
      const result = await work(guest, now, disks);
      return () => result;
    });
    return outcome ? outcome() : ifAbsent(id);
  }
}

function refuseAbsent(id: string): never {
  throw new Error(`the simulator has no guest ${id}`);
}

function requireAgent(id: string, guest: Guest, now: number): void {
  if (!isUp(guest, now)) throw new AgentUnavailableError(`${id} is not running`);
  if (has(guest.hostname, 'hasNoAgent')) throw new AgentUnavailableError(`nothing inside ${id} answers`);
}
