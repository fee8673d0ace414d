import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

// What the runtime made of the sources is kept for the next start, which loads in half the time. It is kept with
// the packages, because whoever may write there decides anyway what runs; where nobody may, nothing is kept.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/vauban', import.meta.url)));
const { loadConfig } = await import('./config.ts');
const { claimDataDir, openState } = await import('./state.ts');
const { ConfigError } = await import('./platform/config-error.ts');

/** Exit status for a configuration that cannot be used (EX_CONFIG of sysexits.h). */
const EXIT_CONFIG = 78;

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
