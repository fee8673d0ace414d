import { MAX_TERMINAL_SIDE, MAX_TEXT_BYTES, SHARED_SCREEN } from './limits.ts';
import type { TerminalSize } from './terminal.ts';

const isSide = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_TERMINAL_SIDE;

/** Parses the size in a `{"type":"resize","cols":…,"rows":…}` message; undefined for any other text. */
export function parseResize(text: string): TerminalSize | undefined {
  if (text.length > MAX_TEXT_BYTES) return undefined;
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { type, cols, rows } = (message ?? {}) as Record<string, unknown>;
  return type === 'resize' && isSide(cols) && isSide(rows) ? { cols, rows } : undefined;
}

/** Returns the permitted size of a shared screen that is nearest to the requested one. */
export function sharedSize({ cols, rows }: TerminalSize): TerminalSize {
  const { minCols, maxCols, minRows, maxRows } = SHARED_SCREEN;
  return {
    cols: Math.min(Math.max(cols, minCols), maxCols),
    rows: Math.min(Math.max(rows, minRows), maxRows),
  };
}
