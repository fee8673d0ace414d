import type { Socket } from 'node:net';
import { parseJson } from '../platform/peer/json.ts';
import { readLines } from '../platform/peer/lines.ts';

/** Enough for the rules of all guests of a large host; a longer message ends the connection. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Enough for the same message: some ten thousand guests with a hundred rules each. */
const MAX_VALUES = 10_000_000;

/** Calls `onMessage` for each line of JSON; destroys the socket if a line is too long or is not JSON. */
export function readMessages(
  socket: Socket,
  peer: string,
  onMessage: (message: unknown) => void,
  maxBytes = MAX_MESSAGE_BYTES,
): void {
  const onLine = (line: Buffer) => onMessage(parseJson(line, peer, { maxBytes, maxValues: MAX_VALUES }));
  readLines(socket, { peer, onLine, maxBytes });
}
