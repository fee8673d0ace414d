import { FileError } from '../system/entry.ts';
import type { FileWriter } from '../system/file-writer.ts';
import { type Files, MAX_KEPT_FILE_BYTES } from '../system/files.ts';
import { generated } from '../system/generated.ts';

/** What a handle stands for. */
export interface OpenFile {
  path: string;
  writer?: FileWriter;
  /** The whole of a file whose content is kept. */
  content?: Buffer;
  /** The size of one whose content is generated. */
  size?: number;
  /** What of a directory has not been given yet. */
  entries?: object[];
}

/** The number in a handle; one of another length is none of ours. */
export function handleNumber(handle: Buffer): number {
  return handle.length === 4 ? handle.readUInt32BE() : -1;
}

/** Opens a file for reading at any place; only what is kept is held in memory. */
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

/** Bytes from one place on; empty beyond the end. */
export function readAt({ content, size = 0 }: OpenFile, at: number, length: number): Buffer {
  if (content) return content.subarray(at, at + length);
  const pieces: Buffer[] = [];
  for (const piece of generated(Math.min(size, at + length), at)) pieces.push(piece);
  return Buffer.concat(pieces);
}
