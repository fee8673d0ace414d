import { MAX_TERMINAL_SIDE } from './limits.ts';
import type { TerminalSize } from './terminal.ts';

const isSide = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_TERMINAL_SIDE;

/** The size in a `{"type":"resize","cols":…,"rows":…}`; undefined when the text is anything else. */
export function parseResize(text: string): TerminalSize | undefined {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { type, cols, rows } = (message ?? {}) as Record<string, unknown>;
  return type === 'resize' && isSide(cols) && isSide(rows) ? { cols, rows } : undefined;
}
