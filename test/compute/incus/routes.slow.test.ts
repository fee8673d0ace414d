// Needs: root, Incus, gobgpd.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { defer } from '../../support/cleanup.ts';
import { inCluster } from '../../support/incus/in-cluster.ts';
import { run } from '../../support/incus/layout.ts';
import { killMember, startMember } from '../../support/incus/members.ts';
import { greets, PATIENCE, until } from './cloud.ts';
import { openIncus, tinyGuest } from './support.ts';

const STARTS = 10;
/** Longer than even a busy server takes. */
const ANSWER_MS = 2_000;
const MEMBER = 1;

const cluster = await inCluster(import.meta.filename);

// Runs in the network of the router to which the members announce the guests' addresses.
if (cluster) {
  test(
    "the route to a guest exists once it has started, and stays while its member's daemon is away",
    PATIENCE,
    async (t) => {
      const driver = await openIncus(cluster);
      defer(t, () => driver.close());
      const host = (await driver.hosts()).find(({ name }) => name === `m${MEMBER}`)!;
      const guest = tinyGuest({ hostId: host.id });
      const { address } = guest.addresses[0]!;
      await driver.create(guest);

      const took: number[] = [];
      for (let start = 0; start < STARTS; start++) {
        await driver.start(guest.id);
        const started = performance.now();
        await until(() => hasRoute(address));
        took.push(performance.now() - started);
        await driver.powerOff(guest.id);
        await until(async () => !(await hasRoute(address)));
      }
      await driver.start(guest.id);
      await until(() => greets(address, ANSWER_MS));

      const changes = watchRoutes(t, address);
      await killMember(cluster, MEMBER);
      await until(async () => (await isAnnounced(address)) !== 'fresh');
      assert.ok(await greets(address, ANSWER_MS), 'the guest is reached while its daemon is away');
      assert.deepEqual(changes, [], 'and the route to it is not touched');
      await startMember(cluster, MEMBER);
      await until(async () => (await isAnnounced(address)) === 'fresh');
      // A starting daemon may report that all routes are announced before it has found its guests.
      await until(() => hasRoute(address));
      assert.ok(await greets(address, ANSWER_MS), 'and once it is back');
      const absence = absenceIn(changes);
      // Proves that a lost route would have been noticed.
      const before = changes.length;
      await driver.powerOff(guest.id);
      await until(async () => changes.slice(before).some(({ isThere }) => !isThere));
      const sorted = took.toSorted((a, b) => a - b).map(Math.round);
      t.diagnostic(
        `the route was there ${sorted[STARTS >> 1]} ms after the start at the median, ${sorted.at(-1)} ms at the most, of ${STARTS}; ` +
          `it stayed while the daemon was away, and was gone for ${Math.round(absence)} ms when it came back`,
      );
    },
  );
}

async function hasRoute(address: string): Promise<boolean> {
  return (await run('ip', 'route', 'show', `${address}/32`)) !== '';
}

/** Returns the state of an address on the router: announced by its member, left over from an ended session, or unknown. */
async function isAnnounced(address: string): Promise<'fresh' | 'stale' | 'not'> {
  const rib = JSON.parse(await run('gobgp', '-p', '50051', '-j', 'global', 'rib')) as Record<
    string,
    { stale?: boolean }[]
  >;
  const paths = rib[`${address}/32`] ?? [];
  if (paths.length === 0) return 'not';
  return paths.some(({ stale }) => stale) ? 'stale' : 'fresh';
}

interface RouteChange {
  isThere: boolean;
  /** In milliseconds of this process's clock. */
  at: number;
}

/** Records the changes of the route to an address from now on, as the kernel reports them. */
function watchRoutes(t: TestContext, address: string): RouteChange[] {
  const monitor = spawn('ip', ['monitor', 'route'], { stdio: ['ignore', 'pipe', 'inherit'] });
  defer(t, async () => void monitor.kill('SIGKILL'));
  const changes: RouteChange[] = [];
  createInterface(monitor.stdout).on('line', (line) => {
    const isThere = line.startsWith(`${address} `);
    if (isThere || line.startsWith(`Deleted ${address} `)) changes.push({ isThere, at: performance.now() });
  });
  return changes;
}

/** Returns for how long the route was missing, in milliseconds. */
function absenceIn(changes: readonly RouteChange[]): number {
  let absence = 0;
  let goneAt: number | undefined;
  for (const { isThere, at } of changes) {
    if (isThere && goneAt !== undefined) absence += at - goneAt;
    goneAt = isThere ? undefined : (goneAt ?? at);
  }
  return absence;
}
