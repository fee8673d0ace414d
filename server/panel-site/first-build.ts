import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Logger } from '../platform/logging.ts';

/** A build takes seconds; one that takes this long hangs, and must not live as long as the service. */
const LONGEST_BUILD_MS = 300_000;

/** Something that `npm ci` builds unless it runs no scripts. */
export interface Build {
  /** As people call it. */
  name: string;
  /** Where its files are, with a slash at the end. */
  directory: string;
  /** The program that makes them, and the npm script that runs it. */
  program: string;
  script: string;
}

/**
 * Builds it where the installation has not (`npm ci --ignore-scripts`), in a process of its own: the start does
 * not wait for it, and the service never loads what builds. Resolves when it is there, or cannot be.
 */
export async function buildOnce(logger: Logger, { name, directory, program, script }: Build): Promise<void> {
  if (existsSync(`${directory}index.html`)) return;
  logger.info(`building the ${name}, which the installation did not`);
  try {
    await promisify(execFile)(process.execPath, [program], { timeout: LONGEST_BUILD_MS });
  } catch (error) {
    logger.error({ err: error }, `the ${name} could not be built; \`npm run ${script}\` says why`);
  }
}
