import type { AgentRuns } from '../agent/agent-runs.ts';
import type { Leadership } from '../cluster/leadership.ts';
import type { ComputeDriver } from '../compute/driver.ts';
import type { Brand } from '../config/brand.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../db/database.ts';
import type { Signals } from '../db/signals.ts';
import type { DocumentRenderer } from '../documents/renderer.ts';
import type { Catalog } from '../domain/catalog/catalog-schema.ts';
import type { JobPublisher } from '../domain/vms/job-publisher.ts';
import type { EdgeDriver } from '../edge/driver.ts';
import type { GatewayDriver } from '../gateway/driver.ts';
import type { OpsKeys } from '../guest-ssh/ops-keys.ts';
import type { ForwardReconciler } from '../jobs/reconcilers/reconcile-forwards.ts';
import type { GuestReconciler } from '../jobs/reconcilers/reconcile-guests.ts';
import type { NetworkReconciler } from '../jobs/reconcilers/reconcile-network.ts';
import type { MailSender } from '../mail/sender.ts';
import type { Payments } from '../payments/payments.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logging.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { SecretBox } from '../platform/secrets.ts';
import type { EdgeReconciler } from '../shield/reconcile-edge.ts';

/** The shared parts of the service: created once by `compose.ts` and passed in, never imported as globals. */
export interface Services {
  config: Config;
  brand: Brand;
  catalog: Catalog;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
  db: Database;
  compute: ComputeDriver;
  /** Recorded for VMs that are created here; see `cluster/engine-claim.ts`. */
  engine: string;
  edge: EdgeDriver;
  secrets: SecretBox;
  signals: Signals;
  queue: JobPublisher;
  network: NetworkReconciler;
  gateway: GatewayDriver;
  /** Maintains the port forwards of this node's gateway. */
  forwards: ForwardReconciler;
  guests: GuestReconciler;
  /** Decides whether this node runs the tasks that only one node may run. */
  leadership: Leadership;
  shield: EdgeReconciler;
  opsKeys: OpsKeys;
  agent: AgentRuns;
  documents: DocumentRenderer;
  mails: MailSender;
  /** Base URLs without a trailing slash: known once the service listens, which is before anyone is mailed or pays. */
  site: { panelUrl: string; operatorUrl: string };
  payments: Payments;
}
