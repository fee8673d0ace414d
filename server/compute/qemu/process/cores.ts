import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { ConfigError } from '../../../platform/config-error.ts';
import { cpuList, parseCpuList } from '../../../platform/cpu-list.ts';
import { CapacityError, type GuestSize } from '../../driver.ts';

const ONLINE = '/sys/devices/system/cpu/online';

/** The part of a guest's record that says which CPUs are reserved for it. */
export interface Pinned extends GuestSize {
  id: string;
  cpus?: readonly number[];
}

/**
 * The CPUs of this host. Some are set aside for dedicated guests, each for one guest only; all other guests share the
 * rest. Which CPUs a guest runs on is decided when it starts, by the initial affinity of its process.
 */
export class Cores {
  readonly #aside: readonly number[];
  readonly #shared: readonly number[];

  /** Throws {@link ConfigError} if a CPU to be set aside does not exist, or none would be left for other guests. */
  constructor(aside: readonly number[] = [], online = onlineCpus()) {
    const missing = aside.filter((cpu) => !online.includes(cpu));
    const refuse = (problem: string) => new ConfigError([`VAUBAN_QEMU_DEDICATED_CPUS: ${problem}`]);
    if (missing.length > 0) throw refuse(`this host has no CPU ${missing.join(', ')}`);
    this.#aside = aside;
    this.#shared = online.filter((cpu) => !aside.includes(cpu));
    if (this.#shared.length === 0) throw refuse('must leave a CPU for other guests and the service');
  }

  get aside(): number {
    return this.#aside.length;
  }

  /** Number of shared CPUs. If none are set aside, those that this process may use. */
  get shared(): number {
    return this.#aside.length === 0 ? availableParallelism() : this.#shared.length;
  }

  /** The shared CPUs in the format of `taskset`; undefined if guests run wherever the service may. */
  get sharedList(): string | undefined {
    return this.#aside.length === 0 ? undefined : cpuList(this.#shared);
  }

  /**
   * Returns the CPUs for a dedicated guest, given `others`: its previous ones unless they are no longer suitable.
   * Undefined for any other guest. Throws {@link CapacityError} if too few are free.
   */
  assign(guest: Pinned, others: Iterable<Pinned>): number[] | undefined {
    if (!guest.dedicated) return undefined;
    const taken = new Set([...others].flatMap(({ id, cpus = [] }) => (id === guest.id ? [] : cpus)));
    const free = this.#aside.filter((cpu) => !taken.has(cpu));
    const { cpus = [] } = guest;
    if (cpus.length === guest.vcpu && cpus.every((cpu) => free.includes(cpu))) return [...cpus];
    if (free.length < guest.vcpu)
      throw new CapacityError(`${free.length} of the reserved CPUs are free, not ${guest.vcpu}`);
    return free.slice(0, guest.vcpu);
  }

  /** Returns the CPUs that a guest's process is started on, in the format of `taskset`; undefined means any. */
  listFor({ dedicated, cpus }: Pick<Pinned, 'dedicated' | 'cpus'>): string | undefined {
    return dedicated && cpus ? cpuList(cpus) : this.sharedList;
  }
}

/** Throws if the kernel does not list them. */
function onlineCpus(): number[] {
  const found = parseCpuList(readFileSync(ONLINE, 'utf8').trim());
  if (!found) throw new Error(`${ONLINE} does not list CPUs`);
  return found;
}
