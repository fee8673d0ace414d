import { randomInt } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { connectUnix, readLines } from '../../platform/json-lines.ts';
import { within } from '../../platform/within.ts';
import { AgentUnavailableError } from '../driver.ts';

/** A busy guest may take seconds; a dead one never answers. */
const CALL_MS = 15_000;
const SYNC = 0xff;
const LARGEST_MARK = 2 ** 31;

interface Reply {
  return?: unknown;
  error?: { class: string; desc: string };
}

/** The agent understood a command and refused it. */
export class GuestAgentError extends Error {
  override name = 'GuestAgentError';
}

/**
 * Asks the agent inside a guest, at the unix socket `path`, over a connection of its own. What an earlier caller did
 * not wait for is skipped: a byte 0xFF makes the agent forget half a command, and it puts one before its answer.
 * Throws {@link GuestAgentError} when the agent refuses, {@link AgentUnavailableError} when it does not answer.
 */
export async function askAgent(
  clock: Clock,
  path: string,
  command: string,
  args?: Record<string, unknown>,
): Promise<unknown> {
  const socket = await connectUnix(path).catch((error) => {
    throw new AgentUnavailableError(`the guest agent cannot be reached: ${error.message}`);
  });
  const mark = randomInt(LARGEST_MARK);
  const synced = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<Reply>();
  const talk = async () => {
    socket.write(Buffer.from([SYNC]));
    socket.write(`${JSON.stringify({ execute: 'guest-sync-delimited', arguments: { id: mark } })}\n`);
    await synced.promise;
    socket.write(`${JSON.stringify({ execute: command, arguments: args })}\n`);
    return answered.promise;
  };
  const gone = new Promise<never>((_, reject) => {
    socket.on('error', () => {});
    socket.once('close', () => reject(new AgentUnavailableError('the guest went away')));
  });
  let inStep = false;
  readLines(socket, (line) => {
    const reply = parseReply(line.subarray(line.lastIndexOf(SYNC) + 1));
    if (inStep && reply) answered.resolve(reply);
    else if (reply?.return === mark) {
      inStep = true;
      synced.resolve();
    }
  });
  try {
    const late = () => new AgentUnavailableError(`the guest agent did not answer ${command}`);
    const { return: result, error } = await within(clock, CALL_MS, Promise.race([talk(), gone]), late);
    if (error) throw new GuestAgentError(error.desc);
    return result;
  } finally {
    gone.catch(() => {});
    socket.destroy();
  }
}

/** What a guest writes need not be JSON. */
function parseReply(line: Buffer): Reply | undefined {
  try {
    return JSON.parse(line.toString()) as Reply;
  } catch {
    return undefined;
  }
}
