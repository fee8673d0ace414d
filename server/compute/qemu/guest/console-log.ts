import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { FILES, SERIAL_RING, SERIAL_RING_BYTES } from '../process/arguments.ts';
import { MAX_WORDS } from '../process/process-wait.ts';
import type { Monitor } from '../process/qmp.ts';
import { lastBytes, openGuestFile, readGuestFileEnd } from './guest-file.ts';

/** Limit of a log on the host's disk. Beyond it, the older half is dropped. */
const MAX_LOG_BYTES = 1024 * 1024;
/** Limit of QEMU's own log: a few lines, unless a guest makes QEMU complain endlessly. */
const MAX_QEMU_LOG_BYTES = 64 * 1024;
/** Size of one monitor answer, before base64. */
const READ_BYTES = 64 * 1024;
/** Short, because a process that hangs cannot deliver its output anyway. */
const READ_MS = 2_000;
/** Part of the log that goes into an event: a panic with its trace and what led to it. */
const TAIL_BYTES = 8_192;
const TAIL_LINES = 80;

/** Returns the last lines that a guest wrote to its serial port, in plain text; empty if there are none. */
export async function consoleTail(path: string): Promise<string> {
  const end = await readGuestFileEnd(path, TAIL_BYTES).catch(() => Buffer.alloc(0));
  return plainText(end).slice(-TAIL_LINES).join('\n');
}

/** Returns the end of QEMU's own log; empty if there is none. */
export async function lastWords(directory: string): Promise<string> {
  const end = await readGuestFileEnd(join(directory, FILES.log), MAX_WORDS).catch(() => Buffer.alloc(0));
  return plainText(end).join('\n').trim();
}

/** Returns the lines without terminal control sequences. */
function plainText(bytes: Buffer): string[] {
  const text = stripVTControlCharacters(bytes.toString('utf8'));
  const lines = text.split(/[\r\n]+/).map((line) => line.replace(/\p{Cc}/gu, ' ').trimEnd());
  return lines.filter(Boolean);
}

/**
 * Appends new serial output of the guest to the log at `path`, which stays within a megabyte. QEMU keeps the latest
 * output in a ring buffer in memory. So a guest that writes fast, or while the service is down, loses its older lines
 * but is never blocked. Never rejects, because a log must not disturb anything else.
 */
export async function keepConsoleLog(monitor: Monitor, path: string): Promise<void> {
  const said = await readRing(monitor).catch(() => Buffer.alloc(0));
  await append(path, said).catch(() => {});
}

/**
 * Keeps the log at `path`, to which a guest's process appends, within its limit: a guest that makes QEMU complain
 * endlessly must not fill the pool. Never rejects.
 */
export async function boundQemuLog(path: string): Promise<void> {
  const { O_RDWR, O_APPEND } = constants;
  const file = await openGuestFile(path, O_RDWR | O_APPEND).catch(() => undefined);
  if (!file) return;
  try {
    await cut(file, MAX_QEMU_LOG_BYTES);
  } catch {
    // The next reading tries again.
  } finally {
    await file.close();
  }
}

async function readRing(monitor: Monitor): Promise<Buffer> {
  const parts: Buffer[] = [];
  // At most one full ring; output written in the meantime is read next time.
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
    // Processes started by an older service write to the file themselves, without a limit.
    await cut(file, MAX_LOG_BYTES - said.length);
    if (said.length > 0) await file.write(said);
  } finally {
    await file.close();
  }
}

/** If a log is longer than `most`, drops all but its latest part. */
async function cut(file: FileHandle, most: number): Promise<void> {
  const { size } = await file.stat();
  if (size <= most) return;
  const kept = await lastBytes(file, Math.floor(most / 2));
  await file.truncate(0);
  await file.write(kept);
}
