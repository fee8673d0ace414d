import type { Clock } from '../../../platform/clock.ts';
import { eventOf, type GuestEvents, type GuestNotice } from '../../guest-events.ts';
import type { End } from '../process/qemu-process-parts.ts';
import { consoleTail } from './console-log.ts';
import type { Guest, RunRecord } from './guest.ts';
import { DEFAULT_READINESS, whatIsMissing } from './readiness.ts';

/** Records events of running guests in their directories and reports them to watchers. */
export class LifecycleRecorder {
  readonly #clock: Clock;
  readonly #guestEvents: GuestEvents;

  constructor({ clock, guestEvents }: { clock: Clock; guestEvents: GuestEvents }) {
    this.#clock = clock;
    this.#guestEvents = guestEvents;
  }

  /** Called when the guest is ready or the wait for it has timed out. */
  booted(guest: Guest): void {
    this.#note(guest, { booted: true });
  }

  ready(guest: Guest): void {
    const at = this.#clock.now();
    const message = 'The guest has booted and is ready.';
    this.#report(guest, {
      type: 'guest.ready',
      level: 'info',
      message,
      at,
      distinct: at.getTime(),
    });
  }

  rebooted(guest: Guest, at: Date): void {
    this.#note(guest, { booted: false });
    const message = 'The guest has rebooted itself.';
    const distinct = at.getTime();
    this.#report(guest, { type: 'guest.rebooted', level: 'info', message, at, distinct });
  }

  /** Reports that the guest runs but never became ready. The warning includes its boot log. */
  async silent(guest: Guest, seconds: number): Promise<void> {
    const waitedFor = guest.record.readiness ?? DEFAULT_READINESS;
    this.#warn(guest, {
      message: `The guest runs, but ${whatIsMissing(waitedFor)} within ${seconds} s of its boot.`,
      waitedFor,
      consoleLog: await consoleTail(guest.file('console')),
      distinct: guest.record.run?.since ?? 0,
    });
  }

  noRoom(guest: Guest): void {
    const { run } = guest.record;
    const message =
      'The guest is paused: the host has no space left for its disk. It continues automatically once there is space.';
    this.#warn(guest, { message, distinct: `no-room-${run?.since}-${run?.shortages ?? 0}` });
  }

  roomAgain(guest: Guest): void {
    this.#note(guest, { shortages: (guest.record.run?.shortages ?? 0) + 1 });
  }

  /** Reports that the guest's interface on the host is gone: it keeps running without a network. */
  cutOff(guest: Guest): void {
    if (!guest.run || guest.run.cutOff) return;
    guest.run.cutOff = true;
    const message = "The guest's network card was unplugged on the host. Reboot the VM to plug it in again.";
    this.#warn(guest, { message, distinct: `cut-off-${guest.record.run?.since}` });
  }

  async ended(guest: Guest, { cause, detail }: End): Promise<void> {
    const { run } = guest.record;
    guest.run = undefined;
    if (!run) return;
    const news = { message: detail, at: this.#clock.now(), distinct: run.since };
    // If this cannot be saved, the next start detects it again; the event must be reported now.
    await guest.save({ run: null }).catch(() => {});
    if (cause === 'crashed') {
      const consoleLog = await consoleTail(guest.file('console')).catch(() => '');
      this.#report(guest, { type: 'guest.crashed', level: 'error', ...news, consoleLog });
    } else if (cause === 'powered_off' && !run.asked) {
      this.#report(guest, { type: 'guest.powered_off', level: 'info', ...news });
    }
  }

  /** If this cannot be saved, it is detected again after a restart. */
  #note(guest: Guest, change: Partial<RunRecord>): void {
    const { run } = guest.record;
    if (run) guest.save({ run: { ...run, ...change } }).catch(() => {});
  }

  /** Also saved in the guest's directory, for a service that is just stopping and misses the event. */
  #report(guest: Guest, notice: GuestNotice): void {
    const event = eventOf(guest.id, notice);
    guest.remember(event);
    guest.save().catch(() => {});
    this.#guestEvents.emit(event);
  }

  #warn(guest: Guest, news: Omit<GuestNotice, 'type' | 'level' | 'at'>): void {
    const at = this.#clock.now();
    this.#report(guest, { type: 'guest.warning', level: 'warning', at, ...news });
  }
}
