import type { Attempts } from '../access/attempts.ts';
import type { Passwords } from '../access/passwords.ts';
import type { RealmRules } from '../access/realms.ts';
import type { AgentRuns } from '../agent/agent-runs.ts';
import type { ComputeDriver } from '../compute/driver.ts';
import type { Brand } from '../config/brand.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../db/database.ts';
import type { Signals } from '../db/signals.ts';
import type { DocumentRenderer } from '../documents/renderer.ts';
import type { Catalog } from '../domain/catalog/catalog-schema.ts';
import type { JobPublisher } from '../domain/vms/job-publisher.ts';
import type { EdgeDriver } from '../edge/driver.ts';
import type { OpsKeys } from '../guest-ssh/ops-keys.ts';
import type { ForwardReconciler } from '../jobs/reconcilers/reconcile-forwards.ts';
import type { GuestReconciler } from '../jobs/reconcilers/reconcile-guests.ts';
import type { NetworkReconciler } from '../jobs/reconcilers/reconcile-network.ts';
import type { Payments } from '../payments/payments.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logging.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { SecretBox } from '../platform/secrets.ts';
import type { EdgeReconciler } from '../shield/reconcile-edge.ts';
import type { Changes } from './panel/changes.ts';

/** The parts of the service that the handlers of every audience may use. */
export interface CommonServices {
  catalog: Catalog;
  clock: Clock;
  compute: ComputeDriver;
  config: Config;
  db: Database;
  documents: DocumentRenderer;
  edge: EdgeDriver;
  engine: string;
  logger: Logger;
  metrics: Metrics;
  opsKeys: OpsKeys;
  queue: JobPublisher;
  secrets: SecretBox;
  shield: EdgeReconciler;
  signals: Signals;
}

/** For the customers' operations. */
export interface EndpointServices extends CommonServices {
  agent: AgentRuns;
  forwards: ForwardReconciler;
  network: NetworkReconciler;
}

interface PeopleServices {
  payments: Payments;
  /** Base URLs for links in mails: as configured, and never taken from a request. */
  site: { panelUrl: string; operatorUrl: string };
}

/** For the operations that only the panel has. */
export interface PanelServices extends EndpointServices, PeopleServices {
  attempts: Attempts;
  brand: Brand;
  changes: Changes;
  passwords: Passwords;
  /** The rules of the sign-in: that of customers, or of operators. */
  realm: RealmRules;
}

/** For the operator's operations. */
export interface OperatorServices extends CommonServices, PeopleServices {
  guests: GuestReconciler;
}
