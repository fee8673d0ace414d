import type { IBufferCell } from '@xterm/headless';

/** The sixteen colours of a text console, 0xRRGGBB. */
const CONSOLE = [
  0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa, 0x555555, 0xff5555,
  0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff,
];
const FOREGROUND = 7;
const BACKGROUND = 0;
/** Distance between a colour's index and that of its bright variant. */
const BRIGHT = 8;

/** Returns colour `index` of a terminal's 256: sixteen, a cube of six steps, greys. */
function paletteColour(index: number): number {
  if (index < 16) return CONSOLE[index]!;
  if (index >= 232) return (8 + (index - 232) * 10) * 0x010101;
  const step = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  const at = index - 16;
  return (step(Math.floor(at / 36)) << 16) | (step(Math.floor(at / 6) % 6) << 8) | step(at % 6);
}

/** Returns a cell's two colours, 0xRRGGBB. As on a text console, bold text is bright. */
export function coloursOf(cell: IBufferCell): { foreground: number; background: number } {
  const index = cell.isFgPalette() ? cell.getFgColor() : FOREGROUND;
  const isLifted = cell.isBold() !== 0 && index < BRIGHT;
  const ink = cell.isFgRGB() ? cell.getFgColor() : paletteColour(isLifted ? index + BRIGHT : index);
  const ground = cell.isBgRGB()
    ? cell.getBgColor()
    : paletteColour(cell.isBgPalette() ? cell.getBgColor() : BACKGROUND);
  const [foreground, background] = cell.isInverse() ? [ground, ink] : [ink, ground];
  return { foreground: cell.isInvisible() ? background : foreground, background };
}
