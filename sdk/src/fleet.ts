import type { Vm } from './api.ts';
import type { Page } from './list.ts';
import type { RequestOptions } from './options.ts';
import type { Transport } from './transport.ts';

/** Between two looks at the list: soon enough for a job that takes a minute, and 20 requests a minute for 100 VMs. */
const ROUND_MS = 3_000;
/** So many waits ask the service to wait, each for its VM, and hear of an end at once; more of them share the list. */
const MAX_ALONE = 4;

interface Waiter {
  vmId: string;
  /** The VM without a job; undefined where the list has no such VM. */
  end(outcome: { vm: Vm | undefined } | { error: unknown }): void;
}

/** The waits of a client. Those of a fleet are answered by its list: a request for 100 VMs in place of one for each. */
export class Fleet {
  readonly transport: Transport;
  readonly #waiting = new Set<Waiter>();
  #alone = 0;
  #isLooking = false;

  constructor(transport: Transport) {
    this.transport = transport;
  }

  /** Does the work of a wait that asks by itself, where there are few of them; false where it has to share the list. */
  async alone(work: () => Promise<Vm>): Promise<Vm | false> {
    if (this.#alone >= MAX_ALONE) return false;
    this.#alone += 1;
    try {
      return await work();
    } finally {
      this.#alone -= 1;
    }
  }

  /** Resolves with the VM once the list shows it without a job; with undefined where it shows no such VM. */
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
      // Who comes later may wait for a job that is younger than a page that was read.
      const waiters = [...this.#waiting];
      await this.#round(waiters).catch((error: unknown) => {
        for (const waiter of waiters) waiter.end({ error });
      });
      if (this.#waiting.size > 0) await this.transport.clock.sleep(ROUND_MS);
    }
    this.#isLooking = false;
  }

  /** Reads the list as far as there are VMs that are waited for. */
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
