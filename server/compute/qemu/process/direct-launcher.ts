import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../platform/clock.ts';
import { type DiskOwner, type ImageCommand, runImage } from '../disk/disk-image.ts';
import { lastWords } from '../guest/console-log.ts';
import { openGuestFile } from '../guest/guest-file.ts';
import { FILES, type QemuSpec, qemuArguments } from './arguments.ts';
import { BARE_ENVIRONMENT } from './command.ts';
import { endByForce, GUEST_OOM_SCORE, untilUp } from './process-wait.ts';
import { findQemu, isQemu } from './processes.ts';

/**
 * Starts QEMU processes that outlive the service. Without a helper, they run as the service's own user. With one, the
 * privileged helper starts each guest as its own user and builds the arguments itself from a checked spec.
 */
export interface Launcher {
  /** Starts QEMU and resolves with its process id once it has written its pid file. Rejects with QEMU's own message. */
  launch(spec: QemuSpec): Promise<number>;
  /** Kills the guest's process. Succeeds if it is already gone. */
  kill(spec: Pick<QemuSpec, 'id' | 'uuid' | 'directory'>): Promise<void>;
  /** Runs `qemu-img` on the disk of a guest that is off, as the user its process runs as. Returns the output. */
  image(owner: DiskOwner, command: ImageCommand): Promise<string>;
}

/** Opened for appending, so that QEMU continues at the new end after the log is truncated. */
const NEW_LOG = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND;

export const QEMU = 'qemu-system-x86_64';

/**
 * Returns the program and its arguments. `taskset` sets the affinity before QEMU starts any thread, so all threads
 * inherit it.
 */
export function qemuCommand(spec: QemuSpec): [string, ...string[]] {
  const qemu: [string, ...string[]] = [QEMU, ...qemuArguments(spec)];
  return spec.cpus === undefined ? qemu : ['taskset', '--cpu-list', spec.cpus, ...qemu];
}

/** Creates a launcher that runs guests as the service's own user. */
export function createDirectLauncher(clock: Clock): Launcher {
  return {
    async launch(spec) {
      const { uuid, directory } = spec;
      const running = await findQemu(directory, uuid);
      if (running) return running;
      await rm(join(directory, FILES.pid), { recursive: true, force: true });
      await rm(join(directory, FILES.log), { recursive: true, force: true });
      const log = await openGuestFile(join(directory, FILES.log), NEW_LOG);
      // Detached into its own session: whatever ends the service's process group must not end the guests.
      const [program, ...options] = qemuCommand(spec);
      const child = spawn(program, options, {
        cwd: directory,
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
        env: BARE_ENVIRONMENT,
      });
      // Fails if this process already has a higher score or the child has ended; the guest is then no worse off.
      await writeFile(`/proc/${child.pid}/oom_score_adj`, `${GUEST_OOM_SCORE}`).catch(() => {});
      try {
        return await untilUp(clock, child, {
          find: () => findQemu(directory, uuid),
          words: () => lastWords(directory),
        });
      } finally {
        await log.close();
      }
    },

    async kill({ id, uuid, directory }) {
      const pid = await findQemu(directory, uuid);
      if (pid) await endByForce(clock, id, pid, () => isQemu(pid, uuid));
    },

    image: runImage,
  };
}
