import type { WebSocket } from 'ws';
import type { ManualClock } from '../../../server/platform/clock.ts';

/** In this time a shared shell may send another piece of maximum length to two viewers. */
const PIECE_MS = 70;

/** Advances the clock for each message to a viewer of a shared shell, so that paced output continues. */
export function paceBy(ws: WebSocket, clock: ManualClock): void {
  ws.on('message', (_data, isBinary) => {
    if (isBinary) clock.advance(PIECE_MS);
  });
}
