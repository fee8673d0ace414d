import type { ShareMode } from '../db/queries/vms/console-shares.ts';
import type { Clock } from '../platform/clock.ts';
import { BEHIND_MS, HIGH_WATER_BYTES } from './limits.ts';
import type { ConsoleSession } from './session.ts';

/**
 * A viewer of a shared shell. At most {@link HIGH_WATER_BYTES} are buffered for it: a viewer whose buffer is full is
 * behind, and gets nothing until the buffer is empty and then the current screen.
 */
export class ShareViewer {
  readonly session: ConsoleSession;
  readonly mode: ShareMode;
  readonly #clock: Clock;
  readonly #onTaken: () => void;
  #behindSince: number | undefined;

  /** A viewer starts as behind. `onTaken` is called whenever sent data has been taken. */
  constructor(
    session: ConsoleSession,
    mode: ShareMode,
    clock: Clock,
    onTaken: (viewer: ShareViewer) => void,
  ) {
    this.session = session;
    this.mode = mode;
    this.#clock = clock;
    this.#onTaken = () => onTaken(this);
    this.#fallBehind();
  }

  get isBehind(): boolean {
    return this.#behindSince !== undefined;
  }

  /** True if the viewer is behind and has room for the current screen. */
  get awaitsPicture(): boolean {
    return this.isBehind && this.session.ws.bufferedAmount === 0 && this.session.state === 'open';
  }

  /** Ends the session if the viewer has been behind for too long. */
  check(): void {
    const isLost = this.#behindSince !== undefined && this.#now - this.#behindSince >= BEHIND_MS;
    if (!isLost) return;
    this.session.end('unresponsive');
    this.session.cut();
  }

  /** Shows the whole screen, including everything missed. */
  hand(picture: Buffer): void {
    this.#behindSince = undefined;
    this.#send(picture);
  }

  /** Sends further data, unless the viewer is behind. Strings are messages about the shell, bytes are its output. */
  send(data: Buffer | string): void {
    if (!this.isBehind && this.session.state === 'open') this.#send(data);
  }

  get #now(): number {
    return this.#clock.now().getTime();
  }

  #fallBehind(): void {
    this.#behindSince = this.#now;
  }

  #send(data: Buffer | string): void {
    const { ws } = this.session;
    if (ws.bufferedAmount + data.length > HIGH_WATER_BYTES) {
      this.#fallBehind();
      return;
    }
    if (typeof data !== 'string') this.session.count('out', data.length);
    ws.send(data, { binary: typeof data !== 'string' }, this.#onTaken);
  }
}
