import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import ipaddr from 'ipaddr.js';
import type { Clock } from '../../../platform/clock.ts';
import { KeyedQueue } from '../../../platform/keyed-queue.ts';
import { parseJson } from '../../../platform/peer/json.ts';
import type { GuestAddress, NetworkPolicy, PortForwardEntry } from '../../driver.ts';
import { SSH_PORT } from '../../inside/ssh.ts';
import { readGuestFile, writeGuestFile } from '../guest/guest-file.ts';
import { FILES } from '../process/arguments.ts';
import { Monitor } from '../process/qmp.ts';
import { type HostNetwork, type NetworkGuest, NO_TRAFFIC } from './network.ts';

/** Ports open on the host for a guest, stored in its directory. */
interface Ports {
  /** Forwarded to the guest's port 22. */
  ssh: number;
  /** In QEMU's format: "tcp:127.0.0.1:20001-192.0.2.10:80". */
  forwards: string[];
}

const MAX_PORTS_BYTES = 1024 * 1024;
const PORTS_FILE = 'user-network.json';
const HOST = '127.0.0.1';
/** The smallest network with space for the guest, its gateway and a resolver. */
const NARROWEST = 29;

/**
 * Creates QEMU's own network, which needs no privileges but isolates little. A guest has its assigned address behind a
 * gateway emulated by QEMU; the host's 127.0.0.1 stands in for the public address of port forwards. A guest answers
 * connections made through them but cannot open any itself, neither to the host nor beyond. For development, not for
 * customers.
 */
export function createUserNetwork(clock: Clock): HostNetwork {
  const locks = new KeyedQueue();
  return {
    mode: 'user',
    probe: async () => ({
      ok: true,
      summary: `user mode: for development, not for tenants; forwards on ${HOST}`,
    }),

    attach: (guest, policy) =>
      locks.run(guest.id, async () => {
        const known = await readPorts(guest);
        const ssh = known && (await isFree(known.ssh)) ? known.ssh : await freePort();
        const forwards: string[] = [];
        for (const forward of wantedForwards(guest, policy)) {
          if (await isFree(hostPort(forward))) forwards.push(forward);
        }
        await writePorts(guest, { ssh, forwards });
        return netdev(guest.addresses, ssh, forwards);
      }),

    apply: (guest, policy) =>
      locks.run(guest.id, async () => {
        const ports = await readPorts(guest);
        if (!ports) throw new Error(`${guest.id} has no network`);
        await applyForwards(clock, guest, ports, wantedForwards(guest, policy));
      }),

    async reassert(guests) {
      for (const { guest, policy } of guests) await this.apply(guest, policy);
      return [];
    },

    altered: untilAborted,
    reachable: async () => {},
    detach: async () => {},
    // QEMU does not count the traffic of its own network.
    counters: async (ids) => new Map(ids.map((id) => [id, { ...NO_TRAFFIC, connected: true }])),

    async connect(guest, port) {
      const ports = await readPorts(guest);
      if (port !== SSH_PORT || !ports) throw new Error(`port ${port} of ${guest.id} cannot be reached`);
      return connectTcp(ports.ssh);
    },

    close: () => locks.idle(),
  };
}

async function readPorts({ directory }: NetworkGuest): Promise<Ports | undefined> {
  const text = await readGuestFile(join(directory, PORTS_FILE), MAX_PORTS_BYTES).catch(() => undefined);
  try {
    return text ? (parseJson(text, 'the list of ports') as Ports) : undefined;
  } catch {
    // Incomplete because the host went down during the write; the ports are chosen again.
    return undefined;
  }
}

async function writePorts({ directory }: NetworkGuest, ports: Ports): Promise<void> {
  await writeGuestFile(join(directory, PORTS_FILE), JSON.stringify(ports), 0o600);
}

function connectTcp(port: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, HOST);
    // The handler stays, so that later errors affect only this socket.
    socket.on('error', reject);
    socket.once('connect', () => resolve(socket));
  });
}

/** Resolves with the port if it can be listened on, 0 meaning any; undefined if it is taken. */
function tryListen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, HOST, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });
}

async function isFree(port: number): Promise<boolean> {
  return (await tryListen(port)) !== undefined;
}

async function freePort(): Promise<number> {
  const port = await tryListen(0);
  if (!port) throw new Error(`${HOST} has no free port`);
  return port;
}

