import { parseJson } from '../../platform/peer/json.ts';
import type { GuestAddress, GuestSight } from '../driver.ts';

/** The fields of an instance in the API that are read here. */
export interface Instance {
  name: string;
  status_code: number;
  location: string;
  type: 'container' | 'virtual-machine';
  config: Record<string, string>;
  /** Configuration including that of its profiles. */
  expanded_config?: Record<string, string>;
  devices: Record<string, Record<string, string>>;
  /** Time of the last start, or of the arrival here by a live move. */
  last_used_at: string;
  state?: InstanceState | null;
  snapshots?: { name: string; size: number }[] | null;
}

export interface InstanceState {
  cpu?: { usage: number };
  memory?: { usage: number };
  disk?: Record<string, { usage: number }>;
  network?: Record<string, { type: string; counters: Counters }> | null;
}

interface Counters {
  bytes_received: number;
  bytes_sent: number;
  packets_received: number;
  packets_sent: number;
}

/** Plans are sold in decimal gigabytes. */
export const GIGABYTE = 1_000_000_000;
const STOPPED = 102;
/** Running, or in a short-lived state: starting, stopping, aborting, freezing, frozen, thawed; and ready. */
const ON = new Set([103, 106, 107, 108, 109, 110, 111, 113]);

/** Configuration keys that the service stores with an instance; they move with it. */
export const KEYS = {
  /** The VM's id. An instance without it is not one of our guests. */
  id: 'user.vauban.id',
  /** Set once the instance is complete. */
  made: 'user.vauban.made',
  mac: 'user.vauban.mac',
  addresses: 'user.vauban.addresses',
  /** The run for which the wait for readiness is over. */
  booted: 'user.vauban.booted',
  /** For a live-moved guest: the time that Incus considers its start, and the run that continued. */
  run: 'user.vauban.run',
  /** The run that was asked to stop, and when. */
  stopping: 'user.vauban.stopping',
  /** The rebuild that created the instance, until that rebuild is finished or undone. */
  rebuild: 'user.vauban.rebuild',
  /** The rebuild that has set the instance aside, or is about to. */
  aside: 'user.vauban.aside',
  /** The kind of screen, set by the operator: `text` or `graphics`. */
  screen: 'user.vauban.screen',
  /** The network card that the instance had before it was set aside, as JSON. */
  card: 'user.vauban.card',
} as const;

/** Properties of the image that the instance was created from. */
export const IMAGE_KEYS = {
  user: 'vauban.user',
  minDiskGb: 'vauban.min_disk_gb',
  readiness: 'vauban.readiness',
  readyWithinSeconds: 'vauban.ready_within_seconds',
  screen: 'vauban.screen',
} as const;

const ID = /^[a-z][a-z0-9_]{0,56}$/;
const ASIDE = '-aside';

/** Returns the name of a VM's instance; Incus allows no underscores. Throws if the name might not be unique to the VM. */
export function nameOf(id: string): string {
  if (!ID.test(id)) throw new Error(`${id} is not a valid name of a guest`);
  return id.replaceAll('_', '-');
}

/** Returns the name of the instance that a rebuild has set aside. */
export const asideNameOf = (id: string) => `${nameOf(id)}${ASIDE}`;

/** Returns whether an instance is one of our guests. One that a rebuild has set aside is not. */
export function isGuest({ name, config }: Pick<Instance, 'name' | 'config'>): boolean {
  const id = config[KEYS.id];
  return id !== undefined && ID.test(id) && nameOf(id) === name;
}

export function idOf({ config }: Pick<Instance, 'config'>): string {
  return config[KEYS.id]!;
}

/** Returns undefined if that cannot be determined. */
export function isOn({ status_code: code }: Pick<Instance, 'status_code'>): boolean | undefined {
  if (ON.has(code)) return true;
  return code === STOPPED ? false : undefined;
}

/** Stands for the start time of a guest on a live move, whose arrival time is not known yet. */
const UNDER_WAY = '*';

/** Returns the run of a guest that is on: the same for everyone who asks, and unchanged by a live move. */
export function runOf({ last_used_at: startedAt, config }: Instance): string {
  const [start, run] = (config[KEYS.run] ?? '').split(' ');
  return run && (start === UNDER_WAY || start === startedAt) ? run : startedAt;
}

/** Returns the configuration to store before a live move. */
export const departingAs = (instance: Instance) => ({ [KEYS.run]: `${UNDER_WAY} ${runOf(instance)}` });

/** Returns the configuration to store once a live move has ended, on either member; undefined if there was none. */
export function arrivedAs(instance: Instance): Record<string, string> | undefined {
  if (!isUnderWay(instance)) return undefined;
  return { [KEYS.run]: `${instance.last_used_at} ${runOf(instance)}` };
}

/** Returns whether a live move has begun whose outcome was not seen. */
export const isUnderWay = ({ config }: Pick<Instance, 'config'>) =>
  config[KEYS.run]?.startsWith(UNDER_WAY) === true;

export const addressesOf = ({ config }: Pick<Instance, 'config'>): GuestAddress[] =>
  parseJson(config[KEYS.addresses] ?? '[]', 'the cluster') as GuestAddress[];

/** Returns a property of the instance's image, under one of {@link IMAGE_KEYS}. */
export const imageOf = ({ config }: Pick<Instance, 'config'>, key: string): string | undefined =>
  config[`image.${key}`];

export const userOf = (instance: Pick<Instance, 'config'>) => imageOf(instance, IMAGE_KEYS.user) ?? 'root';

export function sizeOf({ config, devices }: Pick<Instance, 'config' | 'devices'>) {
  return {
    vcpu: Number(config['limits.cpu']),
    ramMb: Number.parseInt(config['limits.memory'] ?? '', 10),
    diskGb: Number.parseInt(devices.root?.size ?? '', 10),
  };
}

/**
 * Returns the resources that an instance is assumed to need. For instances of others, these are its limits if they are
 * in our units, otherwise 0.
 */
export function footprintOf(instance: Instance) {
  const { vcpu, ramMb, diskGb } = sizeOf(instance);
  return { vcpu: vcpu || 0, cores: 0, ramMb: ramMb || 0, diskGb: diskGb || 0 };
}

export function powerOf(instance: Instance, isBooted: boolean): GuestSight['power'] {
  const on = isOn(instance);
  if (on === undefined) return 'unknown';
  if (!on) return 'off';
  return isBooted ? 'running' : 'booting';
}
