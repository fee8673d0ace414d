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

/** If the hostname contains one of these, that operation fails; with the suffix `-once`, only the first time. */
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

/** If the hostname contains one of these, the guest has that habit. */
const HABITS = {
  /** The whole engine appears to be unavailable, from creation on. */
  unavailable: 'sim-unavailable',
  /** A graceful stop times out. */
  ignoresShutdown: 'sim-ignores-shutdown',
  /** Nothing inside answers. */
  hasNoAgent: 'sim-no-agent',
  /** Nothing listens on port 22, so the guest never becomes ready. */
  hasNoSsh: 'sim-no-ssh',
  /** Boots take ten times as long. */
  bootsSlowly: 'sim-slow-boot',
  /** Must be switched off to be moved to another host. */
  movesCold: 'sim-moves-cold',
  /** Cannot be seen from a minute after each boot; then only powering off and removing it work. */
  getsOutOfSight: 'sim-out-of-sight',
  /** Crashes a minute after each boot. */
  crashes: 'sim-crashes',
  /** Powers itself off a minute after each boot. */
  powersOff: 'sim-powers-off',
} as const;

export function has(hostname: string, habit: keyof typeof HABITS): boolean {
  return hostname.includes(HABITS[habit]);
}

/**
 * Returns the error that `operation` must fail with, if any. `spent` lists the operations whose one-time failure has
 * already happened. A one-time failure is a {@link ComputeUnavailableError}, because a retry works.
 */
export function failureOf(operation: Operation, hostname: string, spent: Operation[]): Error | undefined {
  const sentinel = FAILURES[operation];
  if (hostname.includes(`${sentinel}-once`)) {
    if (spent.includes(operation)) return undefined;
    return new ComputeUnavailableError(`the hostname makes ${operation} fail once`);
  }
  return hostname.includes(sentinel) ? new Error(`the hostname makes ${operation} fail`) : undefined;
}