/** Returns the value of `-netdev`: a network around the guest's address, or QEMU's default one if it has none. */
export function netdev(addresses: GuestAddress[], ssh: number, forwards: string[]): string {
  const own = addresses.find(({ family }) => family === 4);
  const to = own?.address ?? '';
  const opened = [`tcp:${HOST}:${ssh}-${to}:${SSH_PORT}`, ...forwards].map((forward) => `hostfwd=${forward}`);
  // QEMU opens connections as its own user: without `restrict`, the gateway's address would lead to this host's
  // 127.0.0.1.
  return ['user,id=net0,ipv6=off,restrict=on', ...(own ? network(own) : []), ...opened].join(',');
}

function network({ address, prefix, gateway }: GuestAddress): string[] {
  const [guest, host] = [number(address), number(gateway)];
  const masked = (value: number, bits: number) => value - (value % 2 ** (32 - bits));
  let bits = Math.min(prefix, NARROWEST);
  while (masked(guest, bits) !== masked(host, bits)) bits--;
  const base = masked(guest, bits);
  const dns = [1, 2, 3].map((offset) => base + offset).find((value) => value !== guest && value !== host)!;
  return [`net=${dotted(base)}/${bits}`, `host=${gateway}`, `dns=${dotted(dns)}`, `dhcpstart=${address}`];
}

function number(address: string): number {
  return ipaddr.IPv4.parse(address).octets.reduce((value, octet) => value * 256 + octet, 0);
}

function dotted(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}

function wantedForwards(guest: NetworkGuest, policy: NetworkPolicy): string[] {
  const to = guest.addresses.find(({ family }) => family === 4)?.address ?? '';
  return policy.portForwards.flatMap((forward) =>
    (forward.protocol === 'tcp_udp' ? (['tcp', 'udp'] as const) : [forward.protocol])
      .filter((protocol) => isOpen(policy, protocol, forward))
      .map((protocol) => `${protocol}:${HOST}:${forward.externalPort}-${to}:${forward.internalPort}`),
  );
}

/**
 * Returns whether anyone may connect to the forward's port. Senders cannot be distinguished here, because all
 * connections come from the host.
 */
function isOpen(policy: NetworkPolicy, protocol: 'tcp' | 'udp', { internalPort }: PortForwardEntry): boolean {
  for (const { direction, action, ports, cidrs, ...entry } of policy.firewall) {
    if (direction !== 'in' || (entry.protocol !== protocol && entry.protocol !== 'any')) continue;
    const [from, to = from] = (ports ?? '0-65535').split('-').map(Number);
    if (internalPort < from! || internalPort > to!) continue;
    if (action === 'accept' && cidrs.some((cidr) => !cidr.includes(':'))) return true;
    if (action === 'drop' && cidrs.includes('0.0.0.0/0')) return false;
  }
  return policy.defaultIn === 'accept';
}

function hostPort(forward: string): number {
  return Number(forward.split(':')[2]!.split('-')[0]);
}

/** Closes unwanted forwards, then opens missing ones. Throws if the host's port is taken. */
async function applyForwards(
  clock: Clock,
  guest: NetworkGuest,
  ports: Ports,
  wanted: string[],
): Promise<void> {
  const stale = ports.forwards.filter((forward) => !wanted.includes(forward));
  const missing = wanted.filter((forward) => !ports.forwards.includes(forward));
  if (stale.length + missing.length === 0) return;
  const monitor = await Monitor.connect(join(guest.directory, FILES.networkMonitor), clock, () => {});
  const command = (line: string) =>
    monitor.execute<string>('human-monitor-command', { 'command-line': line });
  const open = new Set(ports.forwards);
  try {
    for (const forward of stale) {
      await command(`hostfwd_remove net0 ${forward.split('-')[0]}`);
      open.delete(forward);
    }
    for (const forward of missing) {
      const refusal = (await command(`hostfwd_add net0 ${forward}`)).trim();
      if (refusal) throw new Error(`port ${hostPort(forward)} of ${HOST} cannot be opened: ${refusal}`);
      open.add(forward);
    }
  } finally {
    monitor.close();
    await writePorts(guest, { ...ports, forwards: [...open] });
  }
}

/** The network exists only inside QEMU, so nothing else can alter it. */
function untilAborted(signal: AbortSignal): Promise<false> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(false);
    else signal.addEventListener('abort', () => resolve(false), { once: true });
  });
}
