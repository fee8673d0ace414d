// The numbers of the SPICE protocol that are used here, by their names in spice-protocol's enums.h.

/** Kinds of channels, each a connection of its own. */
export const CHANNEL = { main: 1, display: 2, inputs: 3 } as const;

/** Bits of what a peer is capable of on any channel: to choose how it authenticates, by a ticket, and short headers. */
export const COMMON_CAPABILITIES = (1 << 0) | (1 << 1) | (1 << 3);
/** Bits of what a client of each channel is capable of. On the display: to say how pictures are compressed. */
export const CAPABILITIES: Record<number, number> = { [CHANNEL.display]: 1 << 6 };

/** Messages of any channel, from the server and to it. */
export const COMMON = { setAck: 3, ping: 4, notify: 7 } as const;
export const TO_COMMON = { ackSync: 1, ack: 2, pong: 3 } as const;

export const MAIN = { init: 103, mouseMode: 105 } as const;
export const TO_MAIN = { mouseMode: 105 } as const;
/** Who draws the pointer: the server moves it by steps, or the client places it where it wants. */
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

/** What is drawn replaces what was there. */
export const ROP_PUT = 8;
export const BRUSH_SOLID = 1;
export const CLIP = { none: 0, rectangles: 1 } as const;
export const IMAGE_BITMAP = 0;
/** Of bitmaps: four bytes a pixel, blue first, the last of them unused or how opaque it is. */
export const BITMAP_32 = 8;
export const BITMAP_RGBA = 9;
export const BITMAP_PALETTE_CACHED = 2;
export const BITMAP_TOP_DOWN = 4;
/** Of surfaces: as of bitmaps. */
export const SURFACE_32 = 32;
export const SURFACE_ARGB = 96;
