import { AgentUnavailableError, ComputeUnavailableError, ShutdownTimeoutError } from '../driver.ts';
import { untilGreeted } from './banner.ts';
import { Chronicle } from './chronicle.ts';
import { type CloneParts, discardClone, startMachine } from './clone.ts';
import type { Guest } from './guest.ts';
import type { Happenings } from './happenings.ts';
import { lastWords } from './launcher.ts';
import type { HostNetwork } from './network.ts';
import { findMachine } from './processes.ts';
import { type End, type Intent, Run } from './run.ts';
import { unlessAborted } from './waiting.ts';

/**
 * A file system check on a busy host takes minutes. Without KVM a full distribution takes 40 s on an idle host, and has
 * been seen to take ten times as long on one that was as overbooked as it may be.
 */
export const BOOT_MS = { kvm: 300_000, tcg: 900_000 };
/** A guest does not hear its power button before its system has come so far. */
const PRESS_EVERY_MS = 5_000;
const SSH_PORT = 22;

export interface PowerParts extends CloneParts {
  network: HostNetwork;
  accelerator: 'kvm' | 'tcg';
  happenings: Happenings;
}

/**
 * Switches guests on and off. The methods that alter a guest's power are called with nobody beside them; those that
 * wait are not, so that whoever cuts the power need not wait for a boot.
 */
export class Power {
  readonly #parts: PowerParts;
  readonly #chronicle: Chronicle;
  readonly #closing = new AbortController();

  constructor(parts: PowerParts) {
    this.#parts = parts;
    this.#chronicle = new Chronicle(parts);
  }

  /** Takes hold of a guest that may have been running while the service was away. */
  async adopt(guest: Guest): Promise<void> {
    for (const event of guest.record.happenings) {
      this.#parts.happenings.tell({ ...event, at: new Date(event.at) });
    }
    if (guest.record.run && guest.record.clone?.asleep) {
      await discardClone(this.#parts.launcher, guest);
      await guest.save({ run: null });
    }
    const { uuid } = guest.record;
    const pid = await findMachine(guest.directory, uuid);
    if (pid) {
      try {
        await this.#hold(guest, pid);
        return;
      } catch (error) {
        // One that dies just now was found, and is gone.
        if (await findMachine(guest.directory, uuid)) throw error;
      }
    }
    if (guest.record.run)
      await this.#chronicle.ended(guest, { cause: 'crashed', detail: "The guest's machine has gone." });
  }

  /** Starts a machine for the guest unless it has one. */
  async on(guest: Guest): Promise<Run> {
    // One that is just ending is not what the caller asks for.
    if (guest.run?.ending) await guest.run.ended;
    if (guest.run) return guest.run;
    const { id, uuid, vcpu, ramMb, mac, directBoot } = guest.record;
    const { launcher, network, accelerator, clock } = this.#parts;
    const { directory } = guest;
    try {
      // Written down first: from now on its rules are among those that are made anew when they are lost.
      await guest.save({ run: { since: clock.now().getTime(), booted: false, asked: false } });
      const netdev = await network.attach(guest.networkGuest, guest.policy);
      const machine = { id, uuid, directory, accelerator, vcpu, ramMb, mac, netdev, directBoot };
      return await this.#hold(guest, await startMachine(this.#parts, guest, machine));
    } catch (error) {
      await launcher.kill({ id, uuid, directory });
      await guest.save({ run: null }).catch(() => {});
      const words = await lastWords(directory);
      throw words
        ? new ComputeUnavailableError(`QEMU did not start ${id}: ${words}`, { cause: error })
        : error;
    }
  }

  /** Cuts the power. */
  async off(guest: Guest): Promise<void> {
    if (guest.run) {
      await this.#want(guest, guest.run, 'off');
      await guest.run?.quit();
    }
    // Also one whose monitor does not answer, which is not held.
    else await this.#parts.launcher.kill({ ...guest.record, directory: guest.directory });
  }

  /** Resolves when the guest has booted; throws once it no longer will. */
  async untilBooted(guest: Guest, run: Run, signal?: AbortSignal): Promise<void> {
    const ending = this.#ending(signal);
    const ended = run.ended.then(() => 'ended' as const);
    while (!run.booted) {
      const outcome = await unlessAborted(Promise.race([ended, run.boot]), ending);
      if (outcome === 'late')
        throw new AgentUnavailableError(
          `${guest.id} did not boot in ${BOOT_MS[this.#parts.accelerator] / 1000} s`,
        );
      // An end cuts the boot short first.
      if (outcome === 'superseded' && run.ending) await unlessAborted(ended, ending);
      if (run.ending) throw new ComputeUnavailableError(`${guest.id} went away while it booted`);
    }
  }

  /** Asks a running guest to go off and resolves when it is; throws {@link ShutdownTimeoutError}. */
  async shutDown(guest: Guest, run: Run, timeoutSeconds: number, signal?: AbortSignal): Promise<void> {
    await this.#want(guest, run, 'off');
    const left = await this.#press(run, timeoutSeconds * 1000, run.ended, signal);
    if (left) return;
    await this.#want(guest, run, 'none');
    throw new ShutdownTimeoutError(`${guest.id} did not power off in time`);
  }

  /** Starts a running guest anew, by a reset unless it obeys; the machine stays the same. */
  async restart(guest: Guest, run: Run, timeoutSeconds: number, signal?: AbortSignal): Promise<void> {
    // One that boots is on its way to what the caller wants.
    if (run.booted) {
      await this.#want(guest, run, 'reboot');
      if (!(await this.#press(run, timeoutSeconds * 1000, run.nextBoot(), signal))) await run.reset();
      await this.#want(guest, run, 'none');
    }
    await this.untilBooted(guest, run, signal);
  }

  /** For whoever finds the guest's interface gone. */
  cutOff(guest: Guest): void {
    this.#chronicle.cutOff(guest);
  }

  /** Ends every wait; guests run on. */
  close(): void {
    this.#closing.abort(new ComputeUnavailableError('the driver is closed'));
  }

  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  #ending(signal: AbortSignal | undefined): AbortSignal {
    return signal ? AbortSignal.any([signal, this.closed]) : this.closed;
  }

  async #want(guest: Guest, run: Run, intent: Intent): Promise<void> {
    run.intent = intent;
    const { run: current } = guest.record;
    // A disk without room for a note must not keep a guest's power on.
    if (current) await guest.save({ run: { ...current, asked: intent !== 'none' } }).catch(() => {});
  }

  /** Presses the power button until `done` or for `ms`; whether it was done. */
  async #press(run: Run, ms: number, done: Promise<unknown>, signal?: AbortSignal): Promise<boolean> {
    const ending = this.#ending(signal);
    const { clock } = this.#parts;
    let left = ms;
    do {
      // A machine that just went away is what is waited for.
      await run.pressPower().catch(() => {});
      const stop = new AbortController();
      const pause = clock.sleep(Math.min(left, PRESS_EVERY_MS), stop.signal).then(
        () => false,
        () => false,
      );
      const outcome = Promise.race([done.then(() => true), run.ended.then(() => true), pause]);
      if (await unlessAborted(outcome, ending).finally(() => stop.abort())) return true;
      left -= PRESS_EVERY_MS;
    } while (left > 0);
    return false;
  }

