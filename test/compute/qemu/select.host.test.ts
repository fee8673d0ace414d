import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { createImageStore } from '../../../server/compute/qemu/images/image-store.ts';
import { selectCompute } from '../../../server/compute/select.ts';
import { loadConfig } from '../../../server/config/config.ts';
import { RecordedClusters } from '../../../server/db/queries/hosts/clusters.ts';
import { SimulatorGuests } from '../../../server/db/queries/hosts/simulator-guests.ts';
import { systemClock } from '../../../server/platform/clock.ts';
import { createLogger } from '../../../server/platform/logging.ts';
import { skipWithoutTinyImage, tinyImage } from '../../support/tiny-image.ts';
import { openTestDatabase } from '../support.ts';

const db = await openTestDatabase();
after(() => db.close());
const image = (await tinyImage())!;
const skip = await skipWithoutTinyImage();

function select(dataDir: string, env: Record<string, string> = {}) {
  const config = loadConfig({ VAUBAN_DATA_DIR: dataDir, VAUBAN_LOG_LEVEL: 'silent', ...env });
  return selectCompute({
    config,
    simulatorStore: new SimulatorGuests(db),
    clusterStore: new RecordedClusters(db),
    clock: systemClock,
    logger: createLogger(config),
    firstZone: 'eu-central-a',
    templates: [{ code: 'debian-13' }, { code: 'small', image: 'tiny' }],
    regions: [],
    opsLogin: () => Promise.reject(new Error('there is no login here')),
  });
}

function dataDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 's-'));
  t.after(() => rm(directory, { recursive: true }));
  return directory;
}

test('auto is the simulator if no template has an image, and touches nothing', async (t) => {
  const directory = dataDirectory(t);
  const { compute, reason } = await select(directory);
  assert.equal(compute.name, 'simulator');
  assert.match(reason, /no image/);
  assert.deepEqual(readdirSync(directory), []);
  await compute.close();
});

test('auto is QEMU if it works and a template has an image; the line explains it', { skip }, async (t) => {
  const directory = dataDirectory(t);
  await createImageStore(join(directory, 'images')).import(image);
  const { compute } = await select(directory, { VAUBAN_QEMU_ACCEL: 'tcg' });
  assert.equal(compute.name, 'qemu');
  const { ok, summary } = await compute.probe();
  assert.ok(ok);
  assert.match(summary, /QEMU [\d.]+ with TCG.*images: tiny.*network: user.*not for tenants/);
  await compute.close();
  const other = await select(directory, { VAUBAN_COMPUTE: 'simulator' });
  assert.equal(other.compute.name, 'simulator');
  await other.compute.close();
});
