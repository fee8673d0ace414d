import type { Duplex } from 'node:stream';
import type { CloseReason } from './close-reasons.ts';
import type { ConsoleSession } from './session.ts';

export interface RelayHooks {
  /** Given text messages, which carry no bytes. */
  onText(message: string): void;
  /** Asked once, when the guest's stream has ended. */
  whyEnded(): Promise<CloseReason>;
}

/**
 * Carries bytes both ways between a session's WebSocket and the guest's stream, whichever ends first. A slow
 * client pauses the guest and a slow guest pauses the client: no more than one chunk waits here.
 */
export function relay(session: ConsoleSession, stream: Duplex, { onText, whyEnded }: RelayHooks): void {
  const { ws } = session;
  const goOn = () => {
    if (stream.isPaused() && ws.bufferedAmount === 0) stream.resume();
  };
  stream.on('data', (chunk: Buffer) => {
    if (session.state !== 'open') return;
    session.count('out', chunk.length);
    ws.send(chunk, { binary: true }, goOn);
    // What the system has not taken yet still lies in memory that the stream reads into when it goes on.
    if (ws.bufferedAmount > 0) stream.pause();
  });
  ws.on('message', (data: Buffer, isBinary) => {
    if (session.state !== 'open') return;
    if (!isBinary) return onText(data.toString());
    session.count('in', data.length);
    if (stream.write(data)) return;
    session.hold('guest');
    stream.once('drain', () => session.release('guest'));
  });
  let asked = false;
  const end = () => {
    if (asked || session.reason) return;
    asked = true;
    void whyEnded().then((reason) => session.end(reason));
  };
  stream.once('end', end);
  stream.once('close', end);
  // A guest that vanishes is an end like any other.
  stream.on('error', end);
  const release = () => stream.destroy();
  if (session.signal.aborted) release();
  else session.signal.addEventListener('abort', release, { once: true });
  session.open();
  // A driver that waited for the guest's greeting hands its stream over paused, and a listener alone does not resume it.
  stream.resume();
}
