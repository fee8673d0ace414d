import { setFlagsFromString } from 'node:v8';
import { safeLines } from '../../shared/safe-text.ts';
import { loadConfig } from '../config/config.ts';
import type { DemoAccess } from '../domain/accounts/demo-account.ts';
import { ConfigError, UnavailableError } from '../platform/config-error.ts';
import { logLastWords } from '../platform/last-words.ts';
import type { Service } from './compose.ts';
import { claimDataDir, openState, startFailure } from './state.ts';

/** Exit status for an invalid configuration (EX_CONFIG of sysexits.h). */
const EXIT_CONFIG = 78;
/** Exit status if something that the service needs is unavailable, possibly for a while (EX_UNAVAILABLE). */
const EXIT_UNAVAILABLE = 69;

// The embedded engine is WebAssembly. V8 compiles it, and recompiles what runs often, on all cores at once. With a
// single task, compiling takes as long as loading the service's modules in parallel, and leaves the other core to them.
setFlagsFromString('--wasm-num-compilation-tasks=1');

let service: Service | undefined;
let stopAsked = false;
/** Turns the error of a failed start into a message; set once it is known where the state is. */
let explain = (error: unknown) => error;

/**
 * Shuts down in order. A start in progress is finished first, unless a second signal arrives; later signals are
 * ignored, because a terminal and npm each send one.
 */
function stop(): void {
  if (stopAsked && service === undefined) process.exit(1);
  stopAsked = true;
  service?.stop().then(
    () => process.exit(0),
    (error) => {
      process.stderr.write(`${safeLines(String(error instanceof Error ? error.stack : error))}\n`);
      process.exit(1);
    },
  );
}

/**
 * Returns the demo account's credentials for readers of the log. Links are only paths, because another line has their
 * address.
 */
function demoLine({ key, signInToken, operatorToken }: DemoAccess): string {
  const operator = operatorToken && { demo_operator_sign_in: `/operator/sign-in/link#${operatorToken}` };
  const link = `/panel/sign-in/link#${signInToken}`;
  return JSON.stringify({ level: 'info', msg: 'demo key', demo_key: key, demo_sign_in: link, ...operator });
}

logLastWords();
try {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, stop);
  const config = loadConfig(process.env);
  explain = (error) => startFailure(config, error);
  await claimDataDir(config);
  // The embedded engine is compiled on other threads while the service's modules are loaded.
  const [db, { startService }] = await Promise.all([openState(config), import('./compose.ts')]);
  let demo: DemoAccess | undefined;
  service = await startService(config, db, {
    onDemo(access) {
      demo = access;
      // Not through the logger, which would redact it.
      if (!process.stdout.isTTY) process.stdout.write(`${demoLine(access)}\n`);
    },
  });
  if (process.stdout.isTTY)
    process.stdout.write(`\n${(await import('./banner.ts')).banner(service, demo)}\n`);
  // V8's default heap growth makes the start fastest. From now on, the heap grows by a third between two collections
  // instead of several times, which halves the service's memory for a few percent of its speed.
  setFlagsFromString('--heap-growing-percent=30');
  if (stopAsked) stop();
} catch (cause) {
  const error = explain(cause);
  if (!(error instanceof ConfigError || error instanceof UnavailableError)) throw error;
  process.stderr.write(`${safeLines(error.message)}\n`);
  process.exit(error instanceof ConfigError ? EXIT_CONFIG : EXIT_UNAVAILABLE);
}
