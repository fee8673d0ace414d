import type { Socket } from 'node:net';
import { readLines } from '../json-lines.ts';

/** The rules of all guests of a large host; a message beyond it ends the connection. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** Calls `onMessage` for each line of JSON; destroys the socket when one is too long or is none. */
export function readMessages(
  socket: Socket,
  onMessage: (message: unknown) => void,
  max = MAX_MESSAGE_BYTES,
): void {
  const onLine = (line: Buffer) => {
    try {
      onMessage(JSON.parse(line.toString()));
    } catch {
      socket.destroy(new Error('a message is not JSON'));
    }
  };
  readLines(socket, onLine, max);
}
