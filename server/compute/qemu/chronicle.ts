import type { Clock } from '../../platform/clock.ts';
import { consoleTail } from './console-log.ts';
import type { Guest, RunRecord } from './guest.ts';
import type { Happenings, News } from './happenings.ts';
import type { End } from './run.ts';

/** What befalls guests that run: kept in their directories, and told where somebody should know. */
export class Chronicle {
  readonly #clock: Clock;
  readonly #happenings: Happenings;

  constructor({ clock, happenings }: { clock: Clock; happenings: Happenings }) {
    this.#clock = clock;
    this.#happenings = happenings;
  }

  booted(guest: Guest): void {
    this.#note(guest, { booted: true });
  }

  rebooted(guest: Guest, at: Date): void {
    this.#note(guest, { booted: false });
    const message = 'The guest has rebooted itself.';
    const distinct = at.getTime();
    this.#happenings.report(guest, { type: 'guest.rebooted', level: 'info', message, at, distinct });
  }

  /** Its boot has come to nothing: the log of it goes with the event. */
  async silent(guest: Guest): Promise<void> {
    this.#warn(guest, {
      message: "The guest's SSH server did not answer after its boot.",
      consoleLog: await consoleTail(guest.file('console')),
      distinct: guest.record.run?.since ?? 0,
    });
  }

  noRoom(guest: Guest): void {
    const { run } = guest.record;
    const message =
      'The guest stands still: the host has no room left for its disk. It goes on by itself once there is some.';
    this.#warn(guest, { message, distinct: `no-room-${run?.since}-${run?.shortages ?? 0}` });
  }

  roomAgain(guest: Guest): void {
    this.#note(guest, { shortages: (guest.record.run?.shortages ?? 0) + 1 });
  }

  /** Its interface on the host was taken away: it lives, and reaches nobody. */
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
    // What cannot be written is found out again by the next start; the news must be told now.
    await guest.save({ run: null }).catch(() => {});
    if (cause === 'crashed') {
      const consoleLog = await consoleTail(guest.file('console')).catch(() => '');
      this.#happenings.report(guest, { type: 'guest.crashed', level: 'error', ...news, consoleLog });
    } else if (cause === 'powered_off' && !run.asked) {
      this.#happenings.report(guest, { type: 'guest.powered_off', level: 'info', ...news });
    }
  }

  /** What is not written is found out again after a restart. */
  #note(guest: Guest, change: Partial<RunRecord>): void {
    const { run } = guest.record;
    if (run) guest.save({ run: { ...run, ...change } }).catch(() => {});
  }

  #warn(guest: Guest, news: Omit<News, 'type' | 'level' | 'at'>): void {
    const at = this.#clock.now();
    this.#happenings.report(guest, { type: 'guest.warning', level: 'warning', at, ...news });
  }
}
