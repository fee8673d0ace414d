import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { SimulatorTargets } from '../../server/db/queries/hosts/simulator-edge.ts';
import type { AttackRow } from '../../server/db/queries/shield/shield-attacks.ts';
import type { TargetMode } from '../../server/db/queries/shield/shield-targets.ts';
import { insertTenant, systemFindTenant } from '../../server/db/queries/shield/shield-tenants.ts';
import { addressesOf } from '../../server/db/queries/vms/addresses.ts';
import type { VmRow } from '../../server/db/queries/vms/vms.ts';
import type { EdgeDriver, SimulatedVector } from '../../server/edge/driver.ts';
import { createEdgeSimulator } from '../../server/edge/simulator/simulator.ts';
import type { Clock } from '../../server/platform/clock.ts';
import { newId } from '../../server/platform/ids.ts';
import { AttackDetector } from '../../server/shield/detector.ts';
import { EdgeReconciler } from '../../server/shield/reconcile-edge.ts';
import { addTarget } from '../../server/shield/target.ts';
import { makeVm, openApi, type TestApi } from '../network/support.ts';

const SECOND = 1000;

export interface TestTarget {
  vm: VmRow;
  id: string;
  tenantId: string;
  ip: string;
  /** Paths of its rules, its attacks and its tenant. */
  rules: string;
  events: string;
  tenant: string;
}

/** The shield in this process, on the test's clock; nothing runs automatically. */
export interface Shield {
  api: TestApi;
  edge: EdgeDriver;
  reconciler: EdgeReconciler;
  /** Creates a VM whose address is a target and on the edge; its tenant is new unless one is given. */
  target(options?: { mode?: TargetMode; tenantId?: string; family?: 4 | 6 }): Promise<TestTarget>;
  /** Makes these driver operations fail until the next call. */
  breakDown(...operations: (keyof EdgeDriver)[]): void;
  attack(target: TestTarget, vector: SimulatedVector, pps: number, seconds: number): Promise<void>;
  /** Lets this many seconds pass, with one look of the detector and one round of the reconciler in each. */
  pass(seconds: number): Promise<void>;
  /** Runs one look of the detector and one round of the reconciler; returns whether a closer look is due soon. */
  look(): Promise<boolean>;
  /** Replaces the detector with a new one without any memory, as after a restart. */
  restartDetector(): void;
}

/**
 * Opens a shield. `open` replaces the simulated edge with another one, whose failures and attacks the test controls
 * itself.
 */
export async function openShield(t: TestContext, open?: (clock: Clock) => EdgeDriver): Promise<Shield> {
  const api = await openApi(t);
  const { db, clock, logger, leadership } = api.services;
  const broken = new Set<keyof EdgeDriver>();
  const simulated = () =>
    createEdgeSimulator({
      store: new SimulatorTargets(db),
      clock,
      faults(operation) {
        if (broken.has(operation)) throw new Error(`${operation} is broken`);
      },
    });
  const edge = open ? open(clock) : simulated();
  const reconciler = new EdgeReconciler({ db, edge, clock, logger, leadership });
  // The API kicks the reconciler that it was given.
  api.services.shield.kick = (id) => reconciler.kick(id);
  const newDetector = () =>
    new AttackDetector({
      db,
      edge,
      clock,
      onRules: (id) => reconciler.kick(id),
      onEpoch: (epoch) => reconciler.noticeEpoch(epoch),
    });
  let detector = newDetector();
  const look = async () => {
    const isCloser = await detector.tick();
    await reconciler.idle();
    await reconciler.reconcile();
    return isCloser;
  };
  return {
    api,
    edge,
    reconciler,
    async target({ mode = 'always_on', tenantId, family = 4 } = {}) {
      const vm = await makeVm(api);
      const { address: ip } = (await addressesOf(db, vm.id)).find((a) => a.family === family)!;
      const tenant = tenantId ?? (await newTenant(api));
      const id = await db.transaction(async (tx) =>
        addTarget(tx, clock, (await systemFindTenant(tx, tenant))!, { ip, mode }),
      );
      await reconciler.reconcile();
      const path = `/v1/tenants/${tenant}`;
      const own = `${path}/targets/${id}`;
      return { vm, id, tenantId: tenant, ip, tenant: path, rules: `${own}/rules`, events: `${own}/events` };
    },
    breakDown(...operations) {
      broken.clear();
      for (const operation of operations) broken.add(operation);
    },
    attack: (target, vector, pps, seconds) => edge.attacks!.start(target.id, { vector, pps, seconds }),
    async pass(seconds) {
      for (let second = 0; second < seconds; second++) {
        clock.advance(SECOND);
        await look();
      }
    },
    look,
    restartDetector() {
      detector = newDetector();
    },
  };
}

export async function newTenant({ services: { db, clock }, accountId }: TestApi): Promise<string> {
  const id = newId('ten', clock);
  await insertTenant(db, { id, account_id: accountId, name: 'test', created_at: clock.now() });
  return id;
}

type Attack = Omit<AttackRow, 'peak_bps' | 'peak_pps' | 'started_at' | 'mitigated_at' | 'ended_at'> & {
  started_at: string;
  mitigated_at: string | null;
  ended_at: string | null;
  peak_pps: { value: number; at: string };
  peak_bps: { value: number; at: string };
  duration_seconds: number;
};

/** Returns the `data` of a GET, which must succeed. */
export async function read<T>(api: TestApi, path: string): Promise<T> {
  const { status, body } = await api.call('GET', path);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

export const attacksOn = (api: TestApi, target: TestTarget) => read<Attack[]>(api, target.events);

export interface Rule {
  id: string;
  action: string;
  protocol: string | number;
  source: string | null;
  source_ports: string[];
  fragments: string;
  rate: { pps?: number; bps?: number } | null;
  priority: number;
  origin: string;
  status: string;
  comment: string | null;
  expires_at: string | null;
}

export const rulesOf = (api: TestApi, target: TestTarget) => read<Rule[]>(api, target.rules);
