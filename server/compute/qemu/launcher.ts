import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import { ComputeUnavailableError } from '../driver.ts';
import { FILES, type Machine, qemuArguments } from './arguments.ts';
import { BARE_ENVIRONMENT } from './command.ts';
import { findMachine, hasGone } from './processes.ts';

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

export const QEMU = 'qemu-system-x86_64';

const LOOK_EVERY_MS = 5;
/** QEMU is up after 50 ms; a host that swaps may need its time. */
const LAUNCH_MS = 30_000;
const KILL_MS = 10_000;
/** Of QEMU's log in an error message. */
const MAX_WORDS = 2_000;

/** Starts machines as the service's own user. */
export function createDirectLauncher(clock: Clock): Launcher {
  return {
    async launch(machine) {
      const { uuid, directory } = machine;
      const running = await findMachine(directory, uuid);
      if (running) return running;
      await rm(join(directory, FILES.pid), { force: true });
      const log = await open(join(directory, FILES.log), 'w', 0o600);
      // A session of its own: what ends the service's process group must not end the guests.
      const child = spawn(QEMU, qemuArguments(machine), {
        cwd: directory,
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
        env: BARE_ENVIRONMENT,
      });
      const failed = once(child, 'exit').then(
        () => {},
        (error) => error as Error,
      );
      let over = false;
      failed.finally(() => {
        over = true;
      });
      child.unref();
      await log.close();
      for (let left = LAUNCH_MS; left > 0; left -= LOOK_EVERY_MS) {
        const pid = await findMachine(directory, uuid);
        if (pid) return pid;
        if (over) {
          const words = await lastWords(directory);
          throw new ComputeUnavailableError(
            `QEMU did not start: ${words || ((await failed)?.message ?? '')}`,
          );
        }
        await clock.sleep(LOOK_EVERY_MS);
      }
      child.kill('SIGKILL');
      throw new ComputeUnavailableError(`QEMU did not start in ${LAUNCH_MS / 1000} s`);
    },

    async kill({ id, uuid, directory }) {
      const pid = await findMachine(directory, uuid);
      if (!pid) return;
      process.kill(pid, 'SIGKILL');
      if (!(await hasGone(clock, pid, uuid, KILL_MS)))
        throw new ComputeUnavailableError(`${id} cannot be ended`);
    },
  };
}

/** What QEMU said before it ended. */
export async function lastWords(directory: string): Promise<string> {
  return (await readFile(join(directory, FILES.log), 'utf8').catch(() => '')).trim().slice(-MAX_WORDS);
}
