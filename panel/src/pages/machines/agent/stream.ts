export interface AgentEvent {
  type: string;
  seq: number;
  run_id: string;
  at: string;
  [field: string]: unknown;
}

/** Parses server-sent events from chunks of text; ignores comments and pings. */
export class EventReader {
  #rest = '';

  /** Returns the events that this chunk completes. */
  read(text: string): AgentEvent[] {
    // A chunk may end between the CR and LF of a line ending, so only whole blocks are parsed.
    const blocks = `${this.#rest}${text}`.split(/\r?\n\r?\n/);
    this.#rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const data = block
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).replace(/^ /, ''))
        .join('\n');
      const event = data ? parse(data) : undefined;
      return event ? [event] : [];
    });
  }
}

function parse(data: string): AgentEvent | undefined {
  try {
    const event: unknown = JSON.parse(data);
    return typeof event === 'object' && event !== null && 'type' in event ? (event as AgentEvent) : undefined;
  } catch {
    return undefined;
  }
}
