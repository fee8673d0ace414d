import type { WebSocket } from 'ws';
import type { ManualClock } from '../../../server/platform/clock.ts';

/** In it a shared shell may print the longest piece again to two viewers. */
const PIECE_MS = 70;

/** Lets time pass with what a viewer of a shared shell is sent, so that a flood, which is paced, goes on. */
export function paceBy(ws: WebSocket, clock: ManualClock): void {
  ws.on('message', (_data, isBinary) => {
    if (isBinary) clock.advance(PIECE_MS);
  });
}
