/** The parts of the VNC protocol that the measurement needs. */

const WIDTH = 1920;
const HEIGHT = 1080;
const BYTES_A_PIXEL = 4;
const FRAMEBUFFER_UPDATE = 0;
const FRAMEBUFFER_UPDATE_REQUEST = 3;
export const REQUEST_BYTES = 10;

/** Returns a FramebufferUpdate with one rectangle of raw pixels. */
function update(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(16 + width * height * BYTES_A_PIXEL, 0x5a);
  bytes.writeUInt8(FRAMEBUFFER_UPDATE, 0);
  bytes.writeUInt16BE(1, 2);
  bytes.writeUInt16BE(0, 4);
  bytes.writeUInt16BE(0, 6);
  bytes.writeUInt16BE(width, 8);
  bytes.writeUInt16BE(height, 10);
  bytes.writeInt32BE(0, 12);
  return bytes;
}

/** The whole screen. */
export const FRAME = update(WIDTH, HEIGHT);
/** A typed letter. */
export const SMALL_UPDATE = update(8, 16);

/**
 * Returns a FramebufferUpdateRequest: an `incremental` one is answered with {@link SMALL_UPDATE}, any other with
 * {@link FRAME}.
 */
export function updateRequest(incremental: boolean): Buffer {
  const bytes = Buffer.alloc(REQUEST_BYTES);
  bytes.writeUInt8(FRAMEBUFFER_UPDATE_REQUEST, 0);
  bytes.writeUInt8(incremental ? 1 : 0, 1);
  bytes.writeUInt16BE(WIDTH, 6);
  bytes.writeUInt16BE(HEIGHT, 8);
  return bytes;
}
