/** In pixels. */
export interface Size {
  width: number;
  height: number;
}

/** In pixels, from the top left corner of the screen. */
export interface Rectangle extends Size {
  x: number;
  y: number;
}

/** The changes for one viewer, with their current content. */
export interface Frame {
  areas: Rectangle[];
  /** Returns the colours of a rectangle's pixels, 0xRRGGBB, line by line. */
  pixels(area: Rectangle): Uint32Array;
}

/** A screen as one viewer sees and uses it. */
export interface Look {
  readonly size: Size;
  /**
   * Returns what the viewer has not been shown yet, or the whole picture with `all`; undefined if there is nothing
   * new.
   */
  frame(all: boolean): Frame | undefined;
  key(keysym: number, isDown: boolean): void;
  /** `buttons` has a bit for each pressed button, in RFB's numbering. */
  pointer(x: number, y: number, buttons: number): void;
  /** Called when the viewer has left. */
  end(): void;
}

/** A screen for any number of viewers. */
export interface Screen {
  /** The name shown to viewers. */
  readonly name: string;
  /** Adds a viewer; `changed` is called whenever there may be something new to show. */
  look(changed: () => void): Look;
  /** Does the work of one update when its turn comes, so that no screen uses all the time. */
  draw<T>(work: () => T): Promise<T>;
}
