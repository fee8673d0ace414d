import { CELL_HEIGHT, CELL_WIDTH } from './cell.ts';

/**
 * Lines and blocks, which menus and installers use. The font has none, and they must meet at the edges of cells, so
 * they are drawn.
 */

/** Positions of the lines in a cell: a single one, and the two of a double one. */
const ACROSS = { single: [7], double: [6, 9] };
const DOWN = { single: [3], double: [2, 5] };

/** The arms that meet in each character: up, right, down, left. Heavy ones are drawn as single ones. */
const ARMS: Record<string, string> = {
  '─━╌┄┈╍┅┉': '0101',
  '│┃╎┆┊╏┇┋': '1010',
  '┌┍┎┏╭': '0110',
  '┐┑┒┓╮': '0011',
  '└┕┖┗╰': '1100',
  '┘┙┚┛╯': '1001',
  '├┝┠┣': '1110',
  '┤┥┨┫': '1011',
  '┬┯┰┳': '0111',
  '┴┷┸┻': '1101',
  '┼┿╂╋': '1111',
  '╴╸': '0001',
  '╵╹': '1000',
  '╶╺': '0100',
  '╷╻': '0010',
  '═': '0202',
  '║': '2020',
  '╔': '0220',
  '╗': '0022',
  '╚': '2200',
  '╝': '2002',
  '╠': '2220',
  '╣': '2022',
  '╦': '0222',
  '╩': '2202',
  '╬': '2222',
  '╒': '0210',
  '╓': '0120',
  '╕': '0012',
  '╖': '0021',
  '╘': '1200',
  '╙': '2100',
  '╛': '1002',
  '╜': '2001',
  '╞': '1210',
  '╟': '2120',
  '╡': '1012',
  '╢': '2021',
  '╤': '0212',
  '╥': '0121',
  '╧': '1202',
  '╨': '2101',
  '╪': '1212',
  '╫': '2121',
};

type IsLit = (x: number, y: number) => boolean;

const half = { x: CELL_WIDTH / 2, y: CELL_HEIGHT / 2 };
const eighths = (y: number) => ((CELL_HEIGHT - y) * 8) / CELL_HEIGHT;

/** Blocks, by the part of a cell that they fill. */
const BLOCKS: Record<string, IsLit> = {
  '█': () => true,
  '▀': (_, y) => y < half.y,
  '▄': (_, y) => y >= half.y,
  '▌': (x) => x < half.x,
  '▐': (x) => x >= half.x,
  '░': (x, y) => (x + 2 * y) % 4 === 0,
  '▒': (x, y) => (x + y) % 2 === 0,
  '▓': (x, y) => (x + 2 * y) % 4 !== 0,
  '▁': (_, y) => eighths(y) <= 1,
  '▂': (_, y) => eighths(y) <= 2,
  '▃': (_, y) => eighths(y) <= 3,
  '▅': (_, y) => eighths(y) <= 5,
  '▆': (_, y) => eighths(y) <= 6,
  '▇': (_, y) => eighths(y) <= 7,
  '■': (x, y) => x >= 1 && x < 7 && y >= 5 && y < 11,
  '◆': (x, y) => Math.abs(x - 3.5) + Math.abs(y - 7.5) / 1.5 < 4,
  '•': (x, y) => x >= 2 && x < 6 && y >= 6 && y < 10,
};

function rowsWhere(isLit: IsLit): Uint8Array {
  return Uint8Array.from({ length: CELL_HEIGHT }, (_, y) => {
    let bits = 0;
    for (let x = 0; x < CELL_WIDTH; x++) bits = (bits << 1) | Number(isLit(x, y));
    return bits;
  });
}

/** Returns which pixels an arm of one or two lines covers: each of its lines reaches from the edge to the middle. */
function armed(arms: string): IsLit {
  const [up, right, down, left] = [...arms].map(Number) as [number, number, number, number];
  const columns = (count: number) => (count === 2 ? DOWN.double : count === 1 ? DOWN.single : []);
  const lines = (count: number) => (count === 2 ? ACROSS.double : count === 1 ? ACROSS.single : []);
  // An arm ends at the farther one of the lines that cross it, so that corners are closed.
  const farRight = Math.max(...columns(Math.max(up, down)), 3);
  const farDown = Math.max(...lines(Math.max(left, right)), 7);
  const nearRight = Math.min(...columns(Math.max(up, down)), 3);
  const nearDown = Math.min(...lines(Math.max(left, right)), 7);
  return (x, y) =>
    (columns(up).includes(x) && y <= farDown) ||
    (columns(down).includes(x) && y >= nearDown) ||
    (lines(left).includes(y) && x <= farRight) ||
    (lines(right).includes(y) && x >= nearRight);
}

/** The pixels of each drawn character's cell, one byte per row. */
export const DRAWN: ReadonlyMap<string, Uint8Array> = new Map([
  ...Object.entries(ARMS).flatMap(([characters, arms]) =>
    [...characters].map((character) => [character, rowsWhere(armed(arms))] as const),
  ),
  ...Object.entries(BLOCKS).map(([character, isLit]) => [character, rowsWhere(isLit)] as const),
]);
