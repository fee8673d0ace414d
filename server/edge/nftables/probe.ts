import { readFile } from 'node:fs/promises';
import { tablesOf } from '../../platform/nftables/listing.ts';
import { runNetworkProgram } from '../../platform/nftables/program.ts';
import { DEVICE_PATTERN } from '../../platform/strict-shapes.ts';
import type { EdgeReport } from '../driver.ts';
import { ingress, type Layout } from './layout.ts';
import { sourcesOf } from './rules.ts';

/** Created and deleted in one step, so no packet ever sees it. */
const SCRATCH = 'netdev vauban-edge-probe';
const PRIORITY = -510;

/** Checks with a temporary table that this process can do what the edge needs, and reports what it found. */
export async function probeKernel(
  { devices, synProxy }: Layout,
  apply: (lines: string[]) => Promise<void>,
): Promise<EdgeReport> {
  if (devices.length === 0) return { ok: false, summary: 'no interface is named on which packets arrive' };
  const strange = devices.find((name) => !new RegExp(DEVICE_PATTERN).test(name));
  if (strange !== undefined)
    return { ok: false, summary: `${JSON.stringify(strange)} is not the name of an interface` };
  const version = (await runNetworkProgram('nft', ['--version'])).trim().replace(/ \(.*/, '');
  for (const device of devices) {
    await runNetworkProgram('ip', ['link', 'show', 'dev', device]).catch((error: Error) => {
      throw new Error(`${device}: ${error.message}`);
    });
  }
  await apply([
    `add table ${SCRATCH}`,
    `add set ${SCRATCH} counted { type ipv6_addr; counter; elements = { 2001:db8::1 }; }`,
    `add map ${SCRATCH} dispatch { type ipv4_addr : verdict; }`,
    `add set ${SCRATCH} dropped { type mark; counter; }`,
    `add element ${SCRATCH} dropped { 1 counter packets 0 bytes 0 comment "target/rule" }`,
    `add chain ${SCRATCH} rules`,
    `add rule ${SCRATCH} rules udp sport 53 limit rate over 1/second meta mark set 1 meta mark @dropped drop`,
    `add set ${SCRATCH} senders { ${sourcesOf(4)} }`,
    `add rule ${SCRATCH} rules update @senders { ip saddr limit rate over 1/second } drop`,
    `add element ${SCRATCH} dispatch { 192.0.2.1 : goto rules }`,
    `add chain ${SCRATCH} ingress { ${ingress(devices, PRIORITY)} }`,
    `add rule ${SCRATCH} ingress ip daddr vmap @dispatch`,
    `add rule ${SCRATCH} ingress exthdr frag missing ip6 daddr @counted`,
    `delete table ${SCRATCH}`,
  ]);
  const why = synProxy ? await whyNoProxy(apply) : undefined;
  if (why !== undefined) return { ok: false, summary: why };
  return { ok: true, summary: `${version} at ${devices.join(', ')}${synProxy ? ', with a SYN proxy' : ''}` };
}

/** This setting is 0 if the kernel ignores TCP connections that it first sees midway, 1 if it picks them up. */
const LOOSE = '/proc/sys/net/netfilter/nf_conntrack_tcp_loose';
/** The table with the firewall of this host's guests. */
const GUESTS = 'vauban';

/** Returns why SYN cannot be answered here on behalf of targets; undefined if it can. */
async function whyNoProxy(apply: (lines: string[]) => Promise<void>): Promise<string | undefined> {
  // Connections that the proxy opens to a target would bypass that firewall.
  if ((await tablesOf('inet')).includes(GUESTS)) {
    return 'syn_proxy: is only for an edge in front of the hosts: here it would bypass the firewall of guests';
  }
  const scratch = SCRATCH.replace('netdev', 'inet');
  await apply([
    `add table ${scratch}`,
    `add chain ${scratch} answer { type filter hook forward priority -150; }`,
    `add rule ${scratch} answer ct state invalid,untracked synproxy mss 1460 wscale 7 timestamp sack-perm`,
    `delete table ${scratch}`,
  ]);
  // Otherwise a returned cookie looks like the middle of a connection, and is forwarded as such.
  const loose = await readFile(LOOSE, 'utf8');
  if (loose.trim() === '0') return undefined;
  return `syn_proxy: needs net.netfilter.nf_conntrack_tcp_loose=0, but it is ${loose.trim()} (see sysctl.d(5))`;
}
