import { DiskSpaceWatch } from '../disk/disk-space-watch.ts';
import { AGENT_CHANNEL } from './arguments.ts';
import { hasGone, isQemu } from './processes.ts';
import type { End, Intent, QemuProcessParts } from './qemu-process-parts.ts';
import { Monitor, type QmpEvent } from './qmp.ts';

/** Time for QEMU to flush the disk and exit; one that hangs is killed. */
const QUIT_MS = 5_000;
const CONNECT_EVERY_MS = 5;
/** An agent starts at about the same time as the SSH server. An image without one is not waited for longer than this. */
const AGENT_GRACE_MS = 2_000;

/** A guest from power on to power off: one QEMU process, controlled through its monitor. */
export class QemuProcess {
  readonly pid: number;
  intent: Intent = 'none';
  /** The wait for its readiness is over. */
  booted: boolean;
  /** The guest agent has opened its channel. */
  agentOpen = false;
  /** Resolves when the process is gone; never rejects. */
  readonly ended: Promise<End>;
  /**
   * Aborts when {@link ended} resolves. For waits that may end earlier: their listeners can be removed, while handlers
   * added to a promise stay.
   */
  readonly gone: AbortSignal;
  readonly #parts: QemuProcessParts;
  readonly #ended = Promise.withResolvers<End>();
  readonly #gone = new AbortController();
  #monitor!: Monitor;
  /** Its interface on the host is gone; only a new process can get another. */
  cutOff = false;
  #booting = new AbortController();
  /** Aborts when the process is gone or released. */
  readonly #over = new AbortController();
  readonly #room: DiskSpaceWatch;
  #nextBoot = new AbortController();
  #agentHeard = Promise.withResolvers<void>();
  /** Set as soon as the outcome is known. */
  #end: End | undefined;
  #released = false;

  private constructor(parts: QemuProcessParts, booted: boolean) {
    this.#parts = parts;
    this.pid = parts.pid;
    this.booted = booted;
    this.ended = this.#ended.promise;
    this.gone = this.#gone.signal;
    const { clock, pool, onNoRoom, onRoomAgain } = parts;
    const resume = async () => void (await this.#monitor.execute('cont'));
    const room = { clock, pool, resume, onTrouble: onNoRoom, onCalm: onRoomAgain };
    this.#room = new DiskSpaceWatch(room, this.#over.signal);
  }

  /**
   * Connects to a running process, given its last known state `before`. The process may be about to end: see
   * {@link ending}.
   */
  static async open(
    parts: QemuProcessParts,
    before: { booted: boolean; intent: Intent },
  ): Promise<QemuProcess> {
    const run = new QemuProcess(parts, before.booted);
    run.intent = before.intent;
    run.#monitor = await run.#connect();
    run.#monitor.closed.then(() => run.#lost());
    await run.#catchUp();
    if (run.ending) await run.ended;
    else if (!before.booted) run.#awaitReady();
    return run;
  }

  /** True once the outcome is known: the process is gone or about to exit. */
  get ending(): boolean {
    return this.#end !== undefined;
  }

  nextBoot(): AbortSignal {
    return this.#nextBoot.signal;
  }

  /** Resolves when the agent of the current boot has opened its channel. */
  get agentHeard(): Promise<void> {
    return this.#agentHeard.promise;
  }

  get monitor(): Monitor {
    return this.#monitor;
  }

  async pressPower(): Promise<void> {
    await this.#monitor.execute('system_powerdown');
  }

  async reset(): Promise<void> {
    this.intent = 'none';
    this.booted = false;
    await this.#monitor.execute('system_reset');
    await this.#monitor.execute('cont');
    // Not earlier: otherwise the SSH server of the ending boot would be mistaken for that of the next.
    this.#beginBoot();
  }

  /** Pauses the guest until there is space for its disk. */
  async standStill(): Promise<void> {
    if (this.ending) return;
    await this.#monitor.execute('stop');
    this.#room.stalled();
  }

  /** Cuts the power and resolves when the process is gone. */
  async quit(end: End = { cause: 'asked', detail: 'The power was cut.' }): Promise<End> {
    this.#end ??= end;
    // Saves the guest's last console output.
    await this.#parts.keepConsole(this.#monitor);
    // The connection may close before the answer arrives.
    await this.#monitor.execute('quit', undefined, QUIT_MS).catch(() => {});
    if (!(await this.#hasGone())) await this.#parts.kill();
    this.#monitor.close();
    return this.ended;
  }

  /** Releases the process, which keeps running. */
  release(): void {
    this.#released = true;
    this.#booting.abort();
    this.#over.abort();
    this.#monitor.close();
  }

  /** A QEMU that has just started writes its pid file before it listens. */
  async #connect(): Promise<Monitor> {
    const { clock, monitor, uuid } = this.#parts;
    for (;;) {
      try {
        return await Monitor.connect(monitor, clock, (event) => this.#hear(event));
      } catch (error) {
        const early = ['ENOENT', 'ECONNREFUSED'].includes((error as NodeJS.ErrnoException).code ?? '');
        if (!early || !(await isQemu(this.pid, uuid))) throw error;
        await clock.sleep(CONNECT_EVERY_MS);
      }
    }
  }

  /** Handles what happened before the connection was made. */
  async #catchUp(): Promise<void> {
    const { status } = await this.#monitor.execute<{ status: string }>('query-status');
    if (status === 'shutdown') return this.#poweredOff();
    if (status === 'guest-panicked') return this.#panicked();
    // Only the pool guard pauses guests.
    if (status === 'io-error' || status === 'paused') this.#room.stalled();
    const channels =
      await this.#monitor.execute<{ label: string; 'frontend-open': boolean }[]>('query-chardev');
    const open = channels.some(
      ({ label, ...channel }) => label === AGENT_CHANNEL && channel['frontend-open'],
    );
    this.#setAgent(open);
  }

  #hear({ event, data, timestamp }: QmpEvent): void {
    if (event === 'SHUTDOWN') this.#poweredOff(data?.guest === true ? undefined : `${data?.reason}`);
    if (event === 'GUEST_PANICKED') this.#panicked();
    if (event === 'BLOCK_IO_ERROR' && data?.nospace === true && data?.action === 'stop') this.#room.stalled();
    if (event === 'VSERPORT_CHANGE') this.#setAgent(data?.open === true);
    // While booting, the firmware itself resets the guest several times.
    if (event === 'RESET' && data?.guest === true && this.booted) {
      this.#beginBoot();
      const ms = timestamp.seconds * 1_000 + Math.floor(timestamp.microseconds / 1_000);
      this.#parts.onRebooted(new Date(ms));
    }
  }

  #setAgent(open: boolean): void {
    this.agentOpen = open;
    if (open) this.#agentHeard.resolve();
  }

