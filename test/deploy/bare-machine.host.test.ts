// Runs alongside the others: it waits for packages and a guest most of the time.
import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { BareRoot, whyNoBareRoot } from './support/bare-root.ts';

const skip = whyNoBareRoot();
const REQUIRED = { VAUBAN_REQUIRE_QEMU: '1' };
/** Needed in addition to the packages of host:setup: a packet generator, and the addresses that packets go to. */
const TOOLS = 'netsniff-ng iputils-ping';
const TESTS =
  'npm test -- --db pglite test/compute/qemu/golden.test.ts test/compute/routed/guest.host.test.ts';

test('a machine that has nothing can run guests after host:setup', { skip }, async (t) => {
  const root = BareRoot.make(t);
  assert.ok(!existsSync(root.path('/bin/busybox')));

  const before = await root.run(TESTS, REQUIRED);
  assert.equal(before.code, 1, before.output);
  assert.match(before.output, /✖ this machine can run all tests: isoinfo not installed: npm run host:setup/);
  assert.match(before.output, /✖ this machine can run all tests: needs .*mausezahn/);
  assert.doesNotMatch(before.output, /✖ test\/|Error:.*at async/);

  const setUp = await root.run('npm run host:setup -- --cache-only');
  t.diagnostic(setUp.output);
  assert.equal(setUp.code, 0, setUp.output);
  assert.match(setUp.output, /^ready: tiny [0-9a-f]{12}$/m);
  assert.doesNotMatch(setUp.output, /^-- /m, 'nothing is limited');
  const lines = setUp.output.split('\n');
  for (const [index, line] of lines.entries()) {
    const [, what] = /^ok {2}(.*) \(\d+\.\d s\)$/.exec(line) ?? [];
    if (what) assert.ok(lines.slice(0, index).includes(`..  ${what}`), `said before it was done: ${what}`);
  }
  for (const what of [
    'apt-get install',
    'build the image tiny',
    'start a guest of tiny',
    'try the routed network',
  ])
    assert.match(setUp.output, new RegExp(`^ok {2}${what}`, 'm'));
  assert.equal(statSync(root.path('/dev/net/tun')).mode & 0o777, 0o666);

  const tools = await root.run(`apt-get install -y -qq --no-install-recommends ${TOOLS}`);
  assert.equal(tools.code, 0, tools.output);
  const after = await root.run(TESTS, REQUIRED);
  assert.equal(after.code, 0, after.output);
  assert.match(after.output, /^\d+ passed, 0 failed, 0 skipped$/m);

  const again = await root.run('npm run host:setup -- --cache-only');
  assert.equal(again.code, 0, again.output);
  assert.doesNotMatch(again.output, /apt-get|build the image/, 'what is there is not done again');
});
