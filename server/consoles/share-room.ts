import type { ShareMode } from '../db/queries/vms/console-shares.ts';
import type { VmRow } from '../db/queries/vms/vms.ts';
import { defaultUser } from '../guest-ssh/connect.ts';
import { Allowance } from './allowance.ts';
import type { CloseReason } from './close-reasons.ts';
import { connectFailure } from './connect.ts';
import type { ConsoleServices } from './console-services.ts';
import { guestEnd } from './guest-end.ts';
import {
  DEFAULT_COLS,
  DEFAULT_ROWS,
  EMPTY_ROOM_MS,
  HIGH_WATER_BYTES,
  LOW_WATER_BYTES,
  PICTURE_MS,
  PICTURES_IN_HAND_MS,
} from './limits.ts';
import { parseResize, sharedSize } from './messages.ts';
import { OutputPacer } from './output-pacer.ts';
import { Resizer } from './resizer.ts';
import type { ConsoleSession } from './session.ts';
import { ShareViewer } from './share-viewer.ts';
import type { Screen, Screens } from './shared-screens/screens.ts';
import { openTerminal, type Terminal, type TerminalSize } from './terminal.ts';

/**
 * One shell that all viewers of a share see. Its screen is kept as a terminal would keep it, so that a viewer who is
 * late or fell behind gets the same picture as the others. No viewer slows down the others. Its output and the number
 * of drawings are bounded, regardless of the number of viewers.
 */
export class ShareRoom {
  readonly accountId: string;
  readonly #screen: Screen;
  readonly #viewers = new Set<ShareViewer>();
  readonly #over = new AbortController();
  readonly #services: ConsoleServices;
  readonly #resizer: Resizer;
  readonly #pacer: OutputPacer;
  readonly #drawings: Allowance;
  #size: TerminalSize = { cols: DEFAULT_COLS, rows: DEFAULT_ROWS };
  #terminal: Terminal | undefined;
  #emptySince: number | undefined;
  /** Output that was sent but is not on the screen yet. */
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  /** Number of changes to the screen, through output or a new size. */
  #changes = 0;
  /** The screen's size when a drawing was last requested; undefined while none is in progress. */
  #drawing: TerminalSize | undefined;
  /** True after so many drawings that the next one must wait. */
  #rests = false;
  #picture: { bytes: Buffer; changes: number } | undefined;

