import type { ComputeDriver } from '../compute/driver.ts';
import type { Database } from '../db/database.ts';
import { recordOpsKey, vmsWithOtherOpsKey } from '../db/queries/vms/vm-ops-keys.ts';
import type { Clock } from '../platform/clock.ts';
import type { Failures } from '../platform/failures.ts';
import type { Logger } from '../platform/logging.ts';
import type { OpsKeys } from './ops-keys.ts';

interface ReplacementServices {
  clock: Clock;
  compute: ComputeDriver;
  db: Database;
  engine: string;
  logger: Logger;
  opsKeys: OpsKeys;
}

/** Guests changed in one round, one after another: each may take a few seconds. */
const A_ROUND = 20;

/**
 * Installs the current ops key on running guests that have an earlier one, and removes that one; drops pairs that no
 * guest has any longer. A stopped guest gets its turn once it runs. A failed one is retried after all others have had
 * their turn.
 */
export class OpsKeyReplacement {
  readonly #services: ReplacementServices;
  readonly #failures: Failures;
  /** Id of the VM after which the next round begins. */
  #after = '';

  constructor(services: ReplacementServices, failures: Failures) {
    this.#services = services;
    this.#failures = failures;
  }

  async run(): Promise<void> {
    const { db, engine, opsKeys } = this.#services;
    const [current, ...previous] = await opsKeys.all();
    if (previous.length === 0) return;
    const { fingerprint, publicKey } = current!;
    const vms = await vmsWithOtherOpsKey(db, { engine, fingerprint, after: this.#after }, A_ROUND);
    this.#after = vms.length < A_ROUND ? '' : vms.at(-1)!.id;
    const old = previous.map((key) => key.publicKey);
    for (const { id } of vms) {
      const replace = async () => {
        await this.#replace(id, publicKey, old);
        await recordOpsKey(db, id, fingerprint);
      };
      await this.#failures.attempt('replace_ops_key', replace, id);
    }
    const dropped = await opsKeys.dropUnused();
    if (dropped > 0) this.#services.logger.info({ dropped }, 'dropped ops keys that no VM has any longer');
  }

  /**
   * Adds before it removes: if interrupted in between, the guest has both keys, and the next round repeats
   * everything.
   */
  async #replace(id: string, publicKey: string, old: string[]): Promise<void> {
    const { compute } = this.#services;
    await compute.authorizeKey(id, publicKey);
    for (const key of old) await compute.revokeKey(id, key);
  }
}
