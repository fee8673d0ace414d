import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { DatabaseLocation } from '../../support/database.ts';
import { type ControlledService, startControlled } from './controlled.ts';
import { type Customer, newCustomer, type Reply } from './customer.ts';
import { ask, assertOnce, type Operation } from './operations.ts';

const CREDIT_MINOR = 2_000;
/** Longer than any background task sleeps. */
const IDLE_SECONDS = 70;

/** How far an operation had come when its service was killed. */
export const OUTCOMES = ['not begun', 'done, not answered', 'answered'] as const;
/** Missed: the operation ended without coming to the point, which a background task had reached beside it before. */
export type Outcome = (typeof OUTCOMES)[number] | 'missed';

/** A database whose service is killed and started again and again. */
export class Sweep {
  readonly #t: TestContext;
  readonly #location: DatabaseLocation;
  #node: ControlledService | undefined;

  constructor(t: TestContext, location: DatabaseLocation) {
    this.#t = t;
    this.#location = location;
  }

  get node(): ControlledService {
    return this.#node!;
  }

  /** Starts the service where the one before it was killed: on its database and at its time. */
  async start(): Promise<void> {
    this.#node = await startControlled(this.#t, {
      location: this.#location,
      now: this.#node?.now ?? '2026-01-01T00:00:00.000Z',
      env: {
        VAUBAN_SIMULATOR_BOOT_SECONDS: '0.05',
        VAUBAN_RATE_LIMIT_KEY: '1000000',
        VAUBAN_RATE_LIMIT_ACCOUNT: '1000000',
      },
    });
  }

  customer(): Promise<Customer> {
    return newCustomer(this.node, { credit: String(CREDIT_MINOR / 100) });
  }

  /**
   * Runs the operations one after the other, the first a creation, and learns the points at which each could
   * die. What an idle service does of its own accord is no part of an operation.
   */
  async learn(operations: readonly Operation[]): Promise<Map<Operation, string[]>> {
    const customer = await this.customer();
    const points = new Map<Operation, string[]>();
    const idle = new Set<string>();
    let vmId = '';
    for (const operation of operations) {
      const snapshotId = await this.#snapshotFor(customer, operation, vmId);
      await this.#comeToRest(customer);
      const { reached, result } = await this.#recorded(() =>
        ask(customer, operation, vmId, randomUUID(), snapshotId),
      );
      await assertOnce(customer, operation, result, CREDIT_MINOR);
      vmId = result.json.data.vm.id;
      points.set(operation, reached);
      if (idle.size > 0) continue;
      const idling = await this.#recorded(() => this.node.idle(IDLE_SECONDS));
      for (const point of idling.reached) idle.add(statementOf(point));
    }
    for (const [operation, reached] of points) {
      points.set(
        operation,
        reached.filter((point) => !idle.has(statementOf(point))),
      );
    }
    return points;
  }

  /**
   * Has done what a start leaves for later, so that no operation meets it: the first round of every second's tasks (one
   * writes the whole edge), and the reading of the customer's key, whose record is believed while the clock stands.
   */
  async #comeToRest(customer: Customer): Promise<void> {
    await this.node.idle(1);
    await customer.ask('GET', '/v1/billing/wallet');
  }

  /** A snapshot of the VM, where the operation is about one. */
  async #snapshotFor(customer: Customer, { operatorJob }: Operation, vmId: string): Promise<string> {
    if (operatorJob !== 'snapshot_restore') return '';
    const { snapshot } = await customer.ask('POST', `/v1/vm/${vmId}/snapshots`);
    await this.node.settle();
    return snapshot.id;
  }

  /** The points reached while `work` runs and its job comes to an end. */
  async #recorded<T>(work: () => Promise<T>): Promise<{ reached: string[]; result: T }> {
    await this.node.record();
    const result = await work();
    await this.node.settle();
    return { reached: await this.node.points(), result };
  }

  /**
   * Asks for an operation, has the service killed at `point` on the way, starts it again, asks again with the
   * same key, and fails unless all of it comes to one result. Where it never came to `point`, it is asked again
   * on the same service.
   */
  async killAt(customer: Customer, operation: Operation, vmId: string, point: string) {
    const key = randomUUID();
    const snapshotId = await this.#snapshotFor(customer, operation, vmId);
    await this.#comeToRest(customer);
    await this.node.record(point);
    const asking = { over: false, reply: undefined as Reply | undefined };
    const answer = ask(customer, operation, vmId, key, snapshotId)
      .then((reply) => {
        asking.reply = reply;
      })
      // Cut off by the kill: the customer does not know what became of it.
      .catch(() => {})
      .finally(() => {
        asking.over = true;
      });
    const died = await this.node.dies(() => asking.over);
    await answer;
    if (died) {
      await this.start();
      customer.target = this.node;
    }
    const retry = await askUntilFree(customer, operation, vmId, key, snapshotId);
    await this.node.settle();
    await assertOnce(customer, operation, retry, CREDIT_MINOR);
    assert.deepEqual(await this.node.problems(), []);
    const replayed = retry.headers.has('idempotent-replayed');
    if (asking.reply) assert.deepEqual([retry.text, replayed], [asking.reply.text, true]);
    const killed = asking.reply ? 'answered' : replayed ? 'done, not answered' : 'not begun';
    const outcome: Outcome = died ? killed : 'missed';
    return { outcome, vmId: retry.json.data.vm.id as string };
  }
}

/** Asks again; a PostgreSQL may need a moment to notice that its client has died. */
async function askUntilFree(
  customer: Customer,
  operation: Operation,
  vmId: string,
  key: string,
  snapshotId: string,
): Promise<Reply> {
  for (;;) {
    const reply = await ask(customer, operation, vmId, key, snapshotId);
    if (reply.json.error?.code !== 'idempotency_in_progress') return reply;
  }
}

/** The statement of a point, which a background task ends with at one time and goes on from at another. */
export const statementOf = (point: string) =>
  point.replace(/^(before|after) (the commit after )?| #\d+$/g, '');
