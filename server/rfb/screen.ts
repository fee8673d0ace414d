/** Pixels. */
export interface Size {
  width: number;
  height: number;
}

/** Pixels, from the top left corner of the screen. */
export interface Rectangle extends Size {
  x: number;
  y: number;
}

/** What has changed for one viewer, and how it looks now. */
export interface Frame {
  areas: Rectangle[];
  /** The colours of a rectangle's pixels, 0xRRGGBB, line by line. */
  pixels(area: Rectangle): Uint32Array;
}

/** A screen as one viewer sees and uses it. */
export interface Look {
  readonly size: Size;
  /** What the viewer has not been shown yet, or with `all` the whole picture; undefined where there is nothing. */
  frame(all: boolean): Frame | undefined;
  key(keysym: number, isDown: boolean): void;
  /** `buttons`: a bit for each that is down, of RFB's numbering. */
  pointer(x: number, y: number, buttons: number): void;
  /** The viewer has gone. */
  end(): void;
}

/** What viewers look at. */
export interface Screen {
  /** What viewers call it. */
  readonly name: string;
  /** A viewer has come; `changed` is called whenever there may be something new to show. */
  look(changed: () => void): Look;
  /** Does the work of one update when its turn has come, so that no screen takes all the time there is. */
  draw<T>(work: () => T): Promise<T>;
}
