import { ComputeUnavailableError, ShutdownTimeoutError } from '../../driver.ts';
import type { GuestEvents } from '../../guest-events.ts';
import type { Admission } from '../admission.ts';
import type { Pool } from '../disk/pool.ts';
import { type CloneParts, discardClone, qemuSpecOf, startQemu } from '../images/clone.ts';
import type { HostNetwork } from '../network/network.ts';
import type { Cores } from '../process/cores.ts';
import { findQemu } from '../process/processes.ts';
import { QemuProcess } from '../process/qemu-process.ts';
import type { End, Intent } from '../process/qemu-process-parts.ts';
import type { Monitor } from '../process/qmp.ts';
import { keepConsoleLog, lastWords } from './console-log.ts';
import type { Guest } from './guest.ts';
import type { Guests } from './guests.ts';
import { LifecycleRecorder } from './lifecycle-recorder.ts';
import { READY_MS, type ReadinessParts, untilReady } from './readiness.ts';

/** A guest ignores its power button until its system has booted far enough. */
const PRESS_EVERY_MS = 5_000;

export interface PowerParts extends CloneParts {
  network: HostNetwork;
  accelerator: 'kvm' | 'tcg';
  guestEvents: GuestEvents;
  guests: Pick<Guests, 'adopt'>;
  cores: Cores;
  admission: Pick<Admission, 'ready'>;
  inside: ReadinessParts['inside'];
  pool: Pool;
}

/**
 * Switches guests on and off. Methods that alter a guest's power are called one at a time per guest. Those that wait
 * are not, so that cutting the power does not have to wait for a shutdown.
 */
export class Power {
  readonly #parts: PowerParts;
  readonly #recorder: LifecycleRecorder;
  readonly #closing = new AbortController();

  constructor(parts: PowerParts) {
    this.#parts = parts;
    this.#recorder = new LifecycleRecorder(parts);
  }

  /**
   * Connects to a guest that may have kept running while the service was down. If it does not answer and cannot be
   * shown to be off, it is marked as unseen, and the reason is thrown.
   */
  async adopt(guest: Guest): Promise<void> {
    guest.unseen ??= new Error('its state is not known yet');
    try {
      await this.#adopt(guest);
      guest.unseen = undefined;
    } catch (error) {
      guest.unseen = error as Error;
      throw error;
    }
  }

  async #adopt(guest: Guest): Promise<void> {
    for (const event of guest.record.happenings) {
      this.#parts.guestEvents.emit({ ...event, at: new Date(event.at) });
    }
    if (guest.record.run && guest.record.clone?.asleep) {
      await discardClone(this.#parts.launcher, guest);
      await guest.save({ run: null });
    }
    const { uuid } = guest.record;
    const pid = await findQemu(guest.directory, uuid);
    if (pid) {
      try {
        await this.#hold(guest, pid);
        return;
      } catch (error) {
        // The process may have been found and then died.
        if (await findQemu(guest.directory, uuid)) throw error;
      }
    }
    if (guest.record.run)
      await this.#recorder.ended(guest, { cause: 'crashed', detail: "The guest's spec has gone." });
  }

  /** Starts a process for the guest unless it has one. A process that is just ending does not count. */
  async on(guest: Guest): Promise<QemuProcess> {
    if (guest.run?.ending) await guest.run.ended;
    if (guest.run) return guest.run;
    this.#parts.admission.ready(guest);
    const { id, uuid } = guest.record;
    const { launcher, network, accelerator, clock, cores } = this.#parts;
    const { directory } = guest;
    try {
      // Saved first: from now on, its rules are included when lost rules are rebuilt.
      await guest.save({ run: { since: clock.now().getTime(), booted: false, asked: false } });
      await this.#parts.guests.adopt(guest);
      const netdev = await network.attach(guest.networkGuest, guest.policy);
      const cpus = cores.listFor(guest.record);
      const spec = { ...(await qemuSpecOf(guest, accelerator, netdev)), cpus };
      const run = await this.#hold(guest, await startQemu(this.#parts, guest, spec));
      if (run.ending) throw new ComputeUnavailableError(`${guest.id} ended while it was starting`);
      return run;
    } catch (error) {
      await launcher.kill({ id, uuid, directory });
      await guest.save({ run: null }).catch(() => {});
      const words = await lastWords(directory);
      throw words
        ? new ComputeUnavailableError(`QEMU did not start ${id}: ${words}`, { cause: error })
        : error;
    }
  }

  async off(guest: Guest): Promise<void> {
    if (guest.run) {
      await this.#want(guest, guest.run, 'off');
      await guest.run?.quit();
    } else await this.#kill(guest);
  }

