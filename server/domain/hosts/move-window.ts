import type { HostRow } from '../../db/queries/hosts/hosts.ts';
import type { MoveWindow } from '../../db/queries/hosts/move-windows.ts';
import { readableTime } from '../../platform/readable-time.ts';
import type { EventText } from '../vms/events.ts';

/** Returns the move window of a drained host; undefined if its VMs are moved at once. */
export function windowOf({ moves_from_at, moves_to_at }: HostRow): MoveWindow | undefined {
  return moves_from_at && moves_to_at ? { from: moves_from_at, to: moves_to_at } : undefined;
}

export type WindowPhase = 'before' | 'open' | 'over';

/** Returns the phase of a window at `now`; without a window, moves are always allowed. */
export function phaseOf(window: MoveWindow | undefined, now: Date): WindowPhase {
  if (!window) return 'open';
  if (now < window.from) return 'before';
  return now < window.to ? 'open' : 'over';
}

export function moveScheduled({ from, to }: MoveWindow): EventText {
  return {
    type: 'vm.move_scheduled',
    message:
      `The VM will be switched off briefly, moved to another host and switched on again between ${readableTime(from)} and ` +
      `${readableTime(to)}. To have it moved earlier, switch it off: it will then be moved at once.`,
    metadata: { from_at: from, to_at: to },
  };
}

export function moveCanceled({ from, to }: MoveWindow): EventText {
  return {
    type: 'vm.move_canceled',
    message: `The move of the VM between ${readableTime(from)} and ${readableTime(to)} has been canceled.`,
    metadata: { from_at: from, to_at: to },
  };
}
