/** The part of a long list that is drawn, with the room that the rest takes. */
export interface Window {
  first: number;
  /** Behind the last one that is drawn. */
  end: number;
  before: number;
  after: number;
}

/** More rows than are seen, so that a quick wheel meets no white. */
const OVERSCAN = 12;

/** Which rows are drawn when `height` pixels from `top` on are seen of `count` rows of the same height. */
export function windowOf(count: number, rowHeight: number, top: number, height: number): Window {
  const first = Math.max(0, Math.min(count, Math.floor(top / rowHeight) - OVERSCAN));
  const end = Math.max(first, Math.min(count, Math.ceil((top + height) / rowHeight) + OVERSCAN));
  return { first, end, before: first * rowHeight, after: (count - end) * rowHeight };
}
