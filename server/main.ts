import { setFlagsFromString } from 'node:v8';
import { loadConfig } from './config.ts';
import { ConfigError } from './platform/config-error.ts';
import { claimDataDir, openState } from './state.ts';

/** Exit status for a configuration that cannot be used (EX_CONFIG of sysexits.h). */
const EXIT_CONFIG = 78;

// The embedded engine is WebAssembly, which V8 compiles, and again whatever runs often, on every core at once. On one it
// takes as long as the reading of the service's modules beside it, and leaves them the other.
setFlagsFromString('--wasm-num-compilation-tasks=1');

try {
  const config = loadConfig(process.env);
  await claimDataDir(config);
  // The embedded engine is compiled on other threads while the service's modules are read.
  const [db, { startService }] = await Promise.all([openState(config), import('./app.ts')]);
  const service = await startService(config, db, {
    onDemoKey: (key) => process.stdout.write(`demo key: ${key}\n`),
  });
  // A start is quickest with the heap's own pace; from now on it grows by a third between two collections and not by
  // several times, which keeps the service at half of the memory for a few percent of its speed.
  setFlagsFromString('--heap-growing-percent=30');
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      service.stop().then(
        () => process.exit(0),
        (error) => {
          process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
          process.exit(1);
        },
      );
    });
  }
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(EXIT_CONFIG);
}
