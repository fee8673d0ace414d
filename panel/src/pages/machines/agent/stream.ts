/** An event of a run, as the service streams it. */
export interface AgentEvent {
  type: string;
  seq: number;
  run_id: string;
  at: string;
  [field: string]: unknown;
}

/** Reads server-sent events from text that comes in pieces; comments and pings say nothing. */
export class EventReader {
  #rest = '';

  /** The events that are complete with this piece. */
  read(text: string): AgentEvent[] {
    // A piece may end between the two characters of a line's end, hence only whole lines are looked at.
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
