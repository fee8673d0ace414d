import type { Frame, Look, Rectangle, Screen } from '../rfb/screen.ts';
import { Keyboard } from './keyboard.ts';
import { HEIGHT, type Picture, WIDTH } from './picture.ts';

const SIZE = { width: WIDTH, height: HEIGHT };
const EVERYTHING: Rectangle = { x: 0, y: 0, ...SIZE };

/** A text console, as its viewers need it. */
export interface TextConsole {
  /** What viewers call it. */
  readonly name: string;
  /** Whether the program that runs in it wants the arrow keys as an application does. */
  readonly applicationCursorKeys: boolean;
  picture(): Picture;
  /** Takes what a terminal's keyboard sends. */
  type(text: string): void;
  /** Calls `changed` whenever the picture may have changed, until the returned function is called. */
  watch(changed: () => void): () => void;
  /** Does the work of one update when its turn has come, so that no console takes all the time there is. */
  draw<T>(work: () => T): Promise<T>;
}

/** A text console as a screen that is shown by RFB. */
export function textScreen(console: TextConsole): Screen {
  return {
    name: console.name,
    look: (changed) => new TextLook(console, changed),
    draw: (work) => console.draw(work),
  };
}

class TextLook implements Look {
  readonly size = SIZE;
  readonly #console: TextConsole;
  readonly #keyboard = new Keyboard();
  readonly #unwatch: () => void;
  #shown: Picture | undefined;

  constructor(console: TextConsole, changed: () => void) {
    this.#console = console;
    this.#unwatch = console.watch(changed);
  }

  frame(all: boolean): Frame | undefined {
    const picture = this.#console.picture();
    const areas = all || !this.#shown ? [EVERYTHING] : picture.changesSince(this.#shown);
    if (areas.length === 0) return undefined;
    this.#shown = picture;
    return { areas, pixels: (area) => picture.pixels(area) };
  }

  key(keysym: number, isDown: boolean): void {
    const { applicationCursorKeys } = this.#console;
    this.#console.type(this.#keyboard.press(keysym, isDown, { applicationCursorKeys }));
  }

  pointer(): void {}

  end(): void {
    this.#unwatch();
  }
}
