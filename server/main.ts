import { setFlagsFromString } from 'node:v8';
import { safeLines } from '../shared/safe-text.ts';
import type { Service } from './compose.ts';
import { loadConfig } from './config/config.ts';
import type { DemoAccess } from './domain/accounts/demo-account.ts';
import { ConfigError, UnavailableError } from './platform/config-error.ts';
import { logLastWords } from './platform/last-words.ts';
import { claimDataDir, openState, startFailure } from './state.ts';

/** Exit status for a configuration that cannot be used (EX_CONFIG of sysexits.h). */
const EXIT_CONFIG = 78;
/** Exit status where what the service needs is not there, which may pass (EX_UNAVAILABLE). */
const EXIT_UNAVAILABLE = 69;

// The embedded engine is WebAssembly, which V8 compiles, and again whatever runs often, on every core at once. On one it
// takes as long as the reading of the service's modules beside it, and leaves them the other.
setFlagsFromString('--wasm-num-compilation-tasks=1');

let service: Service | undefined;
let stopAsked = false;
/** What a failed start has to say, once it is known where its state is. */
let explain = (error: unknown) => error;

/**
 * Ends in order. A start that is under way is finished first, unless it is asked a second time; later signals mean
 * nothing, since a terminal and npm send one each.
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

/** What lets into the demo account, for who reads a log; the paths of links, as their address is another line's. */
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
  // The embedded engine is compiled on other threads while the service's modules are read.
  const [db, { startService }] = await Promise.all([openState(config), import('./compose.ts')]);
  let demo: DemoAccess | undefined;
  service = await startService(config, db, {
    onDemo(access) {
      demo = access;
      // Not by the log, which would redact it.
      if (!process.stdout.isTTY) process.stdout.write(`${demoLine(access)}\n`);
    },
  });
  if (process.stdout.isTTY)
    process.stdout.write(`\n${(await import('./banner.ts')).banner(service, demo)}\n`);
  // A start is quickest with the heap's own pace; from now on it grows by a third between two collections and not by
  // several times, which keeps the service at half of the memory for a few percent of its speed.
  setFlagsFromString('--heap-growing-percent=30');
  if (stopAsked) stop();
} catch (cause) {
  const error = explain(cause);
  if (!(error instanceof ConfigError || error instanceof UnavailableError)) throw error;
  process.stderr.write(`${safeLines(error.message)}\n`);
  process.exit(error instanceof ConfigError ? EXIT_CONFIG : EXIT_UNAVAILABLE);
}
