import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import { FILES, type QemuSpec, qemuArguments } from './arguments.ts';
import { BARE_ENVIRONMENT } from './command.ts';
import { lastWords } from './console-log.ts';
import { type DiskOwner, type ImageCommand, runImage } from './disk-image.ts';
import { openGuestFile } from './guest-file.ts';
import { endByForce, GUEST_OOM_SCORE, untilUp } from './process-wait.ts';
import { findQemu, isQemu } from './processes.ts';

/**
 * Starts QEMU processes that outlive the service. As the service's own user where there is no helper, by the
 * privileged helper under a user of their own where there is one: the helper makes the arguments itself, from a
 * checked description.
 */
export interface Launcher {
  /** Starts QEMU and resolves with its process id when QEMU has written its pid file; rejects with QEMU's words. */
  launch(spec: QemuSpec): Promise<number>;
  /** Ends the guest's process by force; one that is gone is a success. */
  kill(spec: Pick<QemuSpec, 'id' | 'uuid' | 'directory'>): Promise<void>;
  /** Does something with the disk of a guest that is off, as the user that its process runs as; what was printed. */
  image(owner: DiskOwner, command: ImageCommand): Promise<string>;
}

/** Appended to, so that what follows a cut of it begins there. */
const NEW_LOG = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND;

export const QEMU = 'qemu-system-x86_64';

/** The program and its arguments. The affinity is there before the first of its threads, and all have it. */
export function qemuCommand(spec: QemuSpec): [string, ...string[]] {
  const qemu: [string, ...string[]] = [QEMU, ...qemuArguments(spec)];
  return spec.cpus === undefined ? qemu : ['taskset', '--cpu-list', spec.cpus, ...qemu];
}

/** Starts guests as the service's own user. */
export function createDirectLauncher(clock: Clock): Launcher {
  return {
    async launch(spec) {
      const { uuid, directory } = spec;
      const running = await findQemu(directory, uuid);
      if (running) return running;
      await rm(join(directory, FILES.pid), { recursive: true, force: true });
      await rm(join(directory, FILES.log), { recursive: true, force: true });
      const log = await openGuestFile(join(directory, FILES.log), NEW_LOG);
      // A session of its own: what ends the service's process group must not end the guests.
      const [program, ...options] = qemuCommand(spec);
      const child = spawn(program, options, {
        cwd: directory,
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
        env: BARE_ENVIRONMENT,
      });
      // Refused where this process has a higher one already, or the child has ended: then its guest is no safer.
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
