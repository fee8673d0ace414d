import { newId } from '../platform/ids.ts';
import type { Teller } from './event-emitter.ts';
import type { Usage } from './events.ts';
import type { Said, Turn } from './model.ts';
import type { RunParts } from './run.ts';
import { visibleProse } from './visible.ts';

/** Has the model say something, tells the client as it comes, and writes it down. */
export class Thinker {
  readonly #parts: RunParts;
  readonly #teller: Teller;
  readonly #usage: Usage;

  constructor(parts: RunParts, teller: Teller, usage: Usage) {
    this.#parts = parts;
    this.#teller = teller;
    this.#usage = usage;
  }

  /** What the model made of the conversation, to which its words are added. */
  async think(conversation: Said[]): Promise<Turn> {
    const { model, record, stream, clock, halt, kill } = this.#parts;
    const message_id = newId('msg', clock);
    const signal = AbortSignal.any([halt, kill]);
    let text = '';
    const onText = async (delta: string) => {
      signal.throwIfAborted();
      const piece = visibleProse(delta.replaceAll('\0', '').toWellFormed());
      text += piece;
      if (piece !== '') this.#teller.tell('message.delta', { message_id, text: piece });
      await stream.drained(signal);
    };
    try {
      const turn = await model.turn({ conversation, onText, signal });
      signal.throwIfAborted();
      this.#count(turn);
      return turn;
    } finally {
      // What was said before it broke off was said.
      if (text !== '') {
        this.#teller.tell('message.completed', { message_id, text });
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