  constructor(services: ConsoleServices, vm: VmRow, screens: Screens) {
    this.#services = services;
    this.accountId = vm.account_id;
    this.#screen = screens.open(this.#size, {
      written: () => this.#written(),
      picture: (bytes) => this.#drawn(bytes),
      lost: () => this.end('screen_lost'),
    });
    this.#resizer = new Resizer(services.clock, this.#over.signal, (size) => this.#resize(size));
    this.#pacer = new OutputPacer(services.clock, this.#over.signal, {
      readers: () => [...this.#viewers].filter(({ isBehind }) => !isBehind).length,
      send: (piece) => this.#print(piece),
    });
    this.#drawings = new Allowance(services.clock, PICTURES_IN_HAND_MS);
    this.#emptySince = this.#now;
    void this.#connect(vm, this.#size);
  }

  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  get #now(): number {
    return this.#services.clock.now().getTime();
  }

  /** Ends the room after too long without viewers, and drops viewers that do not read. Called every few seconds. */
  check(): void {
    const since = this.#emptySince;
    if (since !== undefined && this.#now - since >= EMPTY_ROOM_MS) this.end('idle');
    for (const viewer of this.#viewers) viewer.check();
  }

  /** Shows a viewer the screen so far and everything that follows. */
  join(session: ConsoleSession, mode: ShareMode): void {
    const viewer = new ShareViewer(session, mode, this.#services.clock, (one) => this.#catchUp(one));
    session.ws.on('message', (data: Buffer, isBinary) => {
      if (session.state === 'open') this.#receive(viewer, data, isBinary);
    });
    session.signal.addEventListener('abort', () => this.#leave(viewer), { once: true });
    if (session.signal.aborted) return;
    this.#viewers.add(viewer);
    this.#emptySince = undefined;
    session.open();
    this.#tellAll();
    this.#catchUp(viewer);
  }

  end(reason: CloseReason): void {
    if (this.isOver) return;
    this.#over.abort();
    for (const { session } of this.#viewers) session.end(reason);
    this.#screen.close();
    this.#unread = [];
  }

  async #connect(vm: VmRow, size: TerminalSize): Promise<void> {
    try {
      const username = defaultUser(this.#services, vm);
      const { signal } = this.#over;
      this.#terminal = await openTerminal(this.#services, vm, { ...size, username, signal });
    } catch (error) {
      this.end(connectFailure(this.#services, vm, error));
      return;
    }
    const { stream, resize } = this.#terminal;
    stream.on('data', (chunk: Buffer) => {
      this.#pacer.push(chunk);
      this.#flow();
    });
    stream.on('error', () => {});
    stream.once('close', async () => {
      await this.#pacer.settled();
      this.end(await guestEnd(this.#services, { kind: 'share', vm }));
    });
    if (this.#size !== size) resize(this.#size);
  }

  #print(piece: Buffer): void {
    this.#changes++;
    this.#unread.push(piece);
    this.#unreadBytes += piece.length;
    this.#screen.write(piece);
    for (const viewer of this.#viewers) viewer.send(piece);
    this.#flow();
  }

  #written(): void {
    this.#unreadBytes -= this.#unread.shift()!.length;
    this.#flow();
  }

  /** Reads from the guest only while its output has somewhere to go. */
  #flow(): void {
    const { stream } = this.#terminal!;
    if (this.#pacer.isFull || this.#unreadBytes > HIGH_WATER_BYTES) stream.pause();
    else if (stream.isPaused() && this.#unreadBytes <= LOW_WATER_BYTES) stream.resume();
  }

  /** Shows the current screen to a viewer that is behind, once its buffer is empty. */
  #catchUp(viewer: ShareViewer): void {
    if (!viewer.awaitsPicture) return;
    if (this.#picture?.changes === this.#changes) this.#hand(viewer, this.#picture.bytes, []);
    else this.#draw();
  }

  /** Draws the screen once for all who wait for it, now or as soon as it may be drawn again. */
  #draw(): void {
    if (this.#drawing || this.#rests || this.isOver) return;
    this.#drawing = this.#size;
    this.#services.metrics.sharePictureDrawn();
    this.#screen.draw();
    const wait = this.#drawings.spend(PICTURE_MS);
    if (wait > 0) void this.#rest(wait);
  }

  async #rest(ms: number): Promise<void> {
    this.#rests = true;
    await this.#services.clock.sleep(ms, this.#over.signal).catch(() => {});
    this.#rests = false;
    for (const viewer of this.#viewers) this.#catchUp(viewer);
  }

  /** `#unread` is the output that is not on the picture. */
  #drawn(bytes: Buffer): void {
    const size = this.#drawing;
    this.#drawing = undefined;
    if (size !== this.#size) {
      // Lines of a different width would wrap in other places.
      this.#draw();
      return;
    }
    const since = [...this.#unread];
    this.#picture = { bytes, changes: this.#changes - since.length };
    for (const viewer of this.#viewers) if (viewer.awaitsPicture) this.#hand(viewer, bytes, since);
  }

  #hand(viewer: ShareViewer, picture: Buffer, since: Buffer[]): void {
    // The viewer's buffer is empty, so there is room for the message with the picture's size.
    viewer.session.ws.send(this.#state(viewer));
    viewer.hand(picture);
    for (const piece of since) viewer.send(piece);
  }

  #receive({ session, mode }: ShareViewer, data: Buffer, isBinary: boolean): void {
    const size = isBinary ? undefined : parseResize(data.toString());
    if (!isBinary && !size) session.end('unexpected_message');
    // Whatever the page sends, a read-only viewer changes nothing.
    if (mode === 'read_only' || session.state !== 'open') return;
    if (size) this.#resizer.ask(sharedSize(size));
    else this.#type(session, data);
  }

  #type(session: ConsoleSession, data: Buffer): void {
    const stream = this.#terminal?.stream;
    if (!stream) return;
    session.count('in', data.length);
    if (stream.write(data)) return;
    session.hold('guest');
    stream.once('drain', () => session.release('guest'));
  }

  /** One shell has one size: the last one requested. */
  #resize(size: TerminalSize): void {
    this.#size = size;
    this.#changes++;
    this.#services.metrics.shareResized();
    this.#screen.resize(size);
    this.#terminal?.resize(size);
    this.#tellAll();
  }

  #leave(viewer: ShareViewer): void {
    if (!this.#viewers.delete(viewer)) return;
    const { reason } = viewer.session;
    if (this.#viewers.size > 0) this.#tellAll();
    // No viewer can return.
    else if (reason === 'access_ended' || reason === 'vm_off') this.end(reason);
    else this.#emptySince = this.#now;
  }

  #tellAll(): void {
    for (const viewer of this.#viewers) viewer.send(this.#state(viewer));
  }

  /** Returns a viewer's status: the size of the screen, the number of viewers, and what this one may do. */
  #state({ mode }: ShareViewer): string {
    return JSON.stringify({ type: 'state', ...this.#size, mode, viewers: this.#viewers.size });
  }
}
