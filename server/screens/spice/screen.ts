import type { Look, Screen, Size } from '../rfb/screen.ts';
import { type Damage, Framebuffer } from './framebuffer.ts';
import type { Inputs } from './inputs.ts';
import { Keyboard } from './keyboard.ts';
import { type SpiceConnections, SpiceSession } from './session.ts';

export interface SpiceScreenParts {
  name: string;
  /** Do a piece of work when its turn comes: `paint` for the machine's output, `draw` for viewers. */
  paint<T>(work: () => T): Promise<T>;
  draw<T>(work: () => T): Promise<T>;
}

/** A machine's graphical screen for viewers. It persists between sessions with the SPICE server. */
export class SpiceScreen implements Screen {
  readonly name: string;
  readonly draw: Screen['draw'];
  readonly #parts: SpiceScreenParts;
  readonly #picture = new Framebuffer();
  readonly #painted = Promise.withResolvers<void>();
  #session: SpiceSession | undefined;

  constructor(parts: SpiceScreenParts) {
    this.#parts = parts;
    this.name = parts.name;
    this.draw = parts.draw;
  }

  /** Resolves when the machine has shown something in a size it has set. */
  get painted(): Promise<void> {
    return this.#painted.promise;
  }

  /** Shows the server's screen until the session ends. Returns why it failed, or undefined. */
  async attach(connections: SpiceConnections): Promise<string | undefined> {
    const session = new SpiceSession({
      connections,
      picture: this.#picture,
      work: async (piece) => {
        await this.#parts.paint(piece);
        // Earlier messages, for example about caches, do not set the size.
        if (this.#picture.isSized) this.#painted.resolve();
      },
    });
    this.#session = session;
    const reason = await session.run();
    if (this.#session === session) this.#session = undefined;
    return reason;
  }

  look(changed: () => void): Look {
    return new SpiceLook(this.#picture, () => this.#session?.inputs, changed);
  }
}

class SpiceLook implements Look {
  readonly #picture: Framebuffer;
  readonly #inputs: () => Inputs | undefined;
  readonly #damage: Damage;
  readonly #keyboard = new Keyboard();

  constructor(picture: Framebuffer, inputs: () => Inputs | undefined, changed: () => void) {
    this.#picture = picture;
    this.#inputs = inputs;
    this.#damage = picture.look(changed);
  }

  get size(): Size {
    return this.#picture.size;
  }

  frame(all: boolean) {
    return this.#damage.frame(all);
  }

  key(keysym: number, isDown: boolean): void {
    const inputs = this.#inputs();
    if (inputs) this.#keyboard.press(keysym, isDown, inputs);
  }

  pointer(x: number, y: number, buttons: number): void {
    this.#inputs()?.point(x, y, buttons);
  }

  end(): void {
    this.#damage.end();
    this.#keyboard.release(this.#inputs());
  }
}
