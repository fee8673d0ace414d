import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../../platform/clock.ts';
import { AGENT_CHANNEL, FILES } from '../process/arguments.ts';
import { Monitor } from '../process/qmp.ts';
import { until } from '../process/timeouts.ts';
import { connectGuestSocket } from './guest-file.ts';

// Migration: moves the state of a guest with file-backed memory out of one QEMU and into another.

/** Socket in the guest's directory through which the state is transferred, because QEMU itself may open no files. */
const STATE_SOCKET = 'state.sock';
/** Without the memory, the state is a few megabytes; a busy host may still take a while. */
const STATE_MS = 30_000;
/**
 * QEMU closes the connection once it has read what it needs, even if this side is not finished. If it could not use the
 * state, it exits.
 */
const CLOSED_EARLY = ['ERR_STREAM_PREMATURE_CLOSE', 'EPIPE', 'ECONNRESET'];
const CONNECT_MS = 10_000;

/** Connects to the monitor of a QEMU that has just been started and may not be listening yet. */
export async function connectMonitor(clock: Clock, directory: string): Promise<Monitor> {
  let monitor: Monitor | undefined;
  await until(clock, CONNECT_MS, 'QEMU does not answer', async () => {
    monitor = await Monitor.connect(join(directory, FILES.monitor), clock, () => {}).catch(() => undefined);
    return monitor !== undefined;
  });
  return monitor!;
}

export function untilAgent(clock: Clock, monitor: Monitor, ms: number): Promise<void> {
  return until(clock, ms, 'the guest agent does not answer', async () => {
    const channels = await monitor.execute<{ label: string; 'frontend-open': boolean }[]>('query-chardev');
    return channels.some(({ label, ...channel }) => label === AGENT_CHANNEL && channel['frontend-open']);
  });
}

/** Stops a guest permanently and writes its state to the file `to`. */
export async function saveState(
  clock: Clock,
  monitor: Monitor,
  directory: string,
  to: string,
): Promise<void> {
  await monitor.execute('stop');
  await leaveMemory(monitor);
  const path = join(directory, STATE_SOCKET);
  const connected = Promise.withResolvers<Socket>();
  const server = createServer((socket) => connected.resolve(socket)).listen(path);
  try {
    await monitor.execute('migrate', { uri: `unix:${path}` });
    await pipeline(await connected.promise, createWriteStream(to));
  } finally {
    server.close();
  }
  await until(clock, STATE_MS, 'the state was not written', async () => {
    const { status } = await monitor.execute<{ status: string }>('query-migrate');
    if (status === 'failed') throw new Error('the state was not written');
    return status === 'completed';
  });
}

/** Resumes a guest that waits for incoming state from the file `from`. */
export async function loadState(
  clock: Clock,
  monitor: Monitor,
  directory: string,
  from: string,
): Promise<void> {
  await leaveMemory(monitor);
  const path = join(directory, STATE_SOCKET);
  await monitor.execute('migrate-incoming', { uri: `unix:${path}` });
  await pipeline(createReadStream(from), await connectGuestSocket(path)).catch((error) => {
    if (!CLOSED_EARLY.includes(error.code)) throw error;
  });
  await rm(path, { force: true });
  await until(clock, STATE_MS, 'the state was not loaded', async () => {
    const { status } = await monitor.execute<{ status: string }>('query-status');
    return status !== 'inmigrate';
  });
  await monitor.execute('cont');
}

/** Leaves the memory out of the state: it is a file that both sides have. */
async function leaveMemory(monitor: Monitor): Promise<void> {
  const capabilities = [{ capability: 'x-ignore-shared', state: true }];
  await monitor.execute('migrate-set-capabilities', { capabilities });
}
