// The numbers of the SPICE protocol that are used here, named as in spice-protocol's enums.h.

/** Kinds of channels, each a separate connection. */
export const CHANNEL = { main: 1, display: 2, inputs: 3 } as const;

/** Capability bits for any channel: selection of the authentication, authentication by ticket, and short headers. */
export const COMMON_CAPABILITIES = (1 << 0) | (1 << 1) | (1 << 3);
/** Capability bits of a client for each channel. For the display: choosing the compression of pictures. */
export const CAPABILITIES: Record<number, number> = { [CHANNEL.display]: 1 << 6 };

/** Messages of any channel, from the server and to it. */
export const COMMON = { setAck: 3, ping: 4, notify: 7 } as const;
export const TO_COMMON = { ackSync: 1, ack: 2, pong: 3 } as const;

export const MAIN = { init: 103, mouseMode: 105 } as const;
export const TO_MAIN = { mouseMode: 105 } as const;
/** The side that draws the pointer: the server moves it in steps, or the client sets its position. */
export const MOUSE_MODE = { server: 1, client: 2 } as const;

export const INPUTS = { init: 101, modifiers: 102, motionAck: 111 } as const;
export const TO_INPUTS = {
  keyDown: 101,
  keyUp: 102,
  motion: 111,
  position: 112,
  press: 113,
  release: 114,
} as const;

export const DISPLAY = {
  mark: 102,
  reset: 103,
  copyBits: 104,
  invalidateList: 105,
  invalidatePixmaps: 106,
  invalidatePalette: 107,
  invalidatePalettes: 108,
  fill: 302,
  copy: 304,
  blackness: 306,
  whiteness: 307,
  surfaceCreate: 314,
  surfaceDestroy: 315,
} as const;
export const TO_DISPLAY = { init: 101, preferredCompression: 103 } as const;
export const COMPRESSION_OFF = 1;

/** A drawing replaces what was there. */
export const ROP_PUT = 8;
export const BRUSH_SOLID = 1;
export const CLIP = { none: 0, rectangles: 1 } as const;
export const IMAGE_BITMAP = 0;
/** Bitmap formats: four bytes per pixel, blue first, the last one unused or the opacity. */
export const BITMAP_32 = 8;
export const BITMAP_RGBA = 9;
export const BITMAP_PALETTE_CACHED = 2;
export const BITMAP_TOP_DOWN = 4;
/** Surface formats, like those of bitmaps. */
export const SURFACE_32 = 32;
export const SURFACE_ARGB = 96;
