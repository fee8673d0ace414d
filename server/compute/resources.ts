/** Resources that guests share: an engine's total, or what one guest uses. */
export interface Resources {
  /** Virtual CPUs that share cores with those of other guests. */
  vcpu: number;
  /** Cores of dedicated guests, one for each of their virtual CPUs. */
  cores: number;
  ramMb: number;
  diskGb: number;
}

/** The current capacity of a host for all its guests together. */
export interface HostCapacity {
  /** For all guests; Infinity means unlimited. */
  total: Resources;
  /**
   * Returns the memory and disk that the engine itself needs for a guest with this much memory, in addition to the
   * guest's own.
   */
  overhead(ramMb: number): Pick<Resources, 'ramMb' | 'diskGb'>;
  /** Zone codes of the catalog in which its guests can be; null means every zone. */
  zones: readonly string[] | null;
}

/** A resource that is too scarce: `left` is less than the additional amount asked for. */
export interface Shortage {
  resource: keyof Resources;
  left: number;
  asked: number;
}

export const RESOURCES = ['vcpu', 'cores', 'ramMb', 'diskGb'] as const satisfies (keyof Resources)[];
export const NO_RESOURCES: Resources = { vcpu: 0, cores: 0, ramMb: 0, diskGb: 0 };

const GIGABYTE = 1_000_000_000;

/** Returns the virtual CPUs, cores, memory and disk of a guest of this size, without overhead. */
export function resourcesOf(size: {
  vcpu: number;
  ramMb: number;
  diskGb: number;
  dedicated?: boolean;
}): Resources {
  const { vcpu, ramMb, diskGb, dedicated = false } = size;
  return { vcpu: dedicated ? 0 : vcpu, cores: dedicated ? vcpu : 0, ramMb, diskGb };
}

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
 * Returns the first resource that is too scarce for a guest to change from `from` to `to`; undefined if there is
 * enough. `used` is the total of all guests, including this one. A resource that does not grow is always available.
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

/** Returns the space that a snapshot can hold on to, in whole gigabytes: the disk's content when it was taken. */
export function snapshotGb(sizeBytes: number, diskGb: number): number {
  return Math.min(diskGb, Math.ceil(sizeBytes / GIGABYTE));
}
