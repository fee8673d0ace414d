import type { Duplex } from 'node:stream';
import { Channel } from './channel.ts';
import { paint } from './drawing.ts';
import { type Framebuffer, MAX_SIZE } from './framebuffer.ts';
import { Inputs } from './inputs.ts';
import { CHANNEL, COMPRESSION_OFF, MAIN, MOUSE_MODE, TO_DISPLAY, TO_MAIN } from './protocol.ts';

export interface SpiceConnections {
  main: Duplex;
  display: Duplex;
  inputs: Duplex;
}

/** The server measures the connection's speed with pings of 250 KB. */
const MAX_MAIN_MESSAGE = 524_288;
/** The largest picture in one message, with its description. */
const MAX_DISPLAY_MESSAGE = MAX_SIZE.width * MAX_SIZE.height * 4 + 65_536;
const MAX_INPUTS_MESSAGE = 4_096;

export interface SpiceParts {
  connections: SpiceConnections;
  picture: Framebuffer;
  /** Does a piece of work when its turn comes. */
  work(piece: () => void): Promise<void>;
}

/** A client of one SPICE server: it keeps a picture of the server's screen and sends input. */
export class SpiceSession {
  readonly #parts: SpiceParts;
  #inputs: Inputs | undefined;
  #mouseMode: number = MOUSE_MODE.server;

  constructor(parts: SpiceParts) {
    this.#parts = parts;
    for (const stream of this.#streams()) stream.on('error', () => {});
  }

  /** Undefined before the inputs channel is open. */
  get inputs(): Inputs | undefined {
    return this.#inputs;
  }

  /** Runs until the session ends. Returns why it failed, or undefined if the connections have ended. */
  async run(): Promise<string | undefined> {
    const streams = this.#streams();
    try {
      await this.#all();
    } catch (error) {
      const isGone = streams.some((stream) => stream.destroyed || stream.readableEnded);
      return isGone ? undefined : (error as Error).message;
    } finally {
      for (const stream of streams) stream.destroy();
    }
  }

  async #all(): Promise<never> {
    const options = { type: CHANNEL.main, session: 0, maxMessage: MAX_MAIN_MESSAGE };
    const main = await Channel.open(this.#parts.connections.main, options);
    const session = await this.#begin(main);
    return Promise.race([this.#main(main), this.#display(session), this.#type(session)]);
  }

  #streams(): Duplex[] {
    const { main, display, inputs } = this.#parts.connections;
    return [main, display, inputs];
  }

  /** Returns the id of the session that the server creates. */
  async #begin(main: Channel): Promise<number> {
    for (;;) {
      const { type, body } = await main.next();
      if (type !== MAIN.init) continue;
      this.#mouse(main, body.readUInt32LE(8), body.readUInt32LE(12));
      return body.readUInt32LE(0);
    }
  }

  async #main(main: Channel): Promise<never> {
    for (;;) {
      const { type, body } = await main.next();
      if (type === MAIN.mouseMode) this.#mouse(main, body.readUInt16LE(0), body.readUInt16LE(2));
    }
  }

  /**
   * Asks for absolute pointer positions if the guest has a tablet, so that the pointer is where the viewer has it.
   */
  #mouse(main: Channel, supported: number, current: number): void {
    this.#mouseMode = current;
    this.#inputs?.mode(current);
    if (current === MOUSE_MODE.client || (supported & MOUSE_MODE.client) === 0) return;
    const wanted = Buffer.alloc(2);
    wanted.writeUInt16LE(MOUSE_MODE.client, 0);
    main.send(TO_MAIN.mouseMode, wanted);
  }

  async #display(session: number): Promise<never> {
    const { connections, picture, work } = this.#parts;
    const options = { type: CHANNEL.display, session, maxMessage: MAX_DISPLAY_MESSAGE };
    const display = await Channel.open(connections.display, options);
    // Before the first picture: uncompressed pixels cost no more to read than to copy.
    display.send(TO_DISPLAY.preferredCompression, Buffer.of(COMPRESSION_OFF));
    // Caches of size zero, in which the server keeps nothing.
    display.send(TO_DISPLAY.init, Buffer.alloc(14));
    for (;;) {
      const message = await display.next();
      await work(() => paint(picture, message));
      picture.show();
    }
  }

  async #type(session: number): Promise<never> {
    const { connections } = this.#parts;
    const options = { type: CHANNEL.inputs, session, maxMessage: MAX_INPUTS_MESSAGE };
    const channel = await Channel.open(connections.inputs, options);
    const inputs = new Inputs(channel, this.#parts.picture);
    inputs.mode(this.#mouseMode);
    this.#inputs = inputs;
    for (;;) inputs.hear(await channel.next());
  }
}