  /** The guest is now stopped until it is resumed or its process exits. */
  #poweredOff(hostReason?: string): void {
    if (this.#end) return;
    if (this.intent === 'reboot') {
      this.reset().catch(() => {});
      return;
    }
    const cause = this.intent === 'off' ? 'asked' : 'powered_off';
    const who = hostReason ? `The host ended the guest (${hostReason}).` : 'The guest powered itself off.';
    this.quit({ cause, detail: who }).catch(() => {});
  }

  #panicked(): void {
    this.quit({ cause: 'crashed', detail: "The guest's kernel has panicked." }).catch(() => {});
  }

  async #lost(): Promise<void> {
    if (this.#released) return;
    this.#end ??= { cause: 'crashed', detail: "The guest's process has ended unexpectedly." };
    this.#booting.abort();
    this.#over.abort();
    // The disk is only free again once the process is gone.
    if (!(await this.#hasGone())) await this.#parts.kill().catch(() => {});
    await this.#parts.onEnd(this.#end);
    this.#ended.resolve(this.#end);
    this.#gone.abort();
  }

  #hasGone(): Promise<boolean> {
    const { clock, uuid } = this.#parts;
    return hasGone(clock, () => isQemu(this.pid, uuid), QUIT_MS);
  }

  #beginBoot(): void {
    this.#agentHeard = Promise.withResolvers<void>();
    this.agentOpen = false;
    this.#awaitReady();
    this.#nextBoot.abort();
    this.#nextBoot = new AbortController();
  }

  #awaitReady(): void {
    this.#booting.abort();
    this.#booting = new AbortController();
    this.booted = false;
    this.#watchBoot(this.#booting.signal).catch(() => {});
  }

  /** Returns without reporting if another boot or the end comes first. */
  async #watchBoot(signal: AbortSignal): Promise<void> {
    const { clock, untilReady, keepConsole, onBooted } = this.#parts;
    const ready = await untilReady(this, signal);
    if (signal.aborted) return;
    if (ready) {
      const graceOver = clock.sleep(AGENT_GRACE_MS, signal).catch(() => {});
      await Promise.race([this.agentHeard, graceOver]);
    }
    await keepConsole(this.#monitor);
    if (signal.aborted) return;
    this.booted = true;
    onBooted(ready);
  }
}