  /** Also kills a process that does not answer and could not be adopted. */
  async #kill(guest: Guest): Promise<void> {
    // Saved first, so that a concurrent adoption expects the process to end.
    if (guest.record.run) await guest.save({ run: null }).catch(() => {});
    await this.#parts.launcher.kill({ ...guest.record, directory: guest.directory });
    guest.unseen = undefined;
  }

  /** Asks a running guest to shut down and resolves when it is off. Throws {@link ShutdownTimeoutError}. */
  async shutDown(
    guest: Guest,
    run: QemuProcess,
    timeoutSeconds: number,
    signal?: AbortSignal,
  ): Promise<void> {
    await this.#want(guest, run, 'off');
    const left = await this.#press(run, timeoutSeconds * 1000, run.gone, signal);
    if (left) return;
    await this.#want(guest, run, 'none');
    throw new ShutdownTimeoutError(`${guest.id} did not power off in time`);
  }

  /** Reboots a running guest, with a reset if it does not obey; the process stays the same. Resolves when it boots. */
  async restart(guest: Guest, run: QemuProcess, timeoutSeconds: number, signal?: AbortSignal): Promise<void> {
    await this.#want(guest, run, 'reboot');
    if (!(await this.#press(run, timeoutSeconds * 1000, run.nextBoot(), signal))) await run.reset();
    await this.#want(guest, run, 'none');
    if (run.ending) throw new ComputeUnavailableError(`${guest.id} ended while it was rebooting`);
  }

  /** Called when the guest's interface is found to be gone. */
  cutOff(guest: Guest): void {
    this.#recorder.cutOff(guest);
  }

  /** Ends every wait; guests keep running. */
  close(): void {
    this.#closing.abort(new ComputeUnavailableError('the driver is closed'));
  }

  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  #ending(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([signal, this.closed]) : this.closed;
  }

  async #want(guest: Guest, run: QemuProcess, intent: Intent): Promise<void> {
    run.intent = intent;
    const { run: current } = guest.record;
    // A full disk, on which nothing can be saved, must not keep a guest's power on.
    if (current) await guest.save({ run: { ...current, asked: intent !== 'none' } }).catch(() => {});
  }

  /**
   * Presses the power button until `done` aborts or the process is gone, for up to `ms`. Returns whether that happened.
   * Removes its listeners, because some of these signals live as long as the guest.
   */
  async #press(run: QemuProcess, ms: number, done: AbortSignal, signal?: AbortSignal): Promise<boolean> {
    const { clock } = this.#parts;
    const ending = this.#ending(signal);
    const over = new AbortController();
    const end = () => over.abort();
    const ends = [done, run.gone, ending];
    for (const each of ends) each.addEventListener('abort', end);
    try {
      for (let left = ms; left > 0; left -= PRESS_EVERY_MS) {
        // The press fails if the process has just gone, which also ends the wait.
        await run.pressPower().catch(() => {});
        const pause = Math.min(left, PRESS_EVERY_MS);
        if (!ends.some(({ aborted }) => aborted)) await clock.sleep(pause, over.signal).catch(() => {});
        if (done.aborted || run.gone.aborted) return true;
        ending.throwIfAborted();
      }
      return false;
    } finally {
      for (const each of ends) each.removeEventListener('abort', end);
    }
  }

  /** Connects to the guest's running process. */
  async #hold(guest: Guest, pid: number): Promise<QemuProcess> {
    const { clock, launcher, pool } = this.#parts;
    const { id, uuid, run } = guest.record;
    if (!run) await guest.save({ run: { since: clock.now().getTime(), booted: false, asked: false } });
    const parts = {
      clock,
      pid,
      uuid,
      monitor: guest.file('monitor'),
      pool,
      kill: () => launcher.kill({ id, uuid, directory: guest.directory }),
      untilReady: (run: QemuProcess, signal: AbortSignal) =>
        untilReady(this.#parts, { guest, run }, this.#readyMs(guest), signal),
      keepConsole: (monitor: Monitor) => keepConsoleLog(monitor, guest.file('console')),
      onBooted: (ready: boolean) => this.#booted(guest, ready),
      onRebooted: (at: Date) => this.#recorder.rebooted(guest, at),
      onNoRoom: () => this.#recorder.noRoom(guest),
      onRoomAgain: () => this.#recorder.roomAgain(guest),
      onEnd: (end: End) => this.#recorder.ended(guest, end),
    };
    const held = await QemuProcess.open(parts, {
      booted: run?.booted ?? false,
      intent: run?.asked ? 'off' : 'none',
    });
    if (!held.ending) guest.run = held;
    return held;
  }

  #booted(guest: Guest, ready: boolean): void {
    this.#recorder.booted(guest);
    if (ready) this.#recorder.ready(guest);
    else this.#recorder.silent(guest, this.#readyMs(guest) / 1000).catch(() => {});
  }

  #readyMs({ record }: Guest): number {
    const { readyWithinSeconds: seconds } = record;
    return seconds === undefined ? READY_MS[this.#parts.accelerator] : seconds * 1000;
  }
}
