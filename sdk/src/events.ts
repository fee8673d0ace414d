import { ConnectionError } from './errors.ts';

/** The `data` of each server-sent event, as JSON. Comments keep the connection open and are left out. */
export async function* readEvents<Event>(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<Event, void, void> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await read(reader);
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split(/\r?\n\r?\n/);
      text = blocks.pop()!;
      for (const block of blocks) {
        const data = dataOf(block);
        if (data !== '') yield JSON.parse(data) as Event;
      }
    }
  } finally {
    // To stop reading is to hang up: the service then starts no other command.
    await reader.cancel().catch(() => undefined);
  }
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read();
  } catch (cause) {
    throw new ConnectionError('The stream has ended midway', { cause });
  }
}

const dataOf = (block: string) =>
  block
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).replace(/^ /, ''))
    .join('\n');
