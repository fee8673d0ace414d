import type { DiskOwner, ImageCommand } from '../../compute/qemu/disk/disk-image.ts';
import type { GuestUsers } from '../../compute/qemu/guest/ownership.ts';
import type { HostNetwork } from '../../compute/qemu/network/network.ts';
import type { QemuSpec } from '../../compute/qemu/process/arguments.ts';
import type { Launcher } from '../../compute/qemu/process/direct-launcher.ts';
import { type Static, Type } from '../../platform/schema.ts';
import { closed, Id, InvalidArgumentError, Nothing } from '../../platform/strict-shapes.ts';
import { closedList, type Handler } from '../closed-list.ts';
import { Arguments, type GuestAndPolicy, Mac, Path, Uid } from './shapes.ts';

const MAX_VCPU = 512;
/** Requests or megabytes per second. */
const MAX_DISK_SPEED = 1_000_000_000;
const MAX_RAM_MB = 16 * 1024 * 1024;
const MAX_DISK_BYTES = 2 ** 50;
const Uuid = Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' });

const QemuSpecShape = Type.Object(
  {
    id: Id,
    uuid: Uuid,
    uid: Uid,
    directory: Path,
    accelerator: Type.Enum(['kvm', 'tcg']),
    hardware: Type.Object(
      {
        machine: Type.String({ pattern: '^pc-q35-[0-9]{1,3}([.][0-9]{1,3}){1,2}$' }),
        // No characters that could begin another option or a property of the CPU model.
        cpu: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$' }),
        tablet: Type.Boolean(),
      },
      closed,
    ),
    aio: Type.Optional(Type.Enum(['io_uring'])),
    vcpu: Type.Integer({ minimum: 1, maximum: MAX_VCPU }),
    ramMb: Type.Integer({ minimum: 1, maximum: MAX_RAM_MB }),
    disk: Type.Optional(
      Type.Object(
        {
          iops: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_DISK_SPEED })),
          mbps: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_DISK_SPEED })),
        },
        closed,
      ),
    ),
    mac: Mac,
    netdev: Type.String({ maxLength: 200 }),
    memory: Type.Optional(Type.Object({ file: Path, shared: Type.Literal(false) }, closed)),
    incoming: Type.Optional(Type.Literal(true)),
    cpus: Type.Optional(Type.String({ maxLength: 4096, pattern: '^[0-9]+([,-][0-9]+)*$' })),
    directBoot: Type.Optional(
      Type.Object(
        { kernel: Path, initrd: Path, append: Type.String({ maxLength: 2048, pattern: '^[\\x20-\\x7e]*$' }) },
        closed,
      ),
    ),
  },
  closed,
);
const DiskShape = Type.Object({ id: Id, uid: Uid, directory: Path }, closed);
const Snapshot = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$' });
const CommandShape = Type.Union([
  Type.Object({ do: Type.Enum(['info', 'mend']) }, closed),
  Type.Object(
    { do: Type.Enum(['grow']), bytes: Type.Integer({ minimum: 1, maximum: MAX_DISK_BYTES }) },
    closed,
  ),
  Type.Object({ do: Type.Enum(['take', 'drop', 'revert']), snapshot: Snapshot }, closed),
]);
const Process = Type.Object({ id: Id, uuid: Uuid, directory: Path }, closed);

/** The complete list of what the privileged side does, with the shapes of the arguments. */
export const OPERATIONS = {
  ...Arguments,
  probe: Nothing,
  users: Nothing,
  launch: Type.Object({ spec: QemuSpecShape }, closed),
  kill: Type.Object({ spec: Process }, closed),
  image: Type.Object({ spec: DiskShape, command: CommandShape }, closed),
};
export type Operation = keyof typeof OPERATIONS;

export interface HostParts {
  network: HostNetwork;
  launcher: Launcher;
  users: GuestUsers;
  /** Returns the only value of `-netdev` that a guest may be started with: any other could do much more. */
  netdevOf(id: string): string;
  /** Tries what a guest's start needs apart from the network. Throws if something is missing. */
  probe?(): Promise<void>;
}

/** Returns the guest an operation concerns, for the log. The arguments are unchecked, so the id is cut short. */
export function aboutGuest(given: unknown): { guest: string | undefined } {
  const { id, guest, spec } = Object(given);
  const found = id ?? Object(guest).id ?? Object(spec).id;
  return { guest: typeof found === 'string' ? found.slice(0, 64) : undefined };
}

const NEVER = new AbortController().signal;

const HANDLERS: Record<Operation, Handler<HostParts>> = {
  async probe({ network, probe }) {
    const report = await network.probe();
    if (!report.ok) return report;
    try {
      await probe?.();
      return report;
    } catch (error) {
      return { ok: false, summary: `guests cannot start: ${(error as Error).message}` };
    }
  },
  users: async ({ users }) => users,
  attach: ({ network }, { guest, policy }: GuestAndPolicy) => network.attach(guest, policy),
  apply: ({ network }, { guest, policy }: GuestAndPolicy) => network.apply(guest, policy),
  reassert: ({ network }, { guests }: { guests: GuestAndPolicy[] }) => network.reassert(guests),
  // A client cancels by closing the connection; the wait ends on its own.
  altered: ({ network }) => network.altered(NEVER),
  detach: ({ network }, { id }: { id: string }) => network.detach(id),
  counters: async ({ network }, { ids }: { ids: string[] }) => [...(await network.counters(ids))],
  launch({ launcher, netdevOf }, { spec }: { spec: QemuSpec }) {
    if (spec.netdev !== netdevOf(spec.id)) {
      throw new InvalidArgumentError("spec.netdev: is not the guest's own interface");
    }
    return launcher.launch(spec);
  },
  kill: ({ launcher }, { spec }: { spec: Static<typeof Process> }) => launcher.kill(spec),
  image: ({ launcher }, { spec, command }: { spec: DiskOwner; command: ImageCommand }) =>
    launcher.image(spec, command),
};

/** Performs one operation with unchecked arguments; see {@link closedList}. */
export const perform = closedList(OPERATIONS, HANDLERS);
