import { ComputeUnavailableError } from '../driver.ts';

/** The operations that change a guest, by their name in the driver's interface. */
export type Operation =
  | 'create'
  | 'start'
  | 'shutdown'
  | 'powerOff'
  | 'reboot'
  | 'remove'
  | 'resize'
  | 'setPassword'
  | 'authorizeKey'
  | 'revokeKey'
  | 'createSnapshot'
  | 'deleteSnapshot'
  | 'restoreSnapshot'
  | 'rebuild'
  | 'finishRebuild'
  | 'undoRebuild'
  | 'applyNetwork'
  | 'move';

/** A hostname holding one of these makes that operation fail; with `-once` behind it, the first time only. */
const FAILURES: Record<Operation, string> = {
  create: 'sim-fail-create',
  start: 'sim-fail-start',
  shutdown: 'sim-fail-shutdown',
  powerOff: 'sim-fail-poweroff',
  reboot: 'sim-fail-reboot',
  remove: 'sim-fail-remove',
  resize: 'sim-fail-resize',
  setPassword: 'sim-fail-password',
  authorizeKey: 'sim-fail-key',
  revokeKey: 'sim-fail-revoke-key',
  createSnapshot: 'sim-fail-snapshot',
  deleteSnapshot: 'sim-fail-delete-snapshot',
  restoreSnapshot: 'sim-fail-restore',
  rebuild: 'sim-fail-rebuild',
  finishRebuild: 'sim-fail-finish-rebuild',
  undoRebuild: 'sim-fail-undo-rebuild',
  applyNetwork: 'sim-fail-network',
  move: 'sim-fail-move',
};

/** A hostname holding one of these gives the guest a habit. */
const HABITS = {
  /** The whole engine seems to be away, from creation on. */
  unavailable: 'sim-unavailable',
  /** A graceful stop runs into its time-out. */
  ignoresShutdown: 'sim-ignores-shutdown',
  /** Nothing inside answers. */
  hasNoAgent: 'sim-no-agent',
  /** Nothing listens on port 22, so that it never becomes ready. */
  hasNoSsh: 'sim-no-ssh',
  /** Boots take ten times as long. */
  bootsSlowly: 'sim-slow-boot',
  /** Has to be switched off to be moved to another host. */
  movesCold: 'sim-moves-cold',
  /** Cannot be seen from a minute after each boot on; only cutting its power and removing it work then. */
  getsOutOfSight: 'sim-out-of-sight',
  /** Crashes a minute after each boot. */
  crashes: 'sim-crashes',
  /** Powers itself off a minute after each boot. */
  powersOff: 'sim-powers-off',
} as const;

/** Whether a guest of this hostname has the habit. */
export function has(hostname: string, habit: keyof typeof HABITS): boolean {
  return hostname.includes(HABITS[habit]);
}

/**
 * The error that `operation` must end with, if any. `spent` lists the operations whose one failure has
 * happened; a failure that passes is a {@link ComputeUnavailableError}, since trying again works.
 */
export function failureOf(operation: Operation, hostname: string, spent: Operation[]): Error | undefined {
  const sentinel = FAILURES[operation];
  if (hostname.includes(`${sentinel}-once`)) {
    if (spent.includes(operation)) return undefined;
    return new ComputeUnavailableError(`the hostname asks for ${operation} to fail once`);
  }
  return hostname.includes(sentinel) ? new Error(`the hostname asks for ${operation} to fail`) : undefined;
}
