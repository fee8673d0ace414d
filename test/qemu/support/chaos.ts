import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { tapName } from '../../../server/compute/qemu/routed/names.ts';
import type { Customer, Reply } from '../../chaos/support/customer.ts';
import { exchange } from '../../operator/support.ts';
import { machines, output } from './machines.ts';
import { type RealOptions, type RealService, startRealService } from './real-service.ts';

/** The step of a job at which the service dies: around it, during undo, or that many milliseconds after its start. */
export interface Death {
  kind: string;
  step: string;
  phase: 'before' | 'after' | 'undo' | number;
}

/** The amount that newCustomer credits. */
const CREDIT_MINOR = 10_000;
const POLL_MS = 50;
/** Longer than the delay of any death, on a busy machine. */
const DEATH_MS = 10_000;
/** The file with which a test fills the pool. */
export const FILLER = '.filler';

// biome-ignore lint/suspicious/noExplicitAny: assertions say what is expected of it
type Vm = any;

/** A service over real guests, with helpers to break it; {@link assertSound} must hold afterwards. */
export class Chaos {
  readonly real: RealService;
  readonly dataDir: string;
  readonly #rows: string[][] = [];

  private constructor(real: RealService) {
    this.real = real;
    this.dataDir = real.location.env.VAUBAN_DATA_DIR;
  }

  static async start(t: TestContext, options: RealOptions): Promise<Chaos> {
    return new Chaos(await startRealService(t, { ...options, entry: 'test/qemu/support/chaos-service.ts' }));
  }

  get customer(): Customer {
    return this.real.customer;
  }

  /**
   * Adds a line to the table: the action, how often, and the outcome. Money is right, or {@link assertSound} throws.
   */
  note(what: string, times: number, outcome: string): void {
    this.#rows.push([what, `${times}`, outcome, 'right']);
  }

  print(t: TestContext): void {
    const rows = [['what was done', 'times', 'outcome', 'money'], ...this.#rows];
    const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
    for (const row of rows) t.diagnostic(row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | '));
  }

  async order<T>(path: string, input: object = {}): Promise<T> {
    return (await exchange(join(this.dataDir, 'control.sock'), 'POST', path, input)).json().result;
  }

  /** Sends a request, has the service killed during it, and restarts the service. */
  async killAt(death: Death, ask: () => Promise<Reply>): Promise<void> {
    await this.order('/die', death);
    // The reply may be cut off: then the customer does not know the result.
    const answer = ask().catch(() => undefined);
    const { pid } = this.real.service();
    const alive = () => existsSync(`/proc/${pid}/exe`);
    const answered = await answer;
    if (answered) assert.equal(answered.status, 200, answered.text);
    while (alive()) {
      const busy = await this.#busy().catch(() => true);
      // The job may be over before a timed death.
      await sleep(busy ? POLL_MS : DEATH_MS);
      assert.ok(busy || !alive(), `never came to ${JSON.stringify(death)}`);
    }
    await this.real.revive();
  }

  async #busy(): Promise<boolean> {
    const vms: Vm[] = await this.customer.ask('GET', '/v1/vm');
    return vms.some(({ active_job }) => active_job);
  }

  /** Returns the customer's only VM once no job runs on it; undefined if there is none. */
  async settled(): Promise<Vm> {
    const [vm] = await this.customer.ask('GET', '/v1/vm');
    return vm && this.customer.settled(vm.id);
  }

  /** Sends a request that starts a job, waits for its end, and returns the job and the VM. */
  // biome-ignore lint/suspicious/noExplicitAny: assertions say what is expected of it
  async done(method: string, path: string, body?: object): Promise<{ vm: Vm; job: any }> {
    await this.customer.ask(method, path, body);
    const vm = await this.settled();
    await this.assertSound(vm);
    return { vm, job: vm?.last_job };
  }

  /**
   * Fails unless the books are consistent, the wallet equals the credit less the purchases, and the host has exactly
   * what the idle VM needs: nothing for a VM that is deleted or was never created.
   */
  async assertSound(vm: Vm): Promise<void> {
    assert.deepEqual(await this.order('/problems'), []);
    const orders: { status: string; amount_minor: number }[] = await this.customer.ask(
      'GET',
      '/v1/billing/orders?limit=100',
    );
    assert.ok(orders.length < 100, 'more orders than a page: their sum would be wrong');
    const completed = orders.filter(({ status }) => status === 'completed');
    const paid = completed.reduce((sum, { amount_minor }) => sum + amount_minor, 0);
    const { available_minor, held_minor } = await this.customer.ask('GET', '/v1/billing/wallet');
    assert.deepEqual([available_minor, held_minor], [CREDIT_MINOR - paid, 0]);
    const made = vm && vm.status !== 'error' ? [vm] : [];
    const ids = made.map(({ id }: Vm) => id);
    const pool = join(this.dataDir, 'guests');
    const left = existsSync(pool) ? await readdir(pool) : [];
    assert.deepEqual(
      left.filter((name) => name !== FILLER && name !== 'engine.id'),
      ids,
    );
    assert.equal((await machines(this.dataDir)).length, vm?.status === 'running' ? 1 : 0);
    const taps = (await output('ip', '-o', 'link')).match(/vau[0-9a-z]{12}/g) ?? [];
    for (const tap of taps) assert.ok(ids.map(tapName).includes(tap), `${tap} is nobody's`);
    // The kernel counts a guest's discoveries on its own and forgets them within a minute.
    const ruleset = (await output('nft', 'list', 'ruleset')).replace(/set discovery \{.*?\n\t\}/s, '');
    const rules = new Set(ruleset.match(/vau[0-9a-z]{12}/g) ?? []);
    for (const tap of rules) assert.ok(ids.map(tapName).includes(tap), `${tap} is nobody's:\n${ruleset}`);
    if (vm?.status === 'running') assert.deepEqual([taps, [...rules]], [ids.map(tapName), ids.map(tapName)]);
  }

  /** Waits until the running VM has booted. */
  async booted(vmId: string): Promise<void> {
    const begins = ['vm.created', 'vm.started', 'vm.rebooted', 'vm.resized'];
    for (;;) {
      const events: { type: string }[] = await this.customer.ask('GET', `/v1/vm/${vmId}/events`);
      const last = events.find(({ type }) => type === 'guest.ready' || begins.includes(type));
      if (last?.type === 'guest.ready') return;
      await sleep(POLL_MS);
    }
  }

  /** Returns the VM's events of this type, newest first. */
  async events(
    vmId: string,
    type: string,
  ): Promise<{ message: string; metadata: { console_log?: string } }[]> {
    return this.customer.ask('GET', `/v1/vm/${vmId}/events?type=${type}`);
  }

  /** Waits for an event of this type and returns the first one. */
  async told(vmId: string, type: string, words: RegExp): Promise<{ message: string; metadata: Vm }> {
    for (;;) {
      const found = (await this.events(vmId, type)).find(({ message }) => words.test(message));
      if (found) return found;
      await sleep(POLL_MS);
    }
  }
}
