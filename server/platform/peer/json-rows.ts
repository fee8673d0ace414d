import { type Body, boundedBody } from './body.ts';
import { type JsonBounds, MESSAGE_BOUNDS, parseJson } from './json.ts';
import { PeerError } from './peer-error.ts';

export interface RowBounds {
  /** Bound for the whole body. */
  maxBytes: number;
  maxRows: number;
  /**
   * Bound for all rows together: rows within their own bound could still exhaust the memory; see {@link JsonBounds}.
   */
  maxValues: number;
  /** Bounds for one row, and for everything else in the body. */
  row?: Partial<JsonBounds>;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
/** In JSON outside of strings, only white space has bytes up to this one. */
const SPACE = 0x20;
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
/** Number of bytes before a list in which its member's name is searched. */
const NAME_BYTES = 64;

/**
 * Reads a JSON object in which one member, `name`, may be a long list, and returns the object with the list. Each row
 * is parsed on its own as its bytes arrive: a body of any size blocks the event loop no longer than one chunk takes,
 * and a refused row ends the reading. Throws {@link PeerError}.
 */
export async function readJsonRows(
  body: Body,
  name: string,
  peer: string,
  { maxBytes, row = {}, ...list }: RowBounds,
): Promise<object> {
  const rows = new Rows(name, peer, list, { ...MESSAGE_BOUNDS, ...row });
  for await (const chunk of boundedBody(body, peer, maxBytes)) rows.take(chunk);
  return rows.end();
}

/**
 * Returns whether a list that opens at `at` may be a member's value: false only if the chunk shows that it is not.
 * Searching for the name before each of a million nested lists would take seconds.
 */
function mayBeMember(chunk: Buffer, at: number): boolean {
  for (let before = at - 1; before >= 0 && at - before <= NAME_BYTES; before--)
    if (chunk[before]! > SPACE) return chunk[before] === COLON;
  return true;
}

type ListBounds = Pick<RowBounds, 'maxRows' | 'maxValues'>;

/** The state of a read. `#parts` holds the current row, or outside of the list the surrounding text. */
class Rows {
  readonly #name: string;
  readonly #peer: string;
  readonly #bounds: JsonBounds;
  readonly #list: ListBounds;
  readonly #begin: RegExp;
  readonly #around: Buffer[] = [];
  readonly #rows: unknown[] = [];
  #parts: Buffer[] = [];
  #length = 0;
  /** Values in the list so far; a list or object after a comma counts twice. */
  #values = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #inRows = false;
  #hasRows = false;

  constructor(name: string, peer: string, list: ListBounds, bounds: JsonBounds) {
    this.#name = name;
    this.#begin = new RegExp(`[{,]\\s*"${name}"\\s*:\\s*\\[$`);
    this.#peer = peer;
    this.#list = list;
    this.#bounds = bounds;
  }

  take(bytes: Uint8Array): void {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    let from = 0;
    const cut = (to: number) => {
      this.#add(chunk.subarray(from, to));
      from = to;
    };
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
      } else if (byte === QUOTE) this.#inString = true;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        this.#depth++;
        if (this.#inRows) this.#values++;
        if (this.#depth === 2 && byte === OPEN_LIST && !this.#hasRows && mayBeMember(chunk, at)) {
          cut(at + 1);
          this.#beginRows();
        }
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        this.#depth--;
        if (this.#inRows && this.#depth === 1) {
          cut(at);
          this.#endRows();
        }
      } else if (byte === COMMA && this.#inRows) {
        this.#values++;
        if (this.#depth === 2) {
          cut(at);
          from++;
          this.#endRow();
        }
      }
    }
    cut(chunk.length);
  }

  /** Returns the object, once the body has ended. */
  end(): object {
    if (this.#inRows) throw new PeerError(this.#peer, 'sent truncated JSON');
    this.#around.push(...this.#parts);
    const object = parseJson(Buffer.concat(this.#around), this.#peer, this.#bounds);
    if (typeof object !== 'object' || object === null || Array.isArray(object))
      throw new PeerError(this.#peer, 'sent JSON that is not an object');
    return this.#hasRows ? { ...object, [this.#name]: this.#rows } : object;
  }

  #add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#parts.push(bytes);
    this.#length += bytes.length;
    const { maxBytes } = this.#bounds;
    if (this.#length > maxBytes)
      throw new PeerError(this.#peer, `sent a value of more than ${maxBytes} bytes`);
  }

  /** Called for a list that has just opened directly in the object. */
  #beginRows(): void {
    if (!this.#begin.test(endOf(this.#parts, NAME_BYTES).toString('latin1'))) return;
    this.#around.push(...this.#parts);
    this.#parts = [];
    this.#length = 0;
    this.#inRows = true;
    this.#hasRows = true;
  }

  #endRow(): void {
    const { maxRows, maxValues } = this.#list;
    if (this.#rows.length >= maxRows) throw new PeerError(this.#peer, `sent more than ${maxRows} rows`);
    if (this.#values > maxValues)
      throw new PeerError(this.#peer, `sent more than ${maxValues} values in its rows`);
    this.#rows.push(parseJson(Buffer.concat(this.#parts), this.#peer, this.#bounds));
    this.#parts = [];
    this.#length = 0;
  }

  #endRows(): void {
    const isEmpty = this.#rows.length === 0 && Buffer.concat(this.#parts).toString().trim() === '';
    if (!isEmpty) this.#endRow();
    this.#parts = [];
    this.#length = 0;
    this.#inRows = false;
  }
}

/** Returns the last bytes of parts without joining all of them. */
function endOf(parts: Buffer[], bytes: number): Buffer {
  const kept: Buffer[] = [];
  for (let index = parts.length - 1, left = bytes; index >= 0 && left > 0; index--) {
    kept.unshift(parts[index]!.subarray(-left));
    left -= parts[index]!.length;
  }
  return Buffer.concat(kept);
}
