import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { FILES } from '../../../server/compute/qemu/process/arguments.ts';
import { tapName } from '../../../server/compute/qemu/routed/names.ts';
import { defer } from '../../support/cleanup.ts';
import { skipUnlessInstalled, skipWithoutTinyImage, tinyImage } from '../../support/tiny-image.ts';
import { openQemu, stayAlive, tinySpec } from '../qemu/support.ts';
import { Env, GATEWAY, whyNot } from '../routed/support/env.ts';

const skip = whyNot() || skipUnlessInstalled('perl', 'setfacl') || (await skipWithoutTinyImage());
const SOCKETS = ['monitor', 'networkMonitor', 'agent', 'vnc'] as const;
/** The groups that stand in for the guests' and the helper's. */
const [GUESTS_GROUP, HELPER_GROUP] = ['nogroup', 'daemon'];

/** Runs escape.pl as this user and returns the outcome of each attempt. */
async function attempt(env: Env, uid: number | string, groups: string[], tries: string[]) {
  const [own, ...others] = groups;
  const identity = [`--reuid=${uid}`, `--regid=${own}`];
  const rest = others.length > 0 ? `--groups=${others.join(',')}` : '--clear-groups';
  const script = join(import.meta.dirname, 'escape.pl');
  const said = await env.host.run('setpriv', ...identity, rest, '--', 'perl', script, ...tries);
  return new Map(
    said
      .trim()
      .split('\n')
      .map((line) => line.split(/ (.*)/) as [string, string]),
  );
}

test("one guest's user can open nothing of another guest or of the service", { skip }, async (t) => {
  defer(t, stayAlive());
  const umask = process.umask(0o007);
  defer(t, () => process.umask(umask));
  const image = (await tinyImage())!;
  const env = await Env.open(t, join(image.disk, '../..'));
  const { network, pool } = env;
  const users = () => network.users();
  const driver = openQemu(pool, image, { network, launcher: network, users });
  const specs = [40, 41].map((last) =>
    tinySpec({
      mac: `52:54:00:00:00:${last}`,
      addresses: [{ address: `203.0.113.${last}`, family: 4, prefix: 24, gateway: GATEWAY[4] }],
    }),
  );
  const starting = new AbortController();
  defer(t, async () => {
    starting.abort();
    for (const { id } of specs) await driver.remove(id);
    await driver.close();
  });
  // All of their files exist before they have booted.
  for (const spec of specs) {
    await driver.create(spec);
    driver.start(spec.id, starting.signal).catch(() => {});
  }
  const [mine, other] = specs.map(({ id }) => join(pool, id)) as [string, string];
  for (const directory of [mine, other])
    while (!(await stat(join(directory, FILES.vnc)).catch(() => undefined))) await pause(20);

  const uidOf = async (directory: string): Promise<number> =>
    JSON.parse(await readFile(join(directory, FILES.record), 'utf8')).uid;
  const [myself, victim] = [await uidOf(mine), await uidOf(other)];
  assert.notEqual(myself, victim);
  const pid = (await readFile(join(other, FILES.pid), 'utf8')).trim();

  const sockets = SOCKETS.map((name) => `connect:${join(other, FILES[name])}`);
  const names = await readdir(other);
  const files = names.filter((name) => !name.endsWith('.sock')).map((name) => join(other, name));
  const tries = [
    ...[`list:${pool}`, `list:${other}`, `create:${join(pool, 'new')}`, `create:${join(other, 'new')}`],
    ...files.flatMap((file) => [`read:${file}`, `write:${file}`]),
    ...names.map((name) => `remove:${join(other, name)}`),
    ...sockets,
    ...[`tap:${tapName(specs[1]!.id)}`, `read:/proc/${pid}/mem`, `signal:${pid}`],
  ];
  const refused = await attempt(env, myself, [GUESTS_GROUP], tries);
  t.diagnostic(`${refused.size} attempts: ${[...new Set(refused.values())].join(', ')}`);
  assert.equal(refused.size, tries.length);
  for (const [what, end] of refused) assert.match(end, /^(Permission denied|Operation not permitted)$/, what);

  // The attempts are real: a guest's own user can open the files of its own machine, except for the record, which is
  // the service's.
  const disk = `write:${join(other, FILES.disk)}`;
  const record = `read:${join(other, FILES.record)}`;
  const own = await attempt(env, victim, [GUESTS_GROUP], [disk, ...sockets, record, `signal:${pid}`]);
  assert.match(own.get(record)!, /^Permission denied$/);
  own.delete(record);
  assert.deepEqual([...new Set(own.values())], ['done']);
  // The service runs neither as a guest nor as root: it has access through its group.
  const service = await attempt(env, 'bin', [HELPER_GROUP, GUESTS_GROUP], [disk, ...sockets]);
  assert.deepEqual([...new Set(service.values())], ['done']);
});
