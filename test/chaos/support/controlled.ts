import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { exchange } from '../../operator/support.ts';
import type { DatabaseLocation } from '../../support/database.ts';
import { production, type Service, startService } from '../../support/service.ts';

export interface ControlledOptions {
  location: DatabaseLocation;
  /** The initial time of its clock. */
  now: string;
  env?: Record<string, string>;
}

/** A service process whose clock and death the test controls; see controlled-service.ts. */
export class ControlledService {
  readonly service: Service;
  /** The last known time of its clock. */
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

  /** Starts recording the points at which the service could die. It dies at `killAt`. */
  record(killAt?: string): Promise<void> {
    return this.#order('/record', { killAt });
  }

  points(): Promise<string[]> {
    return this.#order('/points');
  }

  /** Returns unfinished or still owned jobs, one per line. */
  underWay(): Promise<string[]> {
    return this.#order('/under-way');
  }

  /** Returns violations of the invariants (test/support/invariants.ts). */
  problems(): Promise<string[]> {
    return this.#order('/problems');
  }

  /** Returns the engine's guests and the recorded VMs, each as `id host`. */
  places(): Promise<{ guests: string[]; vms: string[] }> {
    return this.#order('/places');
  }

  /** Advances its clock by one adoption round at a time until no job is unfinished. */
  async settle(): Promise<void> {
    for (let rounds = 0; ; rounds++) {
      const jobs = await this.underWay();
      if (jobs.length === 0) return;
      if (rounds === SETTLE_ROUNDS) throw new Error(`these jobs do not end:\n${jobs.join('\n')}`);
      await this.advance(ADOPTION_MS);
      await sleep(POLL_MS);
    }
  }

  /** Advances its clock by `seconds` without requests, running every background task to its end. */
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

  /**
   * Waits for the death that {@link record} ordered while advancing the clock. Returns false if the work ended without
   * it.
   */
  async dies(answered: () => boolean): Promise<boolean> {
    while (this.isAlive()) {
      try {
        if (answered() && (await this.underWay()).length === 0) {
          // A background task may reach the point later, when no death is expected.
          await this.record();
          return false;
        }
        await this.advance(answered() ? ADOPTION_MS : 0);
        await sleep(POLL_MS);
      } catch {
        // The service no longer replies, so it is dying.
      }
    }
    await assert.rejects(this.service.kill(), /ended by itself with SIGKILL/);
    return true;
  }
}

/** The interval of the adoption of jobs without a node, on its clock. */
const ADOPTION_MS = 2_000;
/** That many rounds are half an hour: a job that has not ended by then never will. */
const SETTLE_ROUNDS = 1_000;
/** Polling interval of the other process, in real time. */
const POLL_MS = 5;

export async function startControlled(
  t: TestContext,
  { location, now, env }: ControlledOptions,
): Promise<ControlledService> {
  const service = await startService(t, {
    location,
    entry: 'test/chaos/support/controlled-service.ts',
    env: { CLOCK_START: now, ...production(), ...env },
  });
  return new ControlledService(service, now);
}
