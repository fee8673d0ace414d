import type { Frame, Look, Rectangle, Screen } from '../rfb/screen.ts';
import { Keyboard } from './keyboard.ts';
import { HEIGHT, type Picture, WIDTH } from './picture.ts';

const SIZE = { width: WIDTH, height: HEIGHT };
const EVERYTHING: Rectangle = { x: 0, y: 0, ...SIZE };

export interface TextConsole {
  /** The name shown to viewers. */
  readonly name: string;
  /** True if the running program has requested application mode for the cursor keys. */
  readonly applicationCursorKeys: boolean;
  picture(): Picture;
  /** Accepts what a terminal's keyboard sends. */
  type(text: string): void;
  /** Calls `changed` whenever the picture may have changed, until the returned function is called. */
  watch(changed: () => void): () => void;
  /** Does the work of one update when its turn comes, so that no console uses all the time. */
  draw<T>(work: () => T): Promise<T>;
}

/** Presents a text console as a screen for RFB viewers. */
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
