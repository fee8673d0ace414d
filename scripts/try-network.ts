// Checks whether this machine can route guests, in the network namespace of this process, which it may leave in any
// state.
//   unshare --net node scripts/try-network.ts
import { execFileSync } from 'node:child_process';
import { tryDevices } from '../server/compute/qemu/host/probe.ts';
import { RoutedNetwork } from '../server/compute/qemu/routed/routed.ts';

/** Stands for the guests' user, which is created when the services are installed. */
const USER = 'nobody';
const uid = Number(execFileSync('id', ['-u', USER], { encoding: 'utf8' }));
const group = execFileSync('id', ['-gn', USER], { encoding: 'utf8' }).trim();

const { ok, summary } = await new RoutedNetwork({ uplink: 'lo' }).probe();
if (!ok) throw new Error(summary);
await tryDevices({ uid, group, groups: [] });
