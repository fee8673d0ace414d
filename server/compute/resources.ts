/** What guests share of an engine: what it has for all of them, or what one of them takes. */
export interface Resources {
  /** Virtual CPUs that share cores with those of other guests. */
  vcpu: number;
  /** Cores of dedicated guests, one for each of their virtual CPUs. */
  cores: number;
  ramMb: number;
  diskGb: number;
}

/** What guests of a host can have together, as of now. */
export interface HostCapacity {
  /** For all guests; Infinity where there is no limit. */
  total: Resources;
  /** What the engine takes itself for a guest of that much memory, beside the guest's own: memory and disk. */
  overhead(ramMb: number): Pick<Resources, 'ramMb' | 'diskGb'>;
  /** Codes of the catalog's zones that its guests can be in; null is every one. */
  zones: readonly string[] | null;
}

/** What there is not enough of: `left` is less than what is asked for in addition. */
export interface Shortage {
  resource: keyof Resources;
  left: number;
  asked: number;
}

export const RESOURCES = ['vcpu', 'cores', 'ramMb', 'diskGb'] as const satisfies (keyof Resources)[];
export const NO_RESOURCES: Resources = { vcpu: 0, cores: 0, ramMb: 0, diskGb: 0 };

const GIGABYTE = 1_000_000_000;

/** What a guest of this size takes of the engine's virtual CPUs, cores, memory and disk, without its overhead. */
export function resourcesOf(size: {
  vcpu: number;
  ramMb: number;
  diskGb: number;
  dedicated?: boolean;
}): Resources {
  const { vcpu, ramMb, diskGb, dedicated = false } = size;
  return { vcpu: dedicated ? 0 : vcpu, cores: dedicated ? vcpu : 0, ramMb, diskGb };
}

/** The same with what the engine takes for such a guest. */
export function withOverhead(guest: Resources, { overhead }: Pick<HostCapacity, 'overhead'>): Resources {
  const own = overhead(guest.ramMb);
  return { ...guest, ramMb: guest.ramMb + own.ramMb, diskGb: guest.diskGb + own.diskGb };
}

export function addUp(parts: Iterable<Resources>): Resources {
  const sum = { ...NO_RESOURCES };
  for (const part of parts) for (const resource of RESOURCES) sum[resource] += part[resource];
  return sum;
}

/**
 * The first thing of which there is not enough for a guest to become `to` where it was `from`, `used` being what all
 * have, this guest included; undefined where there is room. What does not grow needs none.
 */
export function shortageOf(
  total: Resources,
  used: Resources,
  to: Resources,
  from: Resources = NO_RESOURCES,
): Shortage | undefined {
  for (const resource of RESOURCES) {
    const asked = to[resource] - from[resource];
    const left = Math.max(0, total[resource] - used[resource]);
    if (asked > 0 && asked > left) return { resource, left, asked };
  }
  return undefined;
}

/** What a snapshot can keep of the disk: what the disk held when it was taken, in whole gigabytes. */
export function snapshotGb(sizeBytes: number, diskGb: number): number {
  return Math.min(diskGb, Math.ceil(sizeBytes / GIGABYTE));
}
