import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { FILES, SERIAL_RING, SERIAL_RING_BYTES } from './arguments.ts';
import { lastBytes, openGuestFile, readGuestFileEnd } from './guest-file.ts';
import { MAX_WORDS } from './process-wait.ts';
import type { Monitor } from './qmp.ts';

/** Of a log on the host's disk; beyond it the older half is dropped. */
const MAX_LOG_BYTES = 1024 * 1024;
/** The same of what QEMU itself says: a few lines, unless a guest makes it complain without end. */
const MAX_QEMU_LOG_BYTES = 64 * 1024;
/** Of one answer of the monitor, in base64. */
const READ_BYTES = 64 * 1024;
/** A process that hangs has no last words. */
const READ_MS = 2_000;
/** Of the log in an event: a panic with its trace, and what led to it. */
const TAIL_BYTES = 8_192;
const TAIL_LINES = 80;

/** The last lines that a guest wrote to its serial port, in plain text; empty when there are none. */
export async function consoleTail(path: string): Promise<string> {
  const end = await readGuestFileEnd(path, TAIL_BYTES).catch(() => Buffer.alloc(0));
  return plainText(end).slice(-TAIL_LINES).join('\n');
}

/** What QEMU itself said last; empty where there is no log of it. */
export async function lastWords(directory: string): Promise<string> {
  const end = await readGuestFileEnd(join(directory, FILES.log), MAX_WORDS).catch(() => Buffer.alloc(0));
  return plainText(end).join('\n').trim();
}

/** Lines without what a terminal would take for orders. */
function plainText(bytes: Buffer): string[] {
  const text = stripVTControlCharacters(bytes.toString('utf8'));
  const lines = text.split(/[\r\n]+/).map((line) => line.replace(/\p{Cc}/gu, ' ').trimEnd());
  return lines.filter(Boolean);
}

/**
 * Appends what the guest wrote to its serial port since the last time to the log at `path`, which stays within a
 * megabyte. QEMU keeps the latest of it in a ring in its own memory: a guest that writes fast, or while the service is
 * away, loses its older lines and is not held up. Never rejects: a log must not stop anything else.
 */
export async function keepConsoleLog(monitor: Monitor, path: string): Promise<void> {
  const said = await readRing(monitor).catch(() => Buffer.alloc(0));
  await append(path, said).catch(() => {});
}

/**
 * Keeps what a guest's process appends to the log at `path` within its bound: a guest that makes QEMU complain
 * without end must not fill the pool of all. Never rejects.
 */
export async function boundQemuLog(path: string): Promise<void> {
  const { O_RDWR, O_APPEND } = constants;
  const file = await openGuestFile(path, O_RDWR | O_APPEND).catch(() => undefined);
  if (!file) return;
  try {
    await cut(file, MAX_QEMU_LOG_BYTES);
  } catch {
    // It is tried again with the next reading.
  } finally {
    await file.close();
  }
}

async function readRing(monitor: Monitor): Promise<Buffer> {
  const parts: Buffer[] = [];
  // Once round: what is written meanwhile is read the next time.
  for (let left = SERIAL_RING_BYTES; left > 0; left -= READ_BYTES) {
    const question = { device: SERIAL_RING, size: READ_BYTES, format: 'base64' };
    const part = Buffer.from(await monitor.execute<string>('ringbuf-read', question, READ_MS), 'base64');
    parts.push(part);
    if (part.length < READ_BYTES) break;
  }
  return Buffer.concat(parts);
}

async function append(path: string, said: Buffer): Promise<void> {
  const { O_RDWR, O_CREAT, O_APPEND } = constants;
  const file = await openGuestFile(path, O_RDWR | O_CREAT | O_APPEND);
  try {
    // Processes that an older service started write to the file themselves, as fast as they like.
    await cut(file, MAX_LOG_BYTES - said.length);
    if (said.length > 0) await file.write(said);
  } finally {
    await file.close();
  }
}

/** Drops all of a log but the latest part of it where it is longer than `most`. */
async function cut(file: FileHandle, most: number): Promise<void> {
  const { size } = await file.stat();
  if (size <= most) return;
  const kept = await lastBytes(file, Math.floor(most / 2));
  await file.truncate(0);
  await file.write(kept);
}
