import { readFile } from 'node:fs/promises';
import type { Encoding } from '../openapi/published-texts.ts';

/**
 * Twice the compressed size of the whole panel, so that files of a new build replace those of the old one under a
 * running service.
 */
const MAX_KEPT_BYTES = 8 * 1024 * 1024;
const ENDINGS: Record<Encoding, string> = { br: '.br', gzip: '.gz' };

/** A file of the build as it is sent. */
export interface BuiltFile {
  content: Buffer;
  /** Undefined if it is sent uncompressed. */
  encoding: Encoding | undefined;
}

/** The files of a build: read on first use and cached within a bound; the least recently used are dropped first. */
export class BuiltFiles {
  /** With a trailing slash. */
  readonly #directory: string;
  readonly #kept = new Map<string, BuiltFile>();
  #bytes = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Returns the file in the encoding, or uncompressed if the build has none; undefined if there is no such file. */
  async get(name: string, encoding: Encoding | undefined): Promise<BuiltFile | undefined> {
    const key = `${name} ${encoding}`;
    const kept = this.#kept.get(key);
    if (kept) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept;
    }
    const found = await this.fresh(name, encoding);
    if (found) this.#keep(key, found);
    return found;
  }

  /**
   * Returns a file whose name does not change with its content: read each time, so that a new build takes effect at
   * once.
   */
  async fresh(name: string, encoding?: Encoding): Promise<BuiltFile | undefined> {
    const path = this.#directory + name;
    if (encoding) {
      const content = await readOptional(path + ENDINGS[encoding]);
      if (content) return { content, encoding };
    }
    const content = await readOptional(path);
    return content && { content, encoding: undefined };
  }

  #keep(key: string, file: BuiltFile): void {
    // Two concurrent requests may both have read it.
    this.#drop(key);
    this.#kept.set(key, file);
    this.#bytes += file.content.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= MAX_KEPT_BYTES) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.content.length ?? 0;
    this.#kept.delete(key);
  }
}

async function readOptional(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
