import { parseJson } from '../../platform/peer/json.ts';
import type { GuestAddress, GuestSight } from '../driver.ts';

/** An instance as the API has it, as far as it is read here. */
export interface Instance {
  name: string;
  status_code: number;
  location: string;
  type: 'container' | 'virtual-machine';
  config: Record<string, string>;
  /** With what its profiles give it. */
  expanded_config?: Record<string, string>;
  devices: Record<string, Record<string, string>>;
  /** When it was last started, or came here as it ran. */
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

/** A gigabyte of a plan, as it is sold. */
export const GIGABYTE = 1_000_000_000;
const STOPPED = 102;
/** Running, and what is so for a moment: starting, stopping, aborting, freezing, frozen, thawed; and ready. */
const ON = new Set([103, 106, 107, 108, 109, 110, 111, 113]);

/** What the service keeps with an instance: it goes wherever the instance goes. */
export const KEYS = {
  /** The VM's id: no instance without it is a guest of ours. */
  id: 'user.vauban.id',
  /** Set once the instance is whole. */
  made: 'user.vauban.made',
  mac: 'user.vauban.mac',
  addresses: 'user.vauban.addresses',
  /** The run whose readiness is not waited for any more. */
  booted: 'user.vauban.booted',
  /** Of one that was moved as it ran: what Incus takes for its start, and the run that went on. */
  run: 'user.vauban.run',
  /** The run that was asked to end, and when. */
  stopping: 'user.vauban.stopping',
  /** The rebuild that has made it, whose end is open. */
  rebuild: 'user.vauban.rebuild',
  /** The rebuild that has set it aside, or is about to. */
  aside: 'user.vauban.aside',
  /** What its screen shows, which its operator says: `text` or `graphics`. */
  screen: 'user.vauban.screen',
  /** The network card that it had until it was set aside, as JSON. */
  card: 'user.vauban.card',
} as const;

/** Of the image that it was made of. */
export const IMAGE_KEYS = {
  user: 'vauban.user',
  minDiskGb: 'vauban.min_disk_gb',
  readiness: 'vauban.readiness',
  readyWithinSeconds: 'vauban.ready_within_seconds',
  screen: 'vauban.screen',
} as const;

const ID = /^[a-z][a-z0-9_]{0,56}$/;
const ASIDE = '-aside';

/** The name of a VM's instance: Incus allows no underscore in it. Throws where that would not be the VM's alone. */
export function nameOf(id: string): string {
  if (!ID.test(id)) throw new Error(`${id} cannot be the name of a guest`);
  return id.replaceAll('_', '-');
}

/** The name of what a rebuild has set aside. */
export const asideNameOf = (id: string) => `${nameOf(id)}${ASIDE}`;

/** Whether an instance is a guest of ours, and not what was set aside of one. */
export function isGuest({ name, config }: Pick<Instance, 'name' | 'config'>): boolean {
  const id = config[KEYS.id];
  return id !== undefined && ID.test(id) && nameOf(id) === name;
}

export function idOf({ config }: Pick<Instance, 'config'>): string {
  return config[KEYS.id]!;
}

/** Whether it is on; undefined where that cannot be told. */
export function isOn({ status_code: code }: Pick<Instance, 'status_code'>): boolean | undefined {
  if (ON.has(code)) return true;
  return code === STOPPED ? false : undefined;
}

/** In place of a start: the guest is on its way, and it is not known yet when it will have come. */
const UNDER_WAY = '*';

/** The run of one that is on, the same for all who ask, and after a move as it ran the same as before. */
export function runOf({ last_used_at: startedAt, config }: Instance): string {
  const [start, run] = (config[KEYS.run] ?? '').split(' ');
  return run && (start === UNDER_WAY || start === startedAt) ? run : startedAt;
}

/** What is kept with one that is about to be moved as it runs. */
export const departingAs = (instance: Instance) => ({ [KEYS.run]: `${UNDER_WAY} ${runOf(instance)}` });

/** What is kept with one whose move has ended, wherever it is; undefined where it was not moved as it ran. */
export function arrivedAs(instance: Instance): Record<string, string> | undefined {
  if (!isUnderWay(instance)) return undefined;
  return { [KEYS.run]: `${instance.last_used_at} ${runOf(instance)}` };
}

/** Whether a move as it ran has begun of which it was not seen how it ended. */
export const isUnderWay = ({ config }: Pick<Instance, 'config'>) =>
  config[KEYS.run]?.startsWith(UNDER_WAY) === true;

export const addressesOf = ({ config }: Pick<Instance, 'config'>): GuestAddress[] =>
  parseJson(config[KEYS.addresses] ?? '[]', 'the cluster') as GuestAddress[];

/** What the image says of its guests, under one of {@link IMAGE_KEYS}. */
export const imageOf = ({ config }: Pick<Instance, 'config'>, key: string): string | undefined =>
  config[`image.${key}`];

/** The default user of its image. */
export const userOf = (instance: Pick<Instance, 'config'>) => imageOf(instance, IMAGE_KEYS.user) ?? 'root';

export function sizeOf({ config, devices }: Pick<Instance, 'config' | 'devices'>) {
  return {
    vcpu: Number(config['limits.cpu']),
    ramMb: Number.parseInt(config['limits.memory'] ?? '', 10),
    diskGb: Number.parseInt(devices.root?.size ?? '', 10),
  };
}

/** What instances of others are taken to need: their limits, where they have any in our units. */
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
