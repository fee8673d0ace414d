import type { Machine } from './arguments.ts';

/**
 * Starts QEMU processes that outlive the service. As the service's own user where there is no helper, by the
 * privileged helper under a user of their own where there is one: the helper makes the arguments itself, from a
 * checked description.
 */
export interface Launcher {
  /** Starts the machine and resolves with its process id when QEMU has written its pid file; rejects with QEMU's words. */
  launch(machine: Machine): Promise<number>;
  /** Ends the machine's process by force; one that is gone is a success. */
  kill(machine: Pick<Machine, 'id' | 'uuid' | 'directory'>): Promise<void>;
}
