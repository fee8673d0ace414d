import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { exchange } from '../../operator/support.ts';
import type { DatabaseLocation } from '../../support/database.ts';
import { production, type Service, startService } from '../../support/service.ts';

export interface ControlledOptions {
  location: DatabaseLocation;
  /** The instant its clock begins at. */
  now: string;
  env?: Record<string, string>;
}

/** A service process whose clock, and whose end, are the test's; see controlled-service.ts. */
export class ControlledService {
  readonly service: Service;
  /** Its clock, as far as this side has heard. */
  now: string;
  readonly #socket: string;

  constructor(service: Service, now: string) {
    this.service = service;
    this.now = now;
    this.#socket = join(service.location.env.VAUBAN_DATA_DIR, 'control.sock');
  }

  get baseUrl(): string {
    return this.service.baseUrl;
  }

  get operatorSocket(): string {
    return this.service.operatorSocket;
  }

  async #order<T>(path: string, input: object = {}): Promise<T> {
    const { result, now } = (await exchange(this.#socket, 'POST', path, input)).json();
    this.now = now;
    return result;
  }

  advance(ms: number): Promise<void> {
    return this.#order('/advance', { ms });
  }

  /** Begins to record the points at which it could die; it does so at `killAt`. */
  record(killAt?: string): Promise<void> {
    return this.#order('/record', { killAt });
  }

  points(): Promise<string[]> {
    return this.#order('/points');
  }

  /** Jobs that are not over, or still owned: a line each. */
  underWay(): Promise<string[]> {
    return this.#order('/under-way');
  }

  /** What contradicts the invariants (test/support/invariants.ts). */
  problems(): Promise<string[]> {
    return this.#order('/problems');
  }

  /** Guests of the engine, and VMs as they are recorded, as `id host`. */
  places(): Promise<{ guests: string[]; vms: string[] }> {
    return this.#order('/places');
  }

  /** Lets its time pass, in steps of a round of adoption, until no job is under way. */
  async settle(): Promise<void> {
    for (let rounds = 0; ; rounds++) {
      const jobs = await this.underWay();
      if (jobs.length === 0) return;
      if (rounds === SETTLE_ROUNDS) throw new Error(`these jobs do not end:\n${jobs.join('\n')}`);
      await this.advance(ADOPTION_MS);
      await sleep(POLL_MS);
    }
  }

  /** Lets `seconds` of its time pass while nothing is asked of it, with every background task run to its end. */
  async idle(seconds: number): Promise<void> {
    const asleep = await this.#order<number>('/sleeping');
    for (let second = 0; second < seconds; second++) {
      await this.advance(1_000);
      while ((await this.#order<number>('/sleeping')) < asleep) await sleep(POLL_MS);
    }
  }

  isAlive(): boolean {
    try {
      return process.kill(this.service.pid, 0);
    } catch {
      return false;
    }
  }

  /** Waits for the death that {@link record} ordered, letting time pass; false when the work ended without it. */
  async dies(answered: () => boolean): Promise<boolean> {
    while (this.isAlive()) {
      try {
        if (answered() && (await this.underWay()).length === 0) {
          // A background task may come to the point later, when nothing expects a death.
          await this.record();
          return false;
        }
        await this.advance(answered() ? ADOPTION_MS : 0);
        await sleep(POLL_MS);
      } catch {
        // It no longer answers: it is dying.
      }
    }
    await assert.rejects(this.service.kill(), /ended by itself with SIGKILL/);
    return true;
  }
}

/** Where Node keeps what it has compiled: a process that starts sixty times should compile once. */
const COMPILED = join(import.meta.dirname, '../../../node_modules/.cache/vauban-test/compiled');
/** Of its clock: how often jobs without a node are looked for. */
const ADOPTION_MS = 2_000;
/** So many rounds of adoption are half an hour: a job that has not ended by then never will. */
const SETTLE_ROUNDS = 1_000;
/** Real time between two looks at another process. */
const POLL_MS = 5;

export async function startControlled(
  t: TestContext,
  { location, now, env }: ControlledOptions,
): Promise<ControlledService> {
  const service = await startService(t, {
    location,
    entry: 'test/chaos/support/controlled-service.ts',
    env: { CLOCK_START: now, NODE_COMPILE_CACHE: COMPILED, ...production(), ...env },
  });
  return new ControlledService(service, now);
}
