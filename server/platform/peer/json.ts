import { PeerError } from './peer-error.ts';

export interface JsonBounds {
  maxBytes: number;
  /** Nesting levels of lists and objects. */
  maxDepth: number;
  /**
   * Number of values in the text, not counting member names. A text of `[],[],…` takes thirty times its size in memory
   * and most of the time of a parse, so a bound on bytes limits neither.
   */
  maxValues: number;
}

/** Suits one protocol message. It parses in a few milliseconds. */
export const MESSAGE_BOUNDS: JsonBounds = { maxBytes: 4 * 1024 * 1024, maxDepth: 32, maxValues: 50_000 };

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Returns which bound a JSON text exceeds. Every value but the first follows a comma or begins its list or object, so
 * counting these outside of strings is enough.
 */
export function exceededBound(
  bytes: Uint8Array,
  { maxBytes, maxDepth, maxValues }: JsonBounds,
): keyof JsonBounds | undefined {
  if (bytes.length > maxBytes) return 'maxBytes';
  let depth = 0;
  let values = 1;
  let inString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (inString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === COMMA) values++;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      values++;
      depth++;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
    if (depth > maxDepth) return 'maxDepth';
    if (values > maxValues) return 'maxValues';
  }
  return undefined;
}

const PROBLEMS: Record<keyof JsonBounds, (bounds: JsonBounds) => string> = {
  maxBytes: ({ maxBytes }) => `sent JSON of more than ${maxBytes} bytes`,
  maxDepth: ({ maxDepth }) => `sent JSON that is nested deeper than ${maxDepth} levels`,
  maxValues: ({ maxValues }) => `sent JSON with more than ${maxValues} values`,
};

/** Parses JSON from a peer. Throws {@link PeerError} if it exceeds the bounds or is not JSON. */
export function parseJson(
  text: string | Uint8Array,
  peer: string,
  bounds: Partial<JsonBounds> = {},
): unknown {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const all = { ...MESSAGE_BOUNDS, ...bounds };
  const exceeded = exceededBound(bytes, all);
  if (exceeded) throw new PeerError(peer, PROBLEMS[exceeded](all));
  try {
    return JSON.parse(
      typeof text === 'string' ? text : Buffer.from(text.buffer, text.byteOffset, text.length).toString(),
    );
  } catch (error) {
    throw new PeerError(peer, 'sent something that is not JSON', { cause: error });
  }
}
