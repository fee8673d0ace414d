import { ConnectionError } from './errors.ts';

/**
 * Yields the `data` of each server-sent event, parsed as JSON. Comments, which only keep the connection open, are
 * skipped.
 */
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
    // Close the connection when the caller stops reading: the service then starts no further command.
    await reader.cancel().catch(() => undefined);
  }
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array>) {
  try {
    return await reader.read();
  } catch (cause) {
    throw new ConnectionError('The stream ended before it was complete', { cause });
  }
}

const dataOf = (block: string) =>
  block
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).replace(/^ /, ''))
    .join('\n');
