import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Logger } from '../../platform/logging.ts';

/** A build takes seconds; one that takes this long hangs, and must not live as long as the service. */
const LONGEST_BUILD_MS = 300_000;

/** Something that `npm ci` builds unless it runs no scripts. */
export interface Build {
  name: string;
  /** Directory of its files, with a trailing slash. */
  directory: string;
  /** The program that builds it, and the npm script that runs the program. */
  program: string;
  script: string;
}

/**
 * Builds it if the installation has not (`npm ci --ignore-scripts`), in a separate process: the start does not wait for
 * it, and the service never loads the build tools. Resolves once it is built or has failed.
 */
export async function buildOnce(logger: Logger, { name, directory, program, script }: Build): Promise<void> {
  if (existsSync(`${directory}index.html`)) return;
  logger.info(`building the ${name}, because the installation did not`);
  try {
    await promisify(execFile)(process.execPath, [program], { timeout: LONGEST_BUILD_MS });
  } catch (error) {
    logger.error({ err: error }, `the ${name} could not be built; \`npm run ${script}\` says why`);
  }
}
