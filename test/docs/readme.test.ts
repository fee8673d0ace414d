// Runs on the embedded engine only: it is about the lines of the banner.
import assert from 'node:assert/strict';
import test from 'node:test';
import { loadConfig } from '../../server/config/config.ts';
import { createLogger } from '../../server/platform/logging.ts';
import { banner } from '../../server/start/banner.ts';
import { type Parts, startService } from '../../server/start/compose.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabaseLocation } from '../support/database.ts';
import { patternOf } from '../support/examples.ts';
import { read } from '../support/source.ts';

const README = read('README.md');

test('the README shows the output of the first start', async (t) => {
  const { env, open } = await freshDatabaseLocation(t);
  const config = loadConfig({ ...env, VAUBAN_LISTEN: '127.0.0.1:0' });
  let demo: Parameters<NonNullable<Parts['onDemo']>>[0] | undefined;
  const logger = createLogger({ logLevel: 'silent' });
  const service = await startService(config, await open(), { logger, onDemo: (access) => (demo = access) });
  defer(t, () => service.stop());
  assert.ok(demo, 'a first start makes the demo account');
  const [shown] = README.match(/(?<=```\n) {2}Panel .*?(?=```)/s) ?? [];
  // The reader's service listens at the default address, and its database is the default one in the default place.
  const printed = banner(service, demo)
    .replaceAll(`:${new URL(service.address).port}`, ':8080')
    .replace(config.dataDir, 'data')
    .replace('database: PostgreSQL', 'database: embedded, in data');
  assert.doesNotMatch(printed, /127\.0\.0\.1/, 'browsers keep passkeys for names only');
  assert.match(printed.trimEnd(), patternOf(shown!.trimEnd()));
});
