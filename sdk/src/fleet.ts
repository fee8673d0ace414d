import type { Vm } from './api.ts';
import type { Page } from './list.ts';
import type { RequestOptions } from './options.ts';
import type { Transport } from './transport.ts';

/**
 * The polling interval of the list: short enough for a job that takes a minute, and only 20 requests per minute for 100
 * VMs.
 */
const ROUND_MS = 3_000;
/** Up to this many waits use a long poll each and notice the end at once; further ones share the list. */
const MAX_ALONE = 4;

interface Waiter {
  vmId: string;
  /** The VM without a job; undefined if the list does not contain it. */
  end(outcome: { vm: Vm | undefined } | { error: unknown }): void;
}

/** The waits of a client. If there are many, one request for the list of 100 VMs replaces a request for each. */
export class Fleet {
  readonly transport: Transport;
  readonly #waiting = new Set<Waiter>();
  #alone = 0;
  #isLooking = false;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  /**
   * Runs `work`, a wait with its own requests, if few others are running; returns false if the wait has to share the
   * list.
   */
  async alone(work: () => Promise<Vm>): Promise<Vm | false> {
    if (this.#alone >= MAX_ALONE) return false;
    this.#alone += 1;
    try {
      return await work();
    } finally {
      this.#alone -= 1;
    }
  }

  /** Resolves with the VM once the list shows it without a job, or with undefined if the list does not contain it. */
  untilIdle(vmId: string, { signal }: Pick<RequestOptions, 'signal'>): Promise<Vm | undefined> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const abort = () => waiter.end({ error: signal?.reason });
      const waiter: Waiter = {
        vmId,
        end: (outcome) => {
          this.#waiting.delete(waiter);
          signal?.removeEventListener('abort', abort);
          if ('error' in outcome) reject(outcome.error);
          else resolve(outcome.vm);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.add(waiter);
      if (!this.#isLooking) void this.#look();
    });
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    while (this.#waiting.size > 0) {
      // Only the waits from before this round: the job of a later one may be newer than a page that has already been
      // read.
      const waiters = [...this.#waiting];
      await this.#round(waiters).catch((error: unknown) => {
        for (const waiter of waiters) waiter.end({ error });
      });
      if (this.#waiting.size > 0) await this.transport.clock.sleep(ROUND_MS);
    }
    this.#isLooking = false;
  }

  /** Reads the list until every awaited VM has been found. */
  async #round(waiters: Waiter[]): Promise<void> {
    const sought = new Map<string, Waiter[]>();
    for (const waiter of waiters) sought.set(waiter.vmId, [...(sought.get(waiter.vmId) ?? []), waiter]);
    for (let cursor: string | null | undefined; sought.size > 0 && cursor !== null; ) {
      const page: Page<Vm> = await this.#page(cursor);
      for (const vm of page.data) {
        if (vm.active_job === null) for (const waiter of sought.get(vm.id) ?? []) waiter.end({ vm });
        sought.delete(vm.id);
      }
      cursor = page.pagination.next_cursor;
    }
    for (const missed of sought.values()) for (const waiter of missed) waiter.end({ vm: undefined });
  }

  async #page(cursor: string | undefined): Promise<Page<Vm>> {
    const { json } = await this.transport.send({
      operation: 'listVms',
      method: 'GET',
      target: `/v1/vm?limit=100${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      kind: 'list',
      options: { isWaiter: true },
    });
    return json as Page<Vm>;
  }
}
