import { newId } from '../platform/ids.ts';
import type { AgentEventEmitter } from './event-stream.ts';
import type { Usage } from './events.ts';
import type { Message, Turn } from './model.ts';
import type { RunParts } from './run.ts';
import { visibleProse } from './visible.ts';

/** Runs one turn of the model, streams its text to the client, and records it. */
export class ModelTurn {
  readonly #parts: RunParts;
  readonly #emitter: AgentEventEmitter;
  readonly #usage: Usage;

  constructor(parts: RunParts, emitter: AgentEventEmitter, usage: Usage) {
    this.#parts = parts;
    this.#emitter = emitter;
    this.#usage = usage;
  }

  /** Returns the model's turn for the conversation, to which it adds the model's text. */
  async run(conversation: Message[]): Promise<Turn> {
    const { model, record, stream, clock, halt, kill } = this.#parts;
    const message_id = newId('msg', clock);
    const signal = AbortSignal.any([halt, kill]);
    let text = '';
    const onText = async (delta: string) => {
      signal.throwIfAborted();
      const piece = visibleProse(delta.replaceAll('\0', '').toWellFormed());
      text += piece;
      if (piece !== '') this.#emitter.emit('message.delta', { message_id, text: piece });
      await stream.drained(signal);
    };
    try {
      const turn = await model.turn({ conversation, onText, signal });
      signal.throwIfAborted();
      this.#count(turn);
      return turn;
    } finally {
      // Text sent before an interruption still counts as said.
      if (text !== '') {
        this.#emitter.emit('message.completed', { message_id, text });
        await record.add({ role: 'assistant', content: text });
        conversation.push({ role: 'assistant', text });
      }
    }
  }

  #count({ inputTokens, outputTokens }: Turn): void {
    const add = (sum: number | null, tokens: number | null) => (tokens === null ? sum : (sum ?? 0) + tokens);
    this.#usage.input_tokens = add(this.#usage.input_tokens, inputTokens);
    this.#usage.output_tokens = add(this.#usage.output_tokens, outputTokens);
  }
}
