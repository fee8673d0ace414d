import { FileError } from '../system/entry.ts';
import type { FileWriter } from '../system/file-writer.ts';
import { type Files, MAX_KEPT_FILE_BYTES } from '../system/files.ts';
import { generated } from '../system/generated.ts';

/** An open file or directory behind a handle. */
export interface OpenFile {
  path: string;
  writer?: FileWriter;
  /** The whole content, if the file's content is stored. */
  content?: Buffer;
  /** The size, if the file's content is generated. */
  size?: number;
  /** Entries of a directory that have not been sent yet. */
  entries?: object[];
}

/** Returns the number in a handle; -1 if its length is wrong, which no handle of ours has. */
export function handleNumber(handle: Buffer): number {
  return handle.length === 4 ? handle.readUInt32BE() : -1;
}

/** Opens a file for reading at any position. Only stored content is held in memory. */
export async function openForReading(files: Files, path: string, user: string): Promise<OpenFile> {
  const { kind, size } = files.need(path, user);
  if (kind === 'directory') throw new FileError('Is a directory');
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of files.read(path, user)) {
    if (size > MAX_KEPT_FILE_BYTES) return { path, size };
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > 2 * MAX_KEPT_FILE_BYTES) throw new FileError('File too large');
  }
  return { path, content: Buffer.concat(pieces) };
}

/** Returns bytes from a position; empty beyond the end. */
export function readAt({ content, size = 0 }: OpenFile, at: number, length: number): Buffer {
  if (content) return content.subarray(at, at + length);
  const pieces: Buffer[] = [];
  for (const piece of generated(Math.min(size, at + length), at)) pieces.push(piece);
  return Buffer.concat(pieces);
}
