import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EngineFinding, EngineWants } from '../../server/compute/driver.ts';
import { startOperator } from './support.ts';
import { vaubanctl } from './vaubanctl.ts';

test('an engine that is no cluster cannot be checked, and says what can be done', async (t) => {
  const { dataDir } = await startOperator(t);
  const { code, stderr } = await vaubanctl(dataDir, 'cluster', 'check');
  assert.equal(code, 1);
  assert.match(stderr, /The simulator engine is no cluster\. vaubanctl doctor says/);
});

test('a cluster is checked against what the catalog sells, and only what no VM can do without is a failure', async (t) => {
  const { dataDir, compute } = await startOperator(t);
  let asked: EngineWants | undefined;
  const findings: EngineFinding[] = [
    { what: 'quorum', state: 'ok', found: 'the cluster answers' },
    { what: 'pool default', state: 'limited', found: 'dir limits no disk' },
  ];
  Object.assign(compute, {
    check: async (wants: EngineWants) => {
      asked = wants;
      return findings;
    },
  });
  const check = (...options: string[]) => vaubanctl(dataDir, 'cluster', 'check', ...options);
  const { code, stdout } = await check();
  assert.equal(code, 0);
  assert.match(stdout, /^limited +pool default +dir limits no disk$/m);
  const [region] = asked!.gateways;
  assert.deepEqual(region, { region: 'eu-central', addresses: ['100.64.0.1', '2001:db8:1::1'] });
  assert.ok(asked!.templates.includes('debian-12'));
  assert.ok(asked!.zones.includes('eu-central-a'));
  assert.deepEqual(JSON.parse((await check('--json')).stdout), { compute: 'simulator', findings });
  findings.push({ what: 'certificate', state: 'missing', found: 'not trusted' });
  assert.equal((await check()).code, 1);
});
