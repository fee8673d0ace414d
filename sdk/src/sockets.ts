import { ConnectionError } from './errors.ts';

/** A byte stream to and from a guest, over a WebSocket. */
export interface GuestSocket {
  readable: ReadableStream<Uint8Array>;
  writable: WritableStream<Uint8Array>;
  /** Resolves when the socket has closed, with its close code and reason. */
  closed: Promise<{ code: number; reason: string }>;
  close(): void;
}

export interface Terminal extends GuestSocket {
  username: string;
  resize(cols: number, rows: number): void;
}

/** Unsent bytes above which a writer has to wait. */
const MAX_WAITING_BYTES = 1_048_576;
const LOOK_AGAIN_MS = 20;

/** Unread bytes above which the socket is closed, because a WebSocket has no backpressure. */
const MAX_UNREAD_BYTES = 16_777_216;

/** Opens a WebSocket of the service as a pair of streams. */
export async function openSocket(
  url: string,
  protocols: string[],
  {
    WebSocket: Class = globalThis.WebSocket,
    signal,
  }: { WebSocket?: typeof WebSocket | undefined; signal?: AbortSignal | undefined },
): Promise<GuestSocket & { send(text: string): void }> {
  if (!Class)
    throw new TypeError('This runtime has no WebSocket. Use Node 22 or newer, or pass one to the client');
  signal?.throwIfAborted();
  const socket = new Class(url, protocols);
  socket.binaryType = 'arraybuffer';
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }), { once: true }),
  );
  signal?.addEventListener('abort', () => socket.close(), { once: true });
  const bound = { highWaterMark: MAX_UNREAD_BYTES, size: (bytes?: Uint8Array) => bytes?.byteLength ?? 0 };
  const source = {
    start(controller: ReadableStreamDefaultController<Uint8Array>) {
      socket.addEventListener('message', ({ data }) => {
        if (!(data instanceof ArrayBuffer) || socket.readyState !== Class.OPEN) return;
        if ((controller.desiredSize ?? 0) > 0) return controller.enqueue(new Uint8Array(data));
        controller.error(new ConnectionError(`More than ${MAX_UNREAD_BYTES} bytes are waiting to be read`));
        socket.close();
      });
      void closed.then(() => controller.close()).catch(() => undefined);
    },
    cancel: () => socket.close(),
  };
  const readable = new ReadableStream<Uint8Array>(source, bound);
  const writable = new WritableStream<Uint8Array>({
    async write(bytes) {
      while (socket.bufferedAmount > MAX_WAITING_BYTES && socket.readyState === Class.OPEN)
        await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
      if (socket.readyState !== Class.OPEN) throw new ConnectionError('The WebSocket is closed');
      socket.send(new Uint8Array(bytes));
    },
    close: () => socket.close(),
    abort: () => socket.close(),
  });
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve(), { once: true });
    void closed.then(({ code, reason }) =>
      reject(signal?.reason ?? new ConnectionError(`The WebSocket could not be opened: ${code} ${reason}`)),
    );
  });
  return { readable, writable, closed, close: () => socket.close(), send: (text) => socket.send(text) };
}
