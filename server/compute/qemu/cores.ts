import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { ConfigError } from '../../platform/config-error.ts';
import { cpuList, parseCpuList } from '../../platform/cpu-list.ts';
import { CapacityError, type GuestSize } from '../driver.ts';

const ONLINE = '/sys/devices/system/cpu/online';

/** The part of a guest's record that says which CPUs it has for itself. */
export interface Pinned extends GuestSize {
  id: string;
  cpus?: readonly number[];
}

/**
 * The CPUs of this host: those that are set aside for dedicated guests, each for one of them alone, and the rest, which all
 * others share. Who runs where is decided when a guest starts, by the affinity that its process begins with.
 */
export class Cores {
  readonly #aside: readonly number[];
  readonly #shared: readonly number[];

  /** Throws {@link ConfigError} where CPUs that are to be set aside are not there, or none is left for other guests. */
  constructor(aside: readonly number[] = [], online = onlineCpus()) {
    const missing = aside.filter((cpu) => !online.includes(cpu));
    const refuse = (problem: string) => new ConfigError([`VAUBAN_QEMU_DEDICATED_CPUS: ${problem}`]);
    if (missing.length > 0) throw refuse(`this host has no CPU ${missing.join(', ')}`);
    this.#aside = aside;
    this.#shared = online.filter((cpu) => !aside.includes(cpu));
    if (this.#shared.length === 0) throw refuse('must leave a CPU for other guests and the service');
  }

  /** How many are set aside. */
  get aside(): number {
    return this.#aside.length;
  }

  /** How many the other guests share: where none are set aside, as many as this process may use. */
  get shared(): number {
    return this.#aside.length === 0 ? availableParallelism() : this.#shared.length;
  }

  /** Those that the other guests share, as `taskset` takes them; undefined where they run wherever the service may. */
  get sharedList(): string | undefined {
    return this.#aside.length === 0 ? undefined : cpuList(this.#shared);
  }

  /**
   * The CPUs that a dedicated guest is to have beside `others`: those that it had, unless something is wrong with
   * them. Undefined for any other guest; {@link CapacityError} where there are too few.
   */
  assign(guest: Pinned, others: Iterable<Pinned>): number[] | undefined {
    if (!guest.dedicated) return undefined;
    const taken = new Set([...others].flatMap(({ id, cpus = [] }) => (id === guest.id ? [] : cpus)));
    const free = this.#aside.filter((cpu) => !taken.has(cpu));
    const { cpus = [] } = guest;
    if (cpus.length === guest.vcpu && cpus.every((cpu) => free.includes(cpu))) return [...cpus];
    if (free.length < guest.vcpu)
      throw new CapacityError(`${free.length} of the CPUs set aside are free, not ${guest.vcpu}`);
    return free.slice(0, guest.vcpu);
  }

  /** What a guest's process is started on, as `taskset` takes it; undefined is anywhere. */
  listFor({ dedicated, cpus }: Pick<Pinned, 'dedicated' | 'cpus'>): string | undefined {
    return dedicated && cpus ? cpuList(cpus) : this.sharedList;
  }
}

/** Throws where the kernel does not say. */
function onlineCpus(): number[] {
  const found = parseCpuList(readFileSync(ONLINE, 'utf8').trim());
  if (!found) throw new Error(`${ONLINE} does not list CPUs`);
  return found;
}
