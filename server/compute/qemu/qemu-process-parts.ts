import type { Clock } from '../../platform/clock.ts';
import type { Pool } from './pool.ts';
import type { QemuProcess } from './qemu-process.ts';
import type { Monitor } from './qmp.ts';

/** What the service wants of a guest that powers itself off. */
export type Intent = 'none' | 'off' | 'reboot';

export interface End {
  cause: 'asked' | 'powered_off' | 'crashed';
  detail: string;
}

export interface QemuProcessParts {
  clock: Clock;
  pid: number;
  uuid: string;
  /** The path of its monitor. */
  monitor: string;
  /** Where its disk is. */
  pool: Pick<Pool, 'hasRoom'>;
  /** Ends the process by force. */
  kill(): Promise<void>;
  /** Waits until the guest is ready; false when it gave up. */
  untilReady(run: QemuProcess, signal: AbortSignal): Promise<boolean>;
  /** Keeps what the guest wrote to its serial port; never rejects. */
  keepConsole(monitor: Monitor): Promise<void>;
  /** It is ready, or was waited for long enough. */
  onBooted(ready: boolean): void;
  onRebooted(at: Date): void;
  /** It stands still because its disk finds no room on the host; told once until that is over. */
  onNoRoom(): void;
  onRoomAgain(): void;
  /** The end counts as over only when this has resolved; never rejects. */
  onEnd(end: End): Promise<void>;
}
