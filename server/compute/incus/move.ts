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
  /** Whether a guest that has booted answers. */
  answers(instance: Instance): Promise<boolean>;
  /** Cut the guest's power, and switch it on. */
  off(): Promise<unknown>;
  on(): Promise<Instance>;
  events: GuestEvents;
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
 * goes on is kept with it, so that the guest is not waited for and reported as if it had booted. Where it was not heard how a move
 * ended, because a member's daemon or this node died over it, the guest may have been left paused: one that does not answer is
 * revived.
 */
export async function moveGuest(
  parts: MoveParts,
  id: string,
  { target, how, signal }: { target: string; how: MoveKind; signal?: AbortSignal },
): Promise<void> {
  const { clock, instances, need, hosts, guests, answers } = parts;
  const before = await need(id);
  let isInDoubt = isUnderWay(before);
  // Of one that runs nothing is half restored: it was put right before its start.
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

/** Starts a guest anew, of which its customer hears why. */
async function revive({ clock, off, on, events }: MoveParts, id: string): Promise<void> {
  await off();
  const again = await on();
  const notice: GuestNotice = {
    type: 'guest.rebooted',
    level: 'warning',
    message:
      'The guest was restarted: a move to another host was interrupted, and it did not answer any more.',
    at: clock.now(),
    distinct: runOf(again),
  };
  events.emit(eventOf(id, notice));
}
