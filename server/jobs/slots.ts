/** The owner of a job: a customer, or the service itself, for example for a suspension. */
export type Lane = 'customer' | 'service';

export interface Holder {
  accountId: string;
  lane: Lane;
}

/**
 * One slot in this many is never taken by customers. With fewer slots than this in total, the service's jobs only go
 * first.
 */
const RESERVED_ONE_IN = 8;
/** The largest share of all slots for the service's own jobs, and of the customers' slots for one account. */
const SERVICE_SHARE = 1 / 2;
const ACCOUNT_SHARE = 3 / 4;
/** Jobs per slot that may be away waiting for their guests; any others keep their slots while they wait. */
const AWAY_PER_SLOT = 8;
/** Share of these jobs that one account may have. */
const ACCOUNT_AWAY_SHARE = 1 / 4;

/**
 * Slots for the jobs that a node works on at the same time. No account can take them all, and the service's own jobs
 * always find one. A job that waits for its guest lends its slot to others in the meantime.
 */
export class Slots {
  readonly #limit: number;
  readonly #onRoom: () => void;
  readonly #held = new Tally();
  readonly #away = new Tally();
  /** Jobs that are back from waiting; they go before new jobs. */
  readonly #returning = new Set<{ holder: Holder; enter: () => void }>();

  /** `onRoom` is called when a slot is free that no returning job can use. */
  constructor(limit: number, onRoom: () => void) {
    this.#limit = limit;
    this.#onRoom = onRoom;
  }

  /** Returns whether a job in this lane may find a slot, unless its account has used up its share. */
  hasRoom(lane: Lane): boolean {
    const limit = this.#limit;
    if (this.#held.total >= limit) return false;
    if (lane === 'service') return this.#held.of('service') < Math.ceil(limit * SERVICE_SHARE);
    return this.#held.of('customer') < limit - Math.floor(limit / RESERVED_ONE_IN);
  }

  /** Returns the accounts that have used up their share of the customers' slots. */
  fullAccounts(): string[] {
    return this.#held.accountsFrom(this.#accountShare);
  }

  /** Takes a slot; returns undefined if none is free for this holder. */
  take(holder: Holder): Slot | undefined {
    if (!this.#fits(holder)) return undefined;
    this.#held.add(holder);
    return new Slot(this, holder);
  }

  /** Releases a slot for a while; returns false if too many jobs have done so already. Only for {@link Slot}. */
  leave(holder: Holder): boolean {
    const places = this.#limit * AWAY_PER_SLOT;
    const ofAccount = this.#away.ofAccount(holder);
    if (this.#away.total >= places || ofAccount >= Math.max(1, places * ACCOUNT_AWAY_SHARE)) return false;
    this.#away.add(holder);
    this.free(holder);
    return true;
  }

  /**
   * Waits for a slot again. Resolves to true with a slot, to false if `signal` aborted first. Only for {@link Slot}.
   */
  async reenter(holder: Holder, signal: AbortSignal): Promise<boolean> {
    this.#away.remove(holder);
    if (signal.aborted) return false;
    if (this.#fits(holder)) {
      this.#held.add(holder);
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const giveUp = () => {
      this.#returning.delete(waiting);
      resolve(false);
    };
    const enter = () => {
      this.#returning.delete(waiting);
      signal.removeEventListener('abort', giveUp);
      resolve(true);
    };
    const waiting = { holder, enter };
    this.#returning.add(waiting);
    signal.addEventListener('abort', giveUp, { once: true });
    return promise;
  }

  /** Frees a slot. Only for {@link Slot}. */
  free(holder: Holder): void {
    this.#held.remove(holder);
    for (const waiting of this.#returning) {
      if (!this.#fits(waiting.holder)) continue;
      this.#held.add(waiting.holder);
      waiting.enter();
    }
    this.#onRoom();
  }

  get #accountShare(): number {
    const ofCustomers = this.#limit - Math.floor(this.#limit / RESERVED_ONE_IN);
    return Math.ceil(ofCustomers * ACCOUNT_SHARE);
  }

  #fits(holder: Holder): boolean {
    if (!this.hasRoom(holder.lane)) return false;
    return holder.lane === 'service' || this.#held.ofAccount(holder) < this.#accountShare;
  }
}

export class Slot {
  readonly #slots: Slots;
  readonly #holder: Holder;
  #held = true;

  constructor(slots: Slots, holder: Holder) {
    this.#slots = slots;
    this.#holder = holder;
  }

  /** Runs `work`, which mostly waits, without the slot, and takes a slot again afterwards unless `signal` aborts. */
  async without<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (!this.#slots.leave(this.#holder)) return work();
    this.#held = false;
    try {
      return await work();
    } finally {
      this.#held = await this.#slots.reenter(this.#holder, signal);
    }
  }

  /** Releases the slot permanently. */
  release(): void {
    if (!this.#held) return;
    this.#held = false;
    this.#slots.free(this.#holder);
  }
}

/** Counts jobs by lane and customers' jobs by account. */
class Tally {
  readonly #lanes = { customer: 0, service: 0 };
  readonly #accounts = new Map<string, number>();

  get total(): number {
    return this.#lanes.customer + this.#lanes.service;
  }

  of(lane: Lane): number {
    return this.#lanes[lane];
  }

  ofAccount({ accountId, lane }: Holder): number {
    return lane === 'customer' ? (this.#accounts.get(accountId) ?? 0) : 0;
  }

  accountsFrom(count: number): string[] {
    return [...this.#accounts].flatMap(([id, has]) => (has >= count ? [id] : []));
  }

  add(holder: Holder): void {
    this.#lanes[holder.lane]++;
    if (holder.lane === 'customer') this.#accounts.set(holder.accountId, this.ofAccount(holder) + 1);
  }

  remove(holder: Holder): void {
    this.#lanes[holder.lane]--;
    if (holder.lane !== 'customer') return;
    const left = this.ofAccount(holder) - 1;
    if (left === 0) this.#accounts.delete(holder.accountId);
    else this.#accounts.set(holder.accountId, left);
  }
}
