import type { Rectangle } from '../rfb/screen.ts';
import { Bitmap } from './bitmap.ts';
import type { Message } from './channel.ts';
import type { Framebuffer } from './framebuffer.ts';
import { BRUSH_SOLID, CLIP, DISPLAY, ROP_PUT, SURFACE_32, SURFACE_ARGB } from './protocol.ts';

/** The only surface without a QXL driver: what the guest shows. */
const PRIMARY = 0;
const WHITE = 0xffffff;
const BLACK = 0;
/**
 * Messages that change no pixel: that the picture is complete, and invalidations of caches, which are not used here.
 */
const NOTHING_TO_PAINT = new Set<number>([
  DISPLAY.mark,
  DISPLAY.invalidateList,
  DISPLAY.invalidatePixmaps,
  DISPLAY.invalidatePalette,
  DISPLAY.invalidatePalettes,
]);

/** The area of a drawing, and the offset of the rest of the message. */
interface Place {
  box: Rectangle;
  /** The parts of the box that are drawn. */
  parts: Rectangle[];
  rest: number;
}

/**
 * Applies a message of the display channel. It understands what QEMU sends for a plain framebuffer and throws for
 * anything else: an incomplete picture would look as good as a complete one.
 */
export function paint(picture: Framebuffer, { type, body }: Message): void {
  if (NOTHING_TO_PAINT.has(type)) return;
  if (type === DISPLAY.surfaceCreate) create(picture, body);
  else if (type === DISPLAY.reset) picture.fill(whole(picture), BLACK);
  else if (type === DISPLAY.surfaceDestroy) {
    if (body.readUInt32LE(0) === PRIMARY) picture.fill(whole(picture), BLACK);
  } else if (type === DISPLAY.copy) copy(picture, body);
  else if (type === DISPLAY.fill) fill(picture, body);
  else if (type === DISPLAY.copyBits) move(picture, body);
  else if (type === DISPLAY.blackness || type === DISPLAY.whiteness) {
    const { parts, rest } = placeOf(picture, body);
    refuseMask(body, rest);
    for (const part of parts) picture.fill(part, type === DISPLAY.blackness ? BLACK : WHITE);
  } else throw new Error(`an unsupported display message, ${type}`);
}

const whole = ({ size }: Framebuffer): Rectangle => ({ x: 0, y: 0, ...size });

function create(picture: Framebuffer, body: Buffer): void {
  const [surface, width, height, format] = [0, 4, 8, 12].map((at) => body.readUInt32LE(at));
  if (surface !== PRIMARY) throw new Error(`surface ${surface}`);
  if (format !== SURFACE_32 && format !== SURFACE_ARGB)
    throw new Error(`an unsupported surface format, ${format}`);
  picture.resize({ width: width!, height: height! });
}

function copy(picture: Framebuffer, body: Buffer): void {
  const { box, parts, rest } = placeOf(picture, body);
  const image = body.readUInt32LE(rest);
  const source = rectangleAt(body, rest + 4);
  refuseRop(body.readUInt16LE(rest + 20));
  // The byte before the mask is the scaling mode.
  refuseMask(body, rest + 23);
  if (source.width !== box.width || source.height !== box.height) throw new Error('a scaled image');
  const bitmap = new Bitmap(body, image);
  for (const part of parts) {
    const { width, height } = part;
    const from = { x: source.x + part.x - box.x, y: source.y + part.y - box.y, width, height };
    picture.paint(part, bitmap.lines(from));
  }
}

function fill(picture: Framebuffer, body: Buffer): void {
  const { parts, rest } = placeOf(picture, body);
  const brush = body.readUInt8(rest);
  if (brush !== BRUSH_SOLID) throw new Error(`an unsupported brush type, ${brush}`);
  const colour = body.readUInt32LE(rest + 1) & WHITE;
  refuseRop(body.readUInt16LE(rest + 5));
  refuseMask(body, rest + 7);
  for (const part of parts) picture.fill(part, colour);
}

function move(picture: Framebuffer, body: Buffer): void {
  const { box, parts, rest } = placeOf(picture, body);
  // A later part could copy pixels that an earlier part has overwritten.
  if (parts.length > 1) throw new Error('a move of several parts');
  const [x, y] = [body.readInt32LE(rest), body.readInt32LE(rest + 4)];
  for (const part of parts) {
    const from = { ...part, x: x + part.x - box.x, y: y + part.y - box.y };
    if (!isWithin(from, picture)) throw new Error('a move from outside the screen');
    picture.move(part, from);
  }
}

/** Parses the start of every drawing: its surface, its position, and the parts that are drawn. */
function placeOf(picture: Framebuffer, body: Buffer): Place {
  const surface = body.readUInt32LE(0);
  if (surface !== PRIMARY) throw new Error(`surface ${surface}`);
  const box = rectangleAt(body, 4);
  if (!isWithin(box, picture)) throw new Error('a drawing beyond the screen');
  const clip = body.readUInt8(20);
  if (clip === CLIP.none) return { box, parts: [box], rest: 21 };
  if (clip !== CLIP.rectangles) throw new Error(`an unsupported clip type, ${clip}`);
  const count = body.readUInt32LE(21);
  const rest = 25 + count * 16;
  if (rest > body.length) throw new Error('a truncated clip');
  const parts: Rectangle[] = [];
  for (let at = 25; at < rest; at += 16) {
    const part = common(box, rectangleAt(body, at));
    if (part) parts.push(part);
  }
  return { box, parts, rest };
}

/** SPICE has top, left, bottom and right. */
function rectangleAt(body: Buffer, at: number): Rectangle {
  const [top, left, bottom, right] = [0, 4, 8, 12].map((offset) => body.readInt32LE(at + offset));
  return { x: left!, y: top!, width: right! - left!, height: bottom! - top! };
}

function isWithin({ x, y, width, height }: Rectangle, { size }: Framebuffer): boolean {
  return x >= 0 && y >= 0 && width > 0 && height > 0 && x + width <= size.width && y + height <= size.height;
}

function common(one: Rectangle, other: Rectangle): Rectangle | undefined {
  const [x, y] = [Math.max(one.x, other.x), Math.max(one.y, other.y)];
  const width = Math.min(one.x + one.width, other.x + other.width) - x;
  const height = Math.min(one.y + one.height, other.y + other.height) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
}

function refuseRop(rop: number): void {
  if (rop !== ROP_PUT) throw new Error(`an unsupported raster operation, ${rop}`);
}

/** A mask consists of flags, a point, and the offset of its bitmap; 0 if there is none. */
function refuseMask(body: Buffer, at: number): void {
  if (body.readUInt32LE(at + 9) !== 0) throw new Error('a mask');
}
