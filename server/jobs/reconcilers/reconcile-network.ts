import type { ComputeDriver, NetworkPolicy } from '../../compute/driver.ts';
import type { Database } from '../../db/database.ts';
import {
  type ForwardPart,
  failNetwork,
  networkBehind,
  settleNetwork,
  type WantedNetwork,
  wantedNetwork,
} from '../../db/queries/vms/network.ts';
import type { Catalog } from '../../domain/catalog/catalog-schema.ts';
import { speedLimit } from '../../domain/catalog/lookup.ts';
import { DEFAULT_POLICY } from '../../domain/network/firewall-rule.ts';
import { KeyedQueue } from '../../platform/keyed-queue.ts';
import type { Logger } from '../../platform/logging.ts';
import type { ForwardReconciler } from './reconcile-forwards.ts';

/** VMs updated per round; the next round takes the rest. */
const BATCH = 100;

interface ReconcilerParts {
  db: Database;
  compute: ComputeDriver;
  forwards: ForwardReconciler;
  catalog: Catalog;
  logger: Logger;
}

/**
 * Sets the engine's network rules to those in the database. The database is written first and is the source of truth;
 * anything the engine missed is corrected here, when kicked or in the next round.
 */
export class NetworkReconciler {
  readonly #db: Database;
  readonly #compute: ComputeDriver;
  readonly #forwards: ForwardReconciler;
  readonly #catalog: Catalog;
  readonly #logger: Logger;
  /** Applies one policy at a time per VM, so that an older policy never overwrites a newer one. */
  readonly #queue = new KeyedQueue();

  constructor({ db, compute, forwards, catalog, logger }: ReconcilerParts) {
    this.#db = db;
    this.#compute = compute;
    this.#forwards = forwards;
    this.#catalog = catalog;
    this.#logger = logger;
  }

  /** Applies a VM's rules now, and its forwards if this node is a gateway; passes on the driver's errors. */
  apply(vmId: string): Promise<void> {
    return this.#queue.run(vmId, () => this.#apply(vmId));
  }

  /** Applies a VM's rules soon, in the background; the next round retries a failure. */
  kick(vmId: string): void {
    this.apply(vmId).catch((error) =>
      this.#logger.warn({ err: error, vm_id: vmId }, 'network rules not applied'),
    );
  }

  /** Updates every VM whose rules are out of date. */
  async reconcile(): Promise<void> {
    for (const { id } of await networkBehind(this.#db, BATCH)) {
      await this.apply(id).catch((error) =>
        this.#logger.warn({ err: error, vm_id: id }, 'network rules not applied'),
      );
    }
  }

  /** Resolves when nothing is being applied, for an orderly stop. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  async #apply(vmId: string): Promise<void> {
    const byGateway = this.#forwards.byGateway;
    for (;;) {
      const wanted = await wantedNetwork(this.#db, vmId);
      if (!wanted) return;
      const generation = wanted.network_generation;
      // A guest that does not exist yet gets these rules from the job that creates it.
      if (!(await this.#compute.inspect(vmId))) return;
      try {
        await this.#compute.applyNetwork(vmId, this.#policy(wanted));
      } catch (error) {
        await this.#db.transaction((tx) => failNetwork(tx, vmId, generation, { forwards: !byGateway }));
        throw error;
      }
      const now = await settleNetwork(this.#db, vmId, generation, { forwards: !byGateway });
      // A VM without forwards does not depend on a gateway.
      if (byGateway && wanted.forwards.length > 0) await this.#forwards.apply();
      if (now === undefined || now === generation) return;
    }
  }

  #policy({ smtp_open, rules, forwards, ...speed }: WantedNetwork): NetworkPolicy {
    const bandwidthBps = speedLimit(this.#catalog, speed) ?? undefined;
    // The forwards stay: the guest's rules drop the traffic that they pass on.
    const isStopped = speed.throttle_mbps === 0;
    if (isStopped)
      return {
        defaultIn: 'drop',
        defaultOut: 'drop',
        firewall: [],
        portForwards: this.#forwardsOf(forwards),
        bandwidthBps,
      };
    return {
      defaultIn: DEFAULT_POLICY.in,
      defaultOut: DEFAULT_POLICY.out,
      firewall: rules,
      portForwards: this.#forwardsOf(forwards),
      bandwidthBps,
      ...(smtp_open && { smtpOpen: true }),
    };
  }

  #forwardsOf(forwards: ForwardPart[]): NetworkPolicy['portForwards'] {
    return (this.#forwards.byGateway ? [] : forwards).map((forward) => ({
      protocol: forward.protocol,
      publicIp: forward.public_ip,
      externalPort: forward.external_port,
      internalIp: forward.internal_ip,
      internalPort: forward.internal_port,
    }));
  }
}
