import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { GuestEvent } from '../../../server/compute/driver.ts';
import { createIncus } from '../../../server/compute/incus/incus.ts';
import { ManualClock } from '../../../server/platform/clock.ts';
import { defer } from '../../support/cleanup.ts';
import type { Daemon } from './daemon.ts';

/** The driver waits at least this long for replies, and less than this for anything else. */
const ANSWER_MS = 15_000;
const STEP_MS = 100;
/** On the test's clock; far more than anything here takes. */
const PATIENCE_MS = 300_000;

/** Starts a node of the service that follows the daemon. `events` are the guest events that it derives. */
export async function node(t: TestContext, { url, identity }: Daemon, clock: ManualClock) {
  const driver = createIncus({
    clock,
    logger: { warn: () => {} },
    endpoints: [url],
    identity,
    project: 'default',
    network: 'vb0',
    pool: 'default',
    cpuOvercommit: 1,
    zones: null,
    serviceNetworks: [],
    aliasOf: (template) => template,
    opsLogin: async () => [],
  });
  defer(t, () => driver.close());
  const events: GuestEvent[] = [];
  driver.watch((event) => events.push(event));
  return { driver, keys: () => events.map(({ key }) => key) };
}

/** Stands still while a real reply is awaited, which takes real time; the duration of a sleep tells which it is. */
export class PatientClock extends ManualClock {
  #awaited = 0;

  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms < ANSWER_MS) return super.sleep(ms, signal);
    this.#awaited++;
    try {
      await super.sleep(ms, signal);
    } finally {
      this.#awaited--;
    }
  }

  async until(holds: () => boolean): Promise<void> {
    const end = this.now().getTime() + PATIENCE_MS;
    while (!holds()) {
      assert.ok(this.now().getTime() < end, 'it has never come about');
      await new Promise((resolve) => setTimeout(resolve, 2));
      if (this.#awaited === 0) this.advance(STEP_MS);
    }
  }
}
