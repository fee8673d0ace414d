import type { Config } from '../config/config.ts';
import type { Signals } from '../db/signals.ts';
import type { OpsServices } from '../guest-ssh/connect.ts';
import type { Logger } from '../platform/logging.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { SecretBox } from '../platform/secrets.ts';

export interface ConsoleServices extends OpsServices {
  config: Config;
  logger: Logger;
  metrics: Metrics;
  secrets: SecretBox;
  signals: Signals;
}
