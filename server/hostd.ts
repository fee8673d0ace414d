// The privileged side of a host: creates guests' interfaces and rules, and starts each guest's processes as a
// separate user, so that the process that serves HTTP needs no privileges. See docs/network.md and deploy/systemd.
//   node server/hostd.ts --config FILE --socket PATH --pool DIR --images DIR --user NAME --group NAME [--uplink NAME]
import { execFileSync } from 'node:child_process';
import { createPrivilegedLauncher } from './compute/qemu/host/privileged-launcher.ts';
import { probeGuests } from './compute/qemu/host/probe.ts';
import { qemuCommand } from './compute/qemu/process/direct-launcher.ts';
import { findLimiter, limitedLauncher, tryLimits } from './compute/qemu/process/limits.ts';
import { netdevOf } from './compute/qemu/routed/names.ts';
import { RoutedNetwork } from './compute/qemu/routed/routed.ts';
import { loadHostAllowance, uidsOf } from './helpers/host/allowance.ts';
import { aboutGuest, type HostParts, perform } from './helpers/host/operations.ts';
import { runHelper } from './helpers/run.ts';

await runHelper({
  program: 'hostd.ts',
  flags: { pool: 'DIR', images: 'DIR', user: 'NAME', group: 'NAME' },
  options: { uplink: 'NAME' },
  example: 'deploy/systemd/vauban-host.yaml',
  load: loadHostAllowance,
  async open({ config, allowance, flags: { pool, images, user, group, uplink }, clock, logger }) {
    const guests = { ...idsOf(user), group };
    const uids = uidsOf(allowance);
    const network = new RoutedNetwork({
      uplink,
      allowance,
      logger,
      onRefused: (id, error) => logger.error({ guest: id, error: error.message }, 'guest has no network'),
    });
    const required = allowance.guest_limits !== 'best_effort';
    // Permitted by deploy/systemd/vauban-host.rules.
    const find = () => findLimiter(undefined, true);
    const unlimited = createPrivilegedLauncher({
      clock,
      pool,
      images,
      user: guests,
      uids,
      command: qemuCommand,
    });
    const parts: HostParts = {
      network,
      launcher: limitedLauncher(unlimited, { logger, find, required }),
      netdevOf,
      // The service is in the same group, through which it gets access to guests' sockets.
      users: { ...uids, group: process.getegid!() },
      async probe() {
        await probeGuests(guests, pool);
        if (required) await tryLimits(find).catch((error: Error) => failLimits(error, config));
      },
    };
    return {
      what: 'network',
      report: (await perform(parts, 'probe', {})) as object,
      perform: (operation, given) => perform(parts, operation, given),
      about: aboutGuest,
      // Guests, their interfaces and their rules stay.
      close: () => network.close(),
    };
  },
});

function idsOf(user: string): { uid: number; groups: number[] } {
  const [uid, ...groups] = ['-u', '-G'].flatMap((what) =>
    execFileSync('id', [what, '--', user], { encoding: 'utf8' }).trim().split(' ').map(Number),
  );
  if (!uid) throw new Error('--user: guests never run as root');
  return { uid, groups };
}

function failLimits({ message }: Error, config: string): never {
  throw new Error(
    `guests cannot be limited to the size that was sold (${message}); guest_limits: best_effort in ${config} allows them to run anyway`,
  );
}
