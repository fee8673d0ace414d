import { randomInt } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import { MESSAGE_BOUNDS, parseJson } from '../../../platform/peer/json.ts';
import { readLines } from '../../../platform/peer/lines.ts';
import { PeerError } from '../../../platform/peer/peer-error.ts';
import { within } from '../../../platform/within.ts';
import { AgentUnavailableError } from '../../driver.ts';
import { connectGuestSocket } from './guest-file.ts';

/** A busy guest may take seconds; a dead one never answers. */
const CALL_MS = 15_000;
/** Limits of all data received over one connection, which serves one question. */
const MAX_SAID_BYTES = 8 * 1024 * 1024;
const MAX_SAID_LINES = 10_000;
/** Longest error text of the agent that is passed on. */
const MAX_REFUSAL = 2_000;
const PEER = 'the guest agent';
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
 * Asks the agent inside a guest at the unix socket `path`, over a new connection. Leftover answers to earlier callers
 * are skipped: a byte 0xFF makes the agent discard an incomplete command, and the agent puts one before its answer.
 * Throws {@link GuestAgentError} if the agent refuses and {@link AgentUnavailableError} if it does not answer.
 */
export async function askAgent(
  clock: Clock,
  path: string,
  command: string,
  args?: Record<string, unknown>,
): Promise<unknown> {
  const socket = await connectGuestSocket(path).catch((error) => {
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
  let [bytes, lines] = [0, 0];
  const onLine = (line: Buffer) => {
    bytes += line.length;
    if (bytes > MAX_SAID_BYTES || ++lines > MAX_SAID_LINES) throw new PeerError(PEER, 'sends too much data');
    const reply = parseReply(line.subarray(line.lastIndexOf(SYNC) + 1));
    if (inStep && reply) answered.resolve(reply);
    else if (reply?.return === mark) {
      inStep = true;
      synced.resolve();
    }
  };
  readLines(socket, { peer: PEER, onLine, maxBytes: MESSAGE_BOUNDS.maxBytes });
  try {
    const late = () => new AgentUnavailableError(`the guest agent did not answer ${command}`);
    const { return: result, error } = await within(clock, CALL_MS, Promise.race([talk(), gone]), late);
    if (error) throw new GuestAgentError(String(error.desc).slice(0, MAX_REFUSAL));
    return result;
  } finally {
    gone.catch(() => {});
    socket.destroy();
  }
}

/** A guest may send anything, not only JSON. */
function parseReply(line: Buffer): Reply | undefined {
  try {
    return Object(parseJson(line, PEER)) as Reply;
  } catch {
    return undefined;
  }
}