  /** Connects to the guest's machine, which runs. */
  async #hold(guest: Guest, pid: number): Promise<Run> {
    const { clock, launcher, network } = this.#parts;
    const { id, uuid, run } = guest.record;
    if (!run) await guest.save({ run: { since: clock.now().getTime(), booted: false, asked: false } });
    const parts = {
      clock,
      pid,
      uuid,
      monitor: guest.file('monitor'),
      directory: guest.directory,
      kill: () => launcher.kill({ id, uuid, directory: guest.directory }),
      untilReachable: (signal: AbortSignal) =>
        this.#untilReachable(guest, () => network.connect(guest.networkGuest, SSH_PORT), signal),
      onBooted: () => this.#chronicle.booted(guest),
      onRebooted: (at: Date) => this.#chronicle.rebooted(guest, at),
      onNoRoom: () => this.#chronicle.noRoom(guest),
      onRoomAgain: () => this.#chronicle.roomAgain(guest),
      onEnd: (end: End) => this.#chronicle.ended(guest, end),
    };
    const held = await Run.open(parts, { booted: run?.booted ?? false, intent: run?.asked ? 'off' : 'none' });
    if (!held.ending) guest.run = held;
    return held;
  }

  async #untilReachable(
    guest: Guest,
    open: Parameters<typeof untilGreeted>[1],
    signal: AbortSignal,
  ): Promise<boolean> {
    const { clock, accelerator } = this.#parts;
    const reachable = await untilGreeted(clock, open, BOOT_MS[accelerator], signal);
    if (!reachable && !signal.aborted) await this.#chronicle.silent(guest);
    return reachable;
  }
}
