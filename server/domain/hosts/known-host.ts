import type { HostInfo } from '../../compute/driver.ts';
import type { HostRow } from '../../db/queries/hosts.ts';
import { computeUnavailable } from '../../platform/errors.ts';

/** A host as its engine reports it, with what the database has on it. */
export interface KnownHost extends HostInfo {
  /** It takes new VMs: it can be reached, and the operator is not emptying it. */
  takesNew: boolean;
}

/** The hosts that the engine reports; `open` are those that are recorded as taking new VMs. */
export function knownHosts(reported: readonly HostInfo[], open: ReadonlySet<string>): KnownHost[] {
  return reported.map((host) => ({ ...host, takesNew: host.reachable && open.has(host.id) }));
}

export function takesNew({ state, lost_at }: HostRow): boolean {
  return state === 'up' && lost_at === null;
}

/** Which of these zones a guest of the host can be in. */
export function zonesOn({ capacity: { zones } }: HostInfo, wanted: readonly string[]): string[] {
  return wanted.filter((zone) => zones === null || zones.includes(zone));
}

/** The host of that id; `compute_unavailable` where it cannot be reached. */
export function requireReachable<H extends HostInfo>(hosts: readonly H[], id: string | null): H {
  const host = hosts.find((one) => one.id === id);
  if (!host?.reachable) throw computeUnavailable(`host ${id} cannot be reached`);
  return host;
}
