import type { ShareMode } from '../db/queries/console-shares.ts';
import type { Clock } from '../platform/clock.ts';
import { BEHIND_MS, HIGH_WATER_BYTES } from './limits.ts';
import type { ConsoleSession } from './session.ts';

/**
 * One who looks at a shared shell. It is sent no more than {@link HIGH_WATER_BYTES} that it has not taken: where there
 * is no room it is behind, and gets nothing until its buffer is empty, and then the screen as it is by then.
 */
export class ShareViewer {
  readonly session: ConsoleSession;
  readonly mode: ShareMode;
  readonly #clock: Clock;
  readonly #onTaken: () => void;
  #behindSince: number | undefined;

  /** Behind to begin with. `onTaken` is called whenever something that was sent has been taken. */
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

  /** Whether it is behind and has room for the screen as it is. */
  get awaitsPicture(): boolean {
    return this.isBehind && this.session.ws.bufferedAmount === 0 && this.session.state === 'open';
  }

  /** Ends the session of one that has been behind for too long. */
  check(): void {
    const isLost = this.#behindSince !== undefined && this.#now - this.#behindSince >= BEHIND_MS;
    if (!isLost) return;
    this.session.end('unresponsive');
    this.session.cut();
  }

  /** Shows the whole screen, and by that what was missed. */
  hand(picture: Buffer): void {
    this.#behindSince = undefined;
    this.#send(picture);
  }

  /** Sends what follows; nothing to one that is behind. Strings are messages about the shell, bytes are its output. */
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
