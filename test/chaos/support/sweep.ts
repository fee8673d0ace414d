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

/** The progress of an operation when its service was killed. */
export const OUTCOMES = ['not begun', 'done, not answered', 'answered'] as const;
/**
 * "missed": the operation ended without reaching the point; in the recording, a background task had reached it
 * alongside the operation.
 */
export type Outcome = (typeof OUTCOMES)[number] | 'missed';

/** A database whose service is killed and restarted again and again. */
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

  /** Starts the service where the previous one was killed: on its database and at its time. */
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
   * Runs the operations one after the other, the first of which is a creation, and learns the points at which each
   * could die. Points that an idle service reaches are not part of an operation.
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
   * Completes what a start leaves for later, so that no operation includes it: the first round of the once-a-second
   * tasks (one writes the whole edge), and reading the customer's key, whose record stays valid while the clock stands
   * still.
   */
  async #comeToRest(customer: Customer): Promise<void> {
    await this.node.idle(1);
    await customer.ask('GET', '/v1/billing/wallet');
  }

  /** Takes a snapshot of the VM if the operation needs one. */
  async #snapshotFor(customer: Customer, { operatorJob }: Operation, vmId: string): Promise<string> {
    if (operatorJob !== 'snapshot_restore') return '';
    const { snapshot } = await customer.ask('POST', `/v1/vm/${vmId}/snapshots`);
    await this.node.settle();
    return snapshot.id;
  }

  /** Returns the points reached while `work` runs and its job finishes. */
  async #recorded<T>(work: () => Promise<T>): Promise<{ reached: string[]; result: T }> {
    await this.node.record();
    const result = await work();
    await this.node.settle();
    return { reached: await this.node.points(), result };
  }

  /**
   * Sends an operation, has the service killed at `point`, restarts it, and sends the operation again with the same
   * key. Fails unless the outcome is that of a single operation. If the service never reached `point`, the operation is
   * repeated on the same service.
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
      // The kill cuts off the reply: the customer does not know the outcome.
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

/** Repeats the operation until the VM is free; PostgreSQL may need a moment to notice that its client has died. */
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

/** Returns the statement of a point. A background task may stop before or after the same statement. */
export const statementOf = (point: string) =>
  point.replace(/^(before|after) (the commit after )?| #\d+$/g, '');
