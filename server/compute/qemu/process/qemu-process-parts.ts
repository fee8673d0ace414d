import type { Clock } from '../../../platform/clock.ts';
import type { Pool } from '../disk/pool.ts';
import type { QemuProcess } from './qemu-process.ts';
import type { Monitor } from './qmp.ts';

/** The service's response when a guest powers itself off: report it, expect it, or reset the guest. */
export type Intent = 'none' | 'off' | 'reboot';

export interface End {
  cause: 'asked' | 'powered_off' | 'crashed';
  detail: string;
}

export interface QemuProcessParts {
  clock: Clock;
  pid: number;
  uuid: string;
  /** The path of its monitor socket. */
  monitor: string;
  pool: Pick<Pool, 'hasRoom'>;
  kill(): Promise<void>;
  /** Waits until the guest is ready; returns false if it gave up. */
  untilReady(run: QemuProcess, signal: AbortSignal): Promise<boolean>;
  /** Saves the guest's serial output; never rejects. */
  keepConsole(monitor: Monitor): Promise<void>;
  /** Called when the guest is ready or the wait for it has timed out. */
  onBooted(ready: boolean): void;
  onRebooted(at: Date): void;
  /** Called when the guest is paused because there is no space for its disk, once until that is over. */
  onNoRoom(): void;
  onRoomAgain(): void;
  /** The process counts as ended only after this resolves; must not reject. */
  onEnd(end: End): Promise<void>;
}
