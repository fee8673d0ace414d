import { FileError } from './entry.ts';

interface Target {
  /** Existing bytes, when appending. */
  size: number;
  /** Those bytes, or null if only their number is known. */
  start: Buffer | null;
  /** Returns the bytes that still fit on the disk. */
  room(): number;
  /** Returns whether the content of a file of this size is stored. */
  keeps(size: number): boolean;
  /** If `content` is null, only the size is stored. */
  save(size: number, content: Buffer | null): Promise<void>;
}

/** Writes a file. Content that is too large to store is counted and dropped, so that memory use stays constant. */
export class FileWriter {
  readonly #target: Target;
  #pieces: { at: number; bytes: Buffer }[] | null;
  #size: number;

  constructor(target: Target) {
    this.#target = target;
    this.#pieces = target.start && [{ at: 0, bytes: target.start }];
    this.#size = target.size;
  }

  async write(bytes: Buffer): Promise<void> {
    this.writeAt(this.#size, bytes);
  }

  /** Writes bytes at a position, in any order. */
  writeAt(at: number, bytes: Buffer): void {
    this.grow(at + bytes.length - this.#size);
    // Copied, because a stream may reuse the memory of a chunk.
    this.#pieces?.push({ at, bytes: Buffer.from(bytes) });
  }

  /** Adds bytes whose content does not matter. */
  grow(length: number): void {
    if (length <= 0) return;
    if (this.#size + length > this.#target.room()) throw new FileError('No space left on device');
    this.#size += length;
    if (!this.#target.keeps(this.#size)) this.#pieces = null;
  }

  async close(): Promise<void> {
    const content = this.#pieces && Buffer.alloc(this.#size);
    for (const { at, bytes } of this.#pieces ?? []) bytes.copy(content!, at);
    await this.#target.save(this.#size, content);
  }
}
