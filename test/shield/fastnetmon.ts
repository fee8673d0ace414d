import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Namespace } from '../compute/routed/support/namespace.ts';
import { defer, type Lifetime } from '../support/cleanup.ts';
import { REPOSITORY } from '../support/source.ts';
import { skipUnlessRequired } from '../support/tiny-image.ts';

const PROGRAM = '/usr/sbin/fastnetmon';
const LOOK_EVERY_MS = 50;

/** Returns why FastNetMon cannot run here, or false. */
export function whyNoFastnetmon(): string | false {
  if (process.getuid?.() !== 0) return 'needs root for network namespaces';
  return !existsSync(PROGRAM) && skipUnlessRequired('needs fastnetmon');
}

/**
 * Starts FastNetMon with its fastest settings: it captures packets of a device in a namespace, checks the one-second
 * average every second, and bans at once. The rest is configured as in deploy/fastnetmon/fastnetmon.conf.
 */
export async function startFastnetmon(
  t: Lifetime,
  space: Namespace,
  { device, networks, pps, mbps, script, env }: FastnetmonOptions,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'vauban-fastnetmon-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  const at = (name: string) => join(directory, name);
  writeFileSync(at('networks'), `${networks.join('\n')}\n`);
  writeFileSync(at('allowed'), '');
  writeFileSync(at('notify'), script);
  chmodSync(at('notify'), 0o755);
  const changed: Record<string, string | number> = {
    sflow: 'off',
    mirror_afpacket: 'on',
    interfaces: device,
    threshold_pps: pps,
    threshold_mbps: mbps,
    ban_time: 2,
    notify_script_path: at('notify'),
    networks_list_path: at('networks'),
    white_list_path: at('allowed'),
    pid_path: at('pid'),
    cli_stats_file_path: at('statistics'),
    cli_stats_ipv6_file_path: at('statistics6'),
  };
  const shipped = readFileSync(join(REPOSITORY, 'deploy/fastnetmon/fastnetmon.conf'), 'utf8').split('\n');
  const kept = shipped.filter((line) => !(line.split(' = ')[0]! in changed));
  const lines = Object.entries(changed).map(([name, value]) => `${name} = ${value}`);
  writeFileSync(at('conf'), `${[...kept, ...lines].join('\n')}\n`);
  const [program, args] = space.command(
    PROGRAM,
    ...['--configuration_file', at('conf'), '--log_file', at('log'), '--disable_pid_logic'],
  );
  const child: ChildProcess = spawn(program, args, { stdio: 'ignore', env: { ...process.env, ...env } });
  const ended = once(child, 'exit');
  defer(t, async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const log = () => (existsSync(at('log')) ? readFileSync(at('log'), 'utf8') : '');
  while (!log().includes('AF_PACKET worker process')) {
    if (child.exitCode !== null) throw new Error(`fastnetmon ended:\n${log()}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

export interface FastnetmonOptions {
  /** The device in the namespace whose incoming traffic is watched. */
  device: string;
  /** The networks whose addresses are watched. */
  networks: string[];
  pps: number;
  mbps: number;
  /** The content of the script that FastNetMon runs when a ban begins and ends. */
  script: string;
  env?: Record<string, string>;
}
