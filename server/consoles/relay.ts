import type { Duplex } from 'node:stream';
import type { CloseReason } from './close-reasons.ts';
import type { ConsoleSession } from './session.ts';

export interface RelayHooks {
  /** Receives text messages, which are not part of the byte stream. */
  onText(message: string): void;
  /** Called once, when the guest's stream has ended. */
  whyEnded(): Promise<CloseReason>;
}

/**
 * Relays bytes in both directions between a session's WebSocket and the guest's stream until either ends. A slow
 * client pauses the guest and a slow guest pauses the client: at most one chunk is buffered here.
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
    // Unsent bytes are still in the memory that the stream would read into when it resumes.
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
  // A guest that disappears is an ordinary end.
  stream.on('error', end);
  const release = () => stream.destroy();
  if (session.signal.aborted) release();
  else session.signal.addEventListener('abort', release, { once: true });
  session.open();
  // A driver that waited for the guest's greeting returns its stream paused, and a listener alone does not resume it.
  stream.resume();
}
