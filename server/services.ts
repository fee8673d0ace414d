import type { AgentRuns } from './agent/agent-runs.ts';
import type { ComputeDriver } from './compute/driver.ts';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import type { Catalog } from './domain/catalog/catalog-schema.ts';
import type { EdgeDriver } from './edge/driver.ts';
import type { EdgeLeadership } from './jobs/leadership.ts';
import type { JobOutlet } from './jobs/queue.ts';
import type { EdgeReconciler } from './jobs/reconcile-edge.ts';
import type { NetworkReconciler } from './jobs/reconcile-network.ts';
import type { Clock } from './platform/clock.ts';
import type { Logger } from './platform/logging.ts';
import type { Metrics } from './platform/metrics.ts';
import type { OpsKey } from './platform/ops-key.ts';
import type { SecretBox } from './platform/secrets.ts';
import type { Signals } from './platform/signals.ts';

/** What the parts of the service share: made once by `app.ts`, passed in, never imported as a global. */
export interface Services {
  config: Config;
  catalog: Catalog;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
  db: Database;
  compute: ComputeDriver;
  edge: EdgeDriver;
  secrets: SecretBox;
  signals: Signals;
  queue: JobOutlet;
  network: NetworkReconciler;
  /** Whether this node runs the edge. */
  leadership: EdgeLeadership;
  shield: EdgeReconciler;
  opsKey: OpsKey;
  agent: AgentRuns;
}
