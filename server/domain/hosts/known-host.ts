import type { HostInfo } from '../../compute/driver.ts';
import type { HostRow } from '../../db/queries/hosts/hosts.ts';
import { computeUnavailable } from '../../platform/errors.ts';

/** A host as reported by its engine, with what the database knows about it. */
export interface KnownHost extends HostInfo {
  /** False if the host cannot be reached, or if the operator is draining it. */
  takesNew: boolean;
}

/** Returns the hosts that the engine reports; `open` are those that the database records as taking new VMs. */
export function knownHosts(reported: readonly HostInfo[], open: ReadonlySet<string>): KnownHost[] {
  return reported.map((host) => ({ ...host, takesNew: host.reachable && open.has(host.id) }));
}

export function takesNew({ state, lost_at }: HostRow): boolean {
  return state === 'up' && lost_at === null;
}

/** Returns those of the wanted zones that a guest of the host can be in. */
export function zonesOn({ capacity: { zones } }: HostInfo, wanted: readonly string[]): string[] {
  return wanted.filter((zone) => zones === null || zones.includes(zone));
}

/** Returns the host with that id; throws `compute_unavailable` if it cannot be reached. */
export function requireReachable<H extends HostInfo>(hosts: readonly H[], id: string | null): H {
  const host = hosts.find((one) => one.id === id);
  if (!host?.reachable) throw computeUnavailable(`host ${id} cannot be reached`);
  return host;
}
