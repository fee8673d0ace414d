import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { roomOf } from '../../platform/file-system-room.ts';
import type { Logger } from '../../platform/logging.ts';
import type { Metrics } from '../../platform/metrics.ts';

/** The operator is warned from here on, … */
const WARN_FROM = 0.8;
/**
 * … and again only after usage has dropped below this: a file system at the threshold must not cause a warning each
 * time.
 */
const CALM_BELOW = 0.75;
const MB = 2 ** 20;

export interface DiskWatchParts {
  config: Pick<Config, 'dataDir' | 'poolDir'>;
  logger: Logger;
  metrics: Pick<Metrics, 'diskUsed'>;
}

/**
 * Watches how full the file systems of the data directory and of the guests' disks are: exports a metric for each, and
 * warns at 80 %.
 */
export class DiskWatch {
  readonly #parts: DiskWatchParts;
  readonly #warned = new Set<string>();

  constructor(parts: DiskWatchParts) {
    this.#parts = parts;
  }

  async run(): Promise<void> {
    const { dataDir, poolDir = dataDir } = this.#parts.config;
    await this.#look('data', dataDir);
    await this.#look('pool', join(poolDir, 'guests'));
  }

  async #look(what: 'data' | 'pool', directory: string): Promise<void> {
    const { logger, metrics } = this.#parts;
    const { used, freeBytes } = await roomOf(directory);
    metrics.diskUsed(what, used);
    const facts = { directory, used_percent: Math.floor(used * 100), free_mb: Math.floor(freeBytes / MB) };
    if (used >= WARN_FROM && !this.#warned.has(what)) {
      this.#warned.add(what);
      logger.warn(facts, 'file system nearly full');
    } else if (used < CALM_BELOW && this.#warned.delete(what)) {
      logger.info(facts, 'file system has free space again');
    }
  }
}
