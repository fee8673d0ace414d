import { findHost, type HostRow, type HostView, listHosts } from '../../../db/queries/hosts/hosts.ts';
import { Count, Enum, MoveWindowShape, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import type { OperatorServices } from '../../../http/services.ts';
import { ApiError, notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';

const Limit = (description: string) =>
  Nullable(Type.Number({ description: `${description}; null for no limit` }));

export const HostMachineShape = Shape(
  {
    id: Type.String(),
    name: Type.String(),
    zones: Nullable(Type.Array(Type.String(), { description: 'Zones of the catalog; null for all' })),
    state: Enum(['up', 'draining', 'evacuated', 'unreachable'], {
      description:
        '`draining`: accepts no new VMs, and its VMs are being moved away. `evacuated`: drained and empty. `unreachable`: its VMs ' +
        'may be running, and they are left alone until it can be reached',
    }),
    move_window: Nullable(MoveWindowShape),
    draining: Type.Boolean({ description: 'True if it accepts no new VMs until it is undrained' }),
    vcpu: Limit('Virtual CPUs for VMs that share cores'),
    dedicated_cores: Limit('Cores for dedicated VMs'),
    ram_mb: Limit('Memory'),
    disk_gb: Limit('Disk'),
    vms: Count('Number of VMs on it'),
    moving_in: Count('Number of VMs that are being moved to it'),
    seen_at: Timestamp('When it was last reachable'),
    lost_at: Nullable(Timestamp('When it became unreachable')),
  },
  { $id: 'HostMachine', description: 'A host of VMs' },
);

export const HostParams = Type.Object({
  host: Type.String({ minLength: 1, maxLength: 200, description: 'Its name or id' }),
});

export function presentHost({ state, cores, moves_from_at, moves_to_at, ...host }: HostView) {
  return {
    ...host,
    move_window: moves_from_at && { from_at: moves_from_at, to_at: moves_to_at },
    state: host.lost_at ? ('unreachable' as const) : state,
    draining: state !== 'up',
    dedicated_cores: cores,
  };
}

/** Returns the host with this name or id; throws `not_found` if the engine has none. */
export async function requireHost({ db, engine }: OperatorServices, host: string): Promise<HostRow> {
  const found = await findHost(db, engine, host);
  if (!found) throw notFound();
  return found;
}

/** Presents the host's current state. */
export async function showHost({ db, engine }: OperatorServices, id: string) {
  return presentHost((await listHosts(db, engine)).find((host) => host.id === id)!);
}

/** Refuses an operation that needs a second host to move VMs to, or another engine. */
export function requireMoves({ compute }: OperatorServices): void {
  if (compute.capabilities().move !== 'none') return;
  throw new ApiError(
    'invalid_state',
    `The ${compute.name} engine cannot move VMs between hosts. Before this machine goes down, shut down its guests with vaubanctl host drain.`,
  );
}
