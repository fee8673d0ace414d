import { open, truncate } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';

/** A guest can write to its serial port for ever, and the log is on the host's disk. */
const MAX_LOG_BYTES = 4 * 1024 * 1024;
/** Of the log in an event: a panic with its trace, and what led to it. */
const TAIL_BYTES = 8_192;
const TAIL_LINES = 80;

/** The last lines that a guest wrote to its serial port, in plain text; empty when there are none. */
export async function consoleTail(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined);
  if (!file) return '';
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, from);
    const text = stripVTControlCharacters(buffer.toString('utf8', 0, bytesRead));
    const lines = text.split(/[\r\n]+/).map((line) => line.replace(/\p{Cc}/gu, ' ').trimEnd());
    return lines.filter(Boolean).slice(-TAIL_LINES).join('\n');
  } finally {
    await file.close();
  }
}

/** Empties the log when it has grown too long. */
export async function cutConsoleLog(path: string): Promise<void> {
  const file = await open(path).catch(() => undefined);
  if (!file) return;
  const { size } = await file.stat().finally(() => file.close());
  if (size > MAX_LOG_BYTES) await truncate(path, 0);
}
