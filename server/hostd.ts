// The privileged side of a host: creates guests' interfaces and rules, and starts each guest's processes as a
// separate user, so that the process that serves HTTP needs no privileges. See docs/network.md and deploy/systemd.
//   node server/hostd.ts --config FILE --socket PATH --pool DIR --images DIR --user NAME --group NAME [--uplink NAME]
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { aboutGuest, perform } from './compute/qemu/host/operations.ts';
import { createPrivilegedLauncher } from './compute/qemu/host/privileged-launcher.ts';
import { probeGuests } from './compute/qemu/host/probe.ts';
import { qemuCommand } from './compute/qemu/process/direct-launcher.ts';
import { findLimiter, limitedLauncher, tryLimits } from './compute/qemu/process/limits.ts';
import { loadAllowance, uidsOf } from './compute/qemu/routed/allowance.ts';
import { RoutedNetwork } from './compute/qemu/routed/routed.ts';
import { systemClock as clock } from './platform/clock.ts';
import { allowanceOf, endOnSignal, exitUsage } from './platform/helper/process.ts';
import { serveHelper } from './platform/helper/serve.ts';
import { logLastWords } from './platform/last-words.ts';
import { createLogger } from './platform/logging.ts';

const text = { type: 'string' } as const;
const options = {
  config: text,
  socket: text,
  pool: text,
  images: text,
  user: text,
  group: text,
  uplink: text,
};
const { values } = parseArgs({ options });
const { config, socket, pool, images, user, group, uplink } = values;
if (!config || !socket || !pool || !images || !user || !group) {
  exitUsage(
    'hostd.ts --config FILE --socket PATH --pool DIR --images DIR --user NAME --group NAME [--uplink NAME]',
  );
}

logLastWords();
const logger = createLogger({ logLevel: 'info' });
const [uid, ...groups] = ['-u', '-G'].flatMap((what) =>
  execFileSync('id', [what, '--', user], { encoding: 'utf8' }).trim().split(' ').map(Number),
);
if (!uid) throw new Error('--user: guests never run as root');
const allowance = allowanceOf(loadAllowance, config, 'deploy/systemd/vauban-host.yaml');
const uids = uidsOf(allowance);
const guests = { uid, group, groups };
const network = new RoutedNetwork({
  uplink,
  allowance,
  onRefused: (id, error) => logger.error({ guest: id, error: error.message }, 'guest has no network'),
});
const required = allowance.guest_limits !== 'best_effort';
// Permitted by deploy/systemd/vauban-host.rules.
const find = () => findLimiter(undefined, true);
const launcher = limitedLauncher(
  createPrivilegedLauncher({ clock, pool, images, user: guests, uids, command: qemuCommand }),
  { logger, find, required },
);

const parts = {
  network,
  launcher,
  // The service is in the same group, through which it gets access to guests' sockets.
  users: { ...uids, group: process.getegid!() },
  async probe() {
    await probeGuests(guests, pool);
    if (required) await probeLimits();
  },
};
const report = await perform(parts, 'probe', {});
logger.info(report as object, 'network');
const server = await serveHelper((operation, given) => perform(parts, operation, given), {
  path: socket,
  clock,
  logger,
  about: aboutGuest,
});
logger.info({ socket }, 'listening');
// Guests, their interfaces and their rules stay.
endOnSignal(server, () => network.close());

async function probeLimits(): Promise<void> {
  await tryLimits(find).catch((error: Error) => {
    throw new Error(
      `guests cannot be limited to the size that was sold (${error.message}); guest_limits: best_effort in ${config} allows them to run anyway`,
    );
  });
}
