import type { SerializeAddon as Serializer } from '@xterm/addon-serialize';
import serializeAddon from '@xterm/addon-serialize';
import headless, { type ITerminalAddon } from '@xterm/headless';
import type { ShareMode } from '../db/queries/console-shares.ts';
import type { VmRow } from '../db/queries/vms.ts';
import type { Services } from '../services.ts';
import type { CloseReason } from './close-reasons.ts';
import { connectFailure } from './connect-failure.ts';
import {
  DEFAULT_COLS,
  DEFAULT_ROWS,
  HIGH_WATER_BYTES,
  LOW_WATER_BYTES,
  SHARED_SCROLLBACK_LINES,
} from './limits.ts';
import { parseResize } from './messages.ts';
import { defaultUser } from './ops-session.ts';
import type { ConsoleSession } from './session.ts';
import { openTerminal, type Terminal, type TerminalSize } from './terminal.ts';

interface Viewer {
  session: ConsoleSession;
  mode: ShareMode;
  /** Too slow for what the guest prints: gets nothing until its socket is empty, then the screen as it is by then. */
  behind: boolean;
}

/** Clears whatever a terminal shows: what follows is the whole screen. */
const RESET = '\x1bc';

/**
 * One shell that all viewers of a share see. The service keeps its screen as a terminal would, so that a late
 * viewer, or one that fell behind, is shown what the others see. Nobody slows the others down.
 */
export class ShareRoom {
  readonly #screen: headless.Terminal;
  readonly #serializer: Serializer;
  readonly #viewers = new Set<Viewer>();
  readonly #over = new AbortController();
  readonly #services: Services;
  #terminal: Terminal | undefined;
  #emptySince: number | undefined;
  /** Bytes that the screen has yet to take in. */
  #unread = 0;

  constructor(services: Services, vm: VmRow) {
    this.#services = services;
    const size = { cols: DEFAULT_COLS, rows: DEFAULT_ROWS };
    this.#screen = new headless.Terminal({
      ...size,
      scrollback: SHARED_SCROLLBACK_LINES,
      allowProposedApi: true,
    });
    this.#serializer = new serializeAddon.SerializeAddon();
    // Its types name the terminal of the browser; of what both have it uses no more.
    this.#screen.loadAddon(this.#serializer as unknown as ITerminalAddon);
    this.#emptySince = services.clock.now().getTime();
    void this.#connect(vm, size);
  }

  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** For how long nobody has been looking, in milliseconds. */
  emptyFor(now: number): number {
    return this.#emptySince === undefined ? 0 : now - this.#emptySince;
  }

  /** Shows a viewer the screen so far and everything that follows. */
  join(session: ConsoleSession, mode: ShareMode): void {
    const viewer: Viewer = { session, mode, behind: true };
    session.ws.on('message', (data: Buffer, isBinary) => {
      if (session.state === 'open') this.#receive(viewer, data, isBinary);
    });
    session.signal.addEventListener('abort', () => this.#leave(viewer), { once: true });
    if (session.signal.aborted) return;
    this.#viewers.add(viewer);
    this.#emptySince = undefined;
    session.open();
    this.#tell();
    this.#catchUp(viewer);
  }

  end(reason: CloseReason): void {
    if (this.isOver) return;
    this.#over.abort();
    for (const { session } of this.#viewers) session.end(reason);
    this.#screen.dispose();
  }

  async #connect(vm: VmRow, size: TerminalSize): Promise<void> {
    try {
      const username = defaultUser(this.#services, vm);
      this.#terminal = await openTerminal(this.#services, vm, {
        ...size,
        username,
        signal: this.#over.signal,
      });
    } catch (error) {
      this.end(connectFailure(this.#services, vm, error));
      return;
    }
    const { stream, resize } = this.#terminal;
    stream.on('data', (chunk: Buffer) => this.#print(chunk));
    stream.once('close', () => this.end('guest_ended'));
    stream.on('error', () => this.end('guest_ended'));
    const { cols, rows } = this.#screen;
    if (cols !== size.cols || rows !== size.rows) resize({ cols, rows });
  }

  /** The screen first, then the viewers: a picture of the screen holds exactly what they were sent. */
  #print(chunk: Buffer): void {
    const stream = this.#terminal!.stream;
    this.#unread += chunk.length;
    if (this.#unread > HIGH_WATER_BYTES) stream.pause();
    this.#screen.write(chunk, () => {
      this.#unread -= chunk.length;
      if (stream.isPaused() && this.#unread <= LOW_WATER_BYTES) stream.resume();
      for (const viewer of this.#viewers) this.#show(viewer, chunk);
    });
  }

  #show(viewer: Viewer, chunk: Buffer): void {
    if (viewer.behind) return;
    const { ws } = viewer.session;
    viewer.session.count('out', chunk.length);
    ws.send(chunk, { binary: true }, () => {
      if (viewer.behind && ws.bufferedAmount === 0) this.#catchUp(viewer);
    });
    viewer.behind = ws.bufferedAmount > HIGH_WATER_BYTES;
  }

  /** Sends the screen as it is once all that was printed before is on it. */
  #catchUp(viewer: Viewer): void {
    this.#screen.write('', () => {
      if (!viewer.behind || viewer.session.state !== 'open' || this.isOver) return;
      const picture = Buffer.from(RESET + this.#serializer.serialize());
      viewer.behind = false;
      viewer.session.count('out', picture.length);
      viewer.session.ws.send(picture, { binary: true });
    });
  }

  #receive({ session, mode }: Viewer, data: Buffer, isBinary: boolean): void {
    const size = isBinary ? undefined : parseResize(data.toString());
    if (!isBinary && !size) session.end('unexpected_message');
    // Whatever a page sends, who may only read changes nothing.
    if (mode === 'read_only' || session.state !== 'open') return;
    if (size) this.#resize(size);
    else this.#type(session, data);
  }

  #type(session: ConsoleSession, data: Buffer): void {
    const stream = this.#terminal?.stream;
    if (!stream) return;
    session.count('in', data.length);
    if (stream.write(data)) return;
    session.ws.pause();
    stream.once('drain', () => session.ws.resume());
  }

  /** One shell has one size: the last one asked for. */
  #resize(size: TerminalSize): void {
    if (size.cols === this.#screen.cols && size.rows === this.#screen.rows) return;
    this.#screen.resize(size.cols, size.rows);
    this.#terminal?.resize(size);
    this.#tell();
  }

  #leave(viewer: Viewer): void {
    if (!this.#viewers.delete(viewer)) return;
    const { reason } = viewer.session;
    if (this.#viewers.size > 0) this.#tell();
    // Nobody can come back.
    else if (reason === 'access_ended' || reason === 'vm_off') this.end(reason);
    else this.#emptySince = this.#services.clock.now().getTime();
  }

  /** Tells every viewer the size of the screen, how many look at it, and what this one may do. */
  #tell(): void {
    const { cols, rows } = this.#screen;
    for (const { session, mode } of this.#viewers) {
      if (session.state !== 'open') continue;
      session.ws.send(JSON.stringify({ type: 'state', cols, rows, mode, viewers: this.#viewers.size }));
    }
  }
}
