// The privileged side of a host: makes guests' interfaces and rules, and starts their processes as a user of their
// own, so that the process that speaks HTTP needs no privilege. See docs/network.md and deploy/systemd.
//   node server/hostd.ts --socket /run/vauban-host/host.sock --pool DIR --images DIR --user NAME --group NAME [--uplink NAME]
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { qemuArguments } from './compute/qemu/arguments.ts';
import { cappedLauncher } from './compute/qemu/cpu-cap.ts';
import { createPrivilegedLauncher } from './compute/qemu/host/launch.ts';
import { serveHost } from './compute/qemu/host/serve.ts';
import { QEMU } from './compute/qemu/launcher.ts';
import { RoutedNetwork } from './compute/qemu/routed/routed.ts';
import { systemClock as clock } from './platform/clock.ts';
import { createLogger } from './platform/logging.ts';

const EXIT_USAGE = 64;

const text = { type: 'string' } as const;
const options = { socket: text, pool: text, images: text, user: text, group: text, uplink: text };
const { values } = parseArgs({ options });
const { socket, pool, images, user, group, uplink } = values;
if (!socket || !pool || !images || !user || !group) {
  process.stderr.write(
    'usage: hostd.ts --socket PATH --pool DIR --images DIR --user NAME --group NAME [--uplink NAME]\n',
  );
  process.exit(EXIT_USAGE);
}

const logger = createLogger({ logLevel: 'info' });
const uid = Number(execFileSync('id', ['-u', '--', user], { encoding: 'utf8' }));
if (uid === 0) throw new Error('--user: guests never run as root');
const network = new RoutedNetwork({ uplink, tapOwner: uid });
const command = (machine: Parameters<typeof qemuArguments>[0]) => [QEMU, ...qemuArguments(machine)];
const launcher = cappedLauncher(
  createPrivilegedLauncher({ clock, pool, images, user: { name: user, uid, group }, command }),
  logger,
);

const report = await network.probe();
logger.info(report, 'network');
const server = await serveHost({ network, launcher }, { path: socket, clock, logger });
logger.info({ socket }, 'listening');

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    server.close();
    // What is under way ends first; guests, their interfaces and their rules stay.
    network.close().then(() => process.exit(0));
  });
}
