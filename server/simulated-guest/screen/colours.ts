import type { IBufferCell } from '@xterm/headless';

/** The sixteen colours of a text console, 0xRRGGBB. */
const CONSOLE = [
  0x000000, 0xaa0000, 0x00aa00, 0xaa5500, 0x0000aa, 0xaa00aa, 0x00aaaa, 0xaaaaaa, 0x555555, 0xff5555,
  0x55ff55, 0xffff55, 0x5555ff, 0xff55ff, 0x55ffff, 0xffffff,
];
const FOREGROUND = 0xaaaaaa;
const BACKGROUND = 0x000000;

/** Colour `index` of the 256 that terminals have: sixteen, a cube of six steps, greys. */
function paletteColour(index: number): number {
  if (index < 16) return CONSOLE[index]!;
  if (index >= 232) return (8 + (index - 232) * 10) * 0x010101;
  const step = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  const at = index - 16;
  return (step(Math.floor(at / 36)) << 16) | (step(Math.floor(at / 6) % 6) << 8) | step(at % 6);
}

/** A cell's two colours, 0xRRGGBB. */
export function coloursOf(cell: IBufferCell): { foreground: number; background: number } {
  let foreground = FOREGROUND;
  let background = BACKGROUND;
  if (cell.isFgRGB()) foreground = cell.getFgColor();
  else if (cell.isFgPalette()) foreground = paletteColour(cell.getFgColor());
  if (cell.isBgRGB()) background = cell.getBgColor();
  else if (cell.isBgPalette()) background = paletteColour(cell.getBgColor());
  if (cell.isBold() && foreground === FOREGROUND) foreground = CONSOLE[15]!;
  return cell.isInverse() ? { foreground: background, background: foreground } : { foreground, background };
}
