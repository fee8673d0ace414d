import type { MoveKind } from '../driver.ts';
import { converge } from './converge.ts';
import type { Guests } from './guests.ts';
import type { Hosts } from './hosts.ts';
import { arrivedAs, departingAs, type Instance, isOn, sizeOf } from './instance.ts';
import { requireOff } from './power.ts';
import { mendRestore, type SnapshotParts } from './snapshots.ts';

export interface MoveParts extends SnapshotParts {
  hosts: Hosts;
  guests: Guests;
}

/** A virtual machine that may be moved with its memory, by the profile or by its own configuration. Containers are not. */
const STATEFUL = 'migration.stateful';

/** How an instance can be moved as it is now. */
export function kindOfMove(instance: Instance): MoveKind {
  const { type, expanded_config: config } = instance;
  return isOn(instance) && type === 'virtual-machine' && config?.[STATEFUL] === 'true' ? 'live' : 'cold';
}

/**
 * Moves a guest to the member `target`, as it runs where `how` is `live`. Incus takes its arrival there for a start; the run that
 * goes on is kept with it, so that the guest is not waited for and reported as if it had booted.
 */
export async function moveGuest(
  parts: MoveParts,
  id: string,
  { target, how, signal }: { target: string; how: MoveKind; signal?: AbortSignal },
): Promise<void> {
  const { clock, instances, need, hosts, guests } = parts;
  // Of one that runs nothing is half restored: it was put right before its start.
  if (how === 'cold' && (await need(id)).location !== target) await mendRestore(parts, id);
  const there = await converge(clock, {
    look: () => need(id),
    isDone: ({ location }) => location === target,
    step: async (instance) => {
      const live = isOn(instance) === true;
      if (how === 'cold') requireOff(instance, 'moved');
      await hosts.requireRoom(target, sizeOf(instance), instance.name);
      if (live) await guests.change(instance, departingAs(instance));
      const body = { name: instance.name, migration: true, live };
      await instances.work(instance, 'POST', { query: { target }, body, signal });
    },
    signal,
  });
  const arrived = arrivedAs(there);
  if (arrived) await guests.change(there, arrived);
}
