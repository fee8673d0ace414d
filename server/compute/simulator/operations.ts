import type { Clock } from '../../platform/clock.ts';
import { powerAt } from '../../simulated-guest/model/guest.ts';
import { AgentUnavailableError, ComputeUnavailableError } from '../driver.ts';
import { endRun, type Guest } from './guest.ts';
import { isUp } from './power.ts';
import { failureOf, has, type Operation } from './sentinels.ts';
import { requireSight } from './sight.ts';
import type { Stock } from './stock.ts';
import type { Disks, SimulatorStore } from './store.ts';

/** Called before every operation that changes a guest; what it throws is the operation's failure. */
export type Faults = (operation: Operation, guestId: string) => void;

/** How late a waiting operation notices what another one, of any process, did to the guest meanwhile. */
const LOOK_EVERY_MS = 2_000;

/** Alters a guest, and its disks, at the instant `now`. */
export type Work<T> = (guest: Guest, now: number, disks: Disks) => T | Promise<T>;

interface OperationsParts {
  store: SimulatorStore;
  clock: Clock;
  stock: Stock;
  faults: Faults;
}

/** How operations alter guests and wait for them, with the failures that are provoked. */
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

  /** Makes the guest unless it exists, and lets `work` alter it. A failure that its hostname asks for leaves it made. */
  async make(operation: Operation, id: string, guest: Guest, work?: Work<unknown>): Promise<void> {
    this.#begin(operation, id);
    const isNew = await this.#store.insertGuest(id, guest);
    const isDone = isNew && !work && !failureOf(operation, guest.hostname, guest.spent);
    if (!isDone) await this.#alter(operation, id, work ?? (() => {}), refuseAbsent);
  }

  /**
   * Lets `work` alter the guest atomically; a run that is over by then has been
   * closed, so `guest.run` says whether it is on.
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

  /** The same for what needs the guest running, with something inside that answers. */
  changeInside(operation: Operation, id: string, work: (guest: Guest) => void): Promise<void> {
    return this.change(operation, id, (guest, now) => {
      requireAgent(id, guest, now);
      work(guest);
    });
  }

  /** Waits until the instant that `when` names, asking it again whenever the guest may have changed. */
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

  /** The guest as stored; {@link ComputeUnavailableError} where its host cannot be reached. */
  async read(id: string): Promise<Guest | undefined> {
    const seen = await this.#store.seeGuest(id);
    if (seen) this.#stock.requireReachable(seen.guest, seen.lost);
    return seen?.guest;
  }

  /** Aborts when {@link close} is called. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Ends every wait, and refuses whatever comes later. */
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
        // Thrown only after the commit: a failure that happens once must be remembered.
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
