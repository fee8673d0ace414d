import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Logger } from '../platform/logging.ts';

const BUILT = fileURLToPath(new URL('../../panel/dist/index.html', import.meta.url));
const BUILD = fileURLToPath(new URL('../../panel/build.ts', import.meta.url));
/** A build takes seconds; one that takes this long hangs, and must not live as long as the service. */
const LONGEST_BUILD_MS = 300_000;

/**
 * Builds the panel where the installation has not (`npm ci --ignore-scripts`), in a process of its own: the start does
 * not wait for it, and the service never loads what builds. Resolves when the panel is there, or cannot be.
 */
export async function buildPanelOnce(logger: Logger): Promise<void> {
  if (existsSync(BUILT)) return;
  logger.info('building the control panel, which the installation did not');
  try {
    await promisify(execFile)(process.execPath, [BUILD], { timeout: LONGEST_BUILD_MS });
  } catch (error) {
    logger.error({ err: error }, 'the control panel could not be built; `npm run panel` says why');
  }
}
