import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { allowanceCheck } from '../../../server/compute/qemu/routed/allowance.ts';
import { loadHostAllowance } from '../../../server/helpers/host/allowance.ts';
import { REPOSITORY } from '../../support/source.ts';
import { guest, policy, temporaryDirectory } from './support.ts';

const GOOD = `
guest_uids: 1900000000-1900000099
guest_prefixes: [203.0.113.0/24, 2001:db8:1::/48]
forwards: [{ address: 192.0.2.10, ports: 20000-29999 }, { address: 192.0.2.10, ports: '443' }]
`;

test("the host's configuration is read, and refused by field if it is wrong or open to others", async (t) => {
  const path = join(await temporaryDirectory(t), 'host.yaml');
  const load = async (text: string, mode = 0o644) => {
    await writeFile(path, text);
    await chmod(path, mode);
    return loadHostAllowance(path);
  };
  assert.equal((await load(GOOD)).forwards.length, 2);
  const wrong: [string, RegExp][] = [
    ['', /arguments: must be object/],
    ['guest_prefixes: [', /host\.yaml: /],
    [GOOD.replace('203.0.113.0/24', '203.0.113.1/24'), /guest_prefixes\.0: /],
    [GOOD.replace('203.0.113.0/24', 'everything'), /guest_prefixes\.0: /],
    [GOOD.replace('20000-29999', '20000-70000'), /forwards\.0\.ports: /],
    [
      GOOD.replace('192.0.2.10', '127.0.0.53'),
      /forwards\.0\.address: 127\.0\.0\.53 is not an address of a single host/,
    ],
    [GOOD.replace(/guest_uids.*/, ''), /must have required property 'guest_uids'/],
    // Neither ids of named users, nor a reversed range, nor numbers that a program might read as negative.
    ...['1000-2000', '65535-70000', '1900000099-1900000000', '1900000000-2147483648', '70000'].map(
      (uids): [string, RegExp] => [GOOD.replace('1900000000-1900000099', uids), /guest_uids: /],
    ),
    [`${GOOD}more: true`, /additional properties/],
  ];
  for (const [text, message] of wrong) await assert.rejects(load(text), { name: 'ConfigError', message });
  for (const mode of [0o664, 0o646])
    await assert.rejects(load(GOOD, mode), {
      name: 'ConfigError',
      message: /only its owner may be able to write/,
    });
  assert.throws(() => loadHostAllowance(join(path, 'gone')), { name: 'ConfigError' });
  assert.doesNotThrow(() => loadHostAllowance(join(REPOSITORY, 'deploy/systemd/vauban-host.yaml')));
});

test('a field that the configuration does not define is refused by name', async (t) => {
  const path = join(await temporaryDirectory(t), 'host.yaml');
  await writeFile(path, GOOD, { mode: 0o600 });
  const check = allowanceCheck(loadHostAllowance(path));
  const forward = policy().portForwards[0]!;
  const withForward = (fields: object) => ({
    ...policy(),
    portForwards: [forward, { ...forward, ...fields }],
  });
  const at = (index: number, address: string) => {
    const changed = guest();
    changed.addresses[index]!.address = address;
    return changed;
  };
  check(guest(), policy());
  check({ ...guest(), uid: 1_900_000_099 }, policy());
  for (const uid of [1, 1000, 1_899_999_999, 1_900_000_100])
    assert.throws(() => check({ ...guest(), uid }, policy()), /^InvalidArgumentError: guest\.uid: /);
  for (const externalPort of [443, 20_000, 29_999]) check(guest(), withForward({ externalPort }));
  for (const address of ['203.0.112.255', '203.0.114.0', '10.0.0.1', '8.8.8.8'])
    assert.throws(
      () => check(at(0, address), policy()),
      /^InvalidArgumentError: guest\.addresses\.0\.address: /,
    );
  for (const address of ['2001:db8:2::1', 'fd00::1'])
    assert.throws(
      () => check(at(1, address), policy()),
      /^InvalidArgumentError: guest\.addresses\.1\.address: /,
    );
  assert.throws(
    () => check(guest(), withForward({ publicIp: '9.9.9.9', externalPort: 53 })),
    /portForwards\.1\.publicIp: /,
  );
  for (const externalPort of [1, 53, 442, 444, 19_999, 30_000])
    assert.throws(() => check(guest(), withForward({ externalPort })), /portForwards\.1\.externalPort: /);
});
