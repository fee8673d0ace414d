import type { MoveKind } from '../driver.ts';
import { eventOf, type GuestEvents, type GuestNotice } from '../guest-events.ts';
import { UnansweredError } from './client.ts';
import { converge } from './converge.ts';
import type { Guests } from './guests.ts';
import type { Hosts } from './hosts.ts';
import { arrivedAs, departingAs, type Instance, isOn, isUnderWay, runOf, sizeOf } from './instance.ts';
import { requireOff } from './power.ts';
import { mendRestore, type SnapshotParts } from './snapshots.ts';

export interface MoveParts extends SnapshotParts {
  hosts: Hosts;
  guests: Guests;
  answers(instance: Instance): Promise<boolean>;
  off(): Promise<unknown>;
  on(): Promise<Instance>;
  events: GuestEvents;
}

/**
 * Set, in the profile or the instance's own configuration, on a virtual machine that can be moved with its memory.
 * Containers cannot.
 */
const STATEFUL = 'migration.stateful';

export function kindOfMove(instance: Instance): MoveKind {
  const { type, expanded_config: config } = instance;
  return isOn(instance) && type === 'virtual-machine' && config?.[STATEFUL] === 'true' ? 'live' : 'cold';
}

/**
 * Moves a guest to the member `target`, without stopping it if `how` is `live`. Incus treats the arrival as a start, so
 * the continuing run is stored with the instance; otherwise it would be waited for and reported as a boot. If the
 * outcome of a move is unknown because a member's daemon or this node died during it, the guest may be left paused. It
 * is restarted if it does not answer.
 */
export async function moveGuest(
  parts: MoveParts,
  id: string,
  { target, how, signal }: { target: string; how: MoveKind; signal?: AbortSignal },
): Promise<void> {
  const { clock, instances, need, hosts, guests, answers } = parts;
  const before = await need(id);
  let isInDoubt = isUnderWay(before);
  // A running guest needs no repair: that was done before its start.
  if (how === 'cold' && before.location !== target) await mendRestore(parts, id);
  const there = await converge(clock, {
    look: () => need(id),
    isDone: ({ location }) => location === target,
    step: async (instance) => {
      const live = isOn(instance) === true;
      if (how === 'cold') requireOff(instance, 'moved');
      await hosts.requireRoom(target, sizeOf(instance), instance.name);
      if (live) await guests.change(instance, departingAs(instance));
      const body = { name: instance.name, migration: true, live };
      try {
        await instances.work(instance, 'POST', { query: { target }, body, signal });
      } catch (error) {
        isInDoubt ||= live && error instanceof UnansweredError;
        throw error;
      }
    },
    signal,
  });
  const arrived = arrivedAs(there);
  if (arrived) await guests.change(there, arrived);
  if (isInDoubt && isOn(there) && !(await answers(there))) await revive(parts, id);
}

/** Restarts a guest and notifies its customer of the reason. */
async function revive({ clock, off, on, events }: MoveParts, id: string): Promise<void> {
  await off();
  const again = await on();
  const notice: GuestNotice = {
    type: 'guest.rebooted',
    level: 'warning',
    message:
      'The guest was restarted because a move to another host was interrupted and it no longer answered.',
    at: clock.now(),
    distinct: runOf(again),
  };
  events.emit(eventOf(id, notice));
}
