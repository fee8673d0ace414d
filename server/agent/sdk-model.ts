import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, jsonSchema, type LanguageModel, type ModelMessage, streamText, tool } from 'ai';
import type { RemoteModelSettings } from '../config/model-settings.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { boundedStream } from '../platform/peer/body.ts';
import { PeerError } from '../platform/peer/peer-error.ts';
import { MAX_ANSWER, MAX_REPLY_BYTES, MODEL_SILENCE_MS, MODEL_TURN_MS } from './limits.ts';
import {
  type AgentModel,
  type Message,
  ModelError,
  type ProposedCommand,
  type Turn,
  type TurnRequest,
} from './model.ts';
import { asData, INSTRUCTIONS } from './prompt.ts';

/** The library prints its warnings to standard output, which is our log. */
globalThis.AI_SDK_LOG_WARNINGS = false;

/**
 * Failures that may be temporary, and the delays before each retry; after the last one the customer has to try again.
 */
const PASSES: ReadonlySet<ModelError['code']> = new Set(['model_unavailable', 'model_rate_limited']);
const RETRY_AFTER_MS = [1_000, 4_000];
/** Enough for an answer and a command; a model that exceeds it is rambling. */
const MAX_OUTPUT_TOKENS = 4_096;
const TOOL = 'run_command';

const TOOLS = {
  [TOOL]: tool({
    description: 'Runs one shell command on the virtual machine and returns its exit status and output.',
    inputSchema: jsonSchema<ProposedCommand>({
      type: 'object',
      properties: {
        command: { type: 'string', description: 'The command, on one line if possible' },
        reason: { type: 'string', description: 'The reason, for the customer, in one short sentence' },
      },
      required: ['command', 'reason'],
      additionalProperties: false,
    }),
  }),
};

/** The library buffers a line, or an error response, until it is complete, so its input is bounded. */
const boundedFetch: typeof fetch = async (input, init) => {
  const { body, status, headers } = await fetch(input, init);
  const bounded = body?.pipeThrough(boundedStream('the model', MAX_REPLY_BYTES)) ?? null;
  return new Response(bounded, { status, headers });
};

function connect({ provider, model, baseUrl, apiKey }: RemoteModelSettings): LanguageModel {
  if (provider === 'anthropic')
    return createAnthropic({ baseURL: baseUrl, apiKey, fetch: boundedFetch })(model);
  return createOpenAICompatible({
    name: 'openai-compatible',
    baseURL: baseUrl!,
    apiKey,
    includeUsage: true,
    fetch: boundedFetch,
  })(model);
}

/** A provider's model, accessed through the AI SDK. */
export class SdkModel implements AgentModel {
  readonly identity;
  readonly #model: LanguageModel;
  readonly #clock: Clock;

  constructor(settings: RemoteModelSettings, clock: Clock) {
    this.identity = { provider: settings.provider, name: settings.model };
    this.#model = connect(settings);
    this.#clock = clock;
  }

  async turn(request: TurnRequest): Promise<Turn> {
    for (let attempt = 0; ; attempt++) {
      let began = false;
      try {
        return await this.#ask({
          ...request,
          onText: (text) => {
            began = true;
            return request.onText(text);
          },
        });
      } catch (error) {
        request.signal.throwIfAborted();
        const failure = toModelError(error);
        const wait = RETRY_AFTER_MS[attempt];
        // Text that was already sent cannot be withdrawn.
        if (began || !PASSES.has(failure.code) || wait === undefined) throw failure;
        await this.#clock.sleep(wait, request.signal);
      }
    }
  }

  async #ask({ conversation, onText, signal }: TurnRequest): Promise<Turn> {
    const silence = new Silence(this.#clock);
    const turn = new AbortController();
    this.#clock.sleep(MODEL_TURN_MS, turn.signal).then(
      () => silence.endless(),
      () => {},
    );
    try {
      const result = streamText({
        model: this.#model,
        instructions: INSTRUCTIONS,
        messages: toMessages(conversation, newId('msg', this.#clock).slice(-12)),
        tools: TOOLS,
        maxOutputTokens: MAX_OUTPUT_TOKENS,
        maxRetries: 0,
        // `turn` too: otherwise the library would read an abandoned reply to its end.
        abortSignal: AbortSignal.any([signal, silence.signal, turn.signal]),
        // Without a listener the library prints the error.
        onError: () => {},
      });
      return await readTurn(result.stream, onText, silence);
    } catch (error) {
      signal.throwIfAborted();
      if (silence.signal.aborted) throw silence.signal.reason;
      throw error;
    } finally {
      turn.abort();
      silence.end();
    }
  }
}

type Parts = ReturnType<typeof streamText<typeof TOOLS>>['stream'];

async function readTurn(parts: Parts, onText: TurnRequest['onText'], silence: Silence): Promise<Turn> {
  const turn: Turn = { call: undefined, invalidToolCall: undefined, inputTokens: null, outputTokens: null };
  let length = 0;
  let finished = false;
  for await (const part of parts) {
    silence.broken();
    length += lengthOf(part);
    if (length > MAX_ANSWER) throw endless();
    if (part.type === 'text-delta') await onText(part.text);
    else if (part.type === 'tool-call' && !turn.call && !turn.invalidToolCall) {
      takeCall(turn, part);
    } else if (part.type === 'error') throw part.error;
    else if (part.type === 'abort') throw silence.signal.reason ?? new Error('aborted');
    else if (part.type === 'finish') {
      finished = part.finishReason !== 'error';
      turn.inputTokens = part.totalUsage.inputTokens ?? null;
      turn.outputTokens = part.totalUsage.outputTokens ?? null;
    }
  }
  if (!finished) throw new ModelError('model_failed', 'The model stopped in the middle of its answer.', true);
  return turn;
}

/** Returns the number of characters that a part adds to the answer: text, reasoning, or the arguments of a call. */
function lengthOf(part: object): number {
  const { type, text, delta } = part as { type: string; text?: unknown; delta?: unknown };
  const added = type.endsWith('-delta') ? (text ?? delta) : undefined;
  return typeof added === 'string' ? added.length : 0;
}

const endless = () => new ModelError('model_failed', 'The model does not finish its answer.', false);

function takeCall(turn: Turn, part: { toolName: string; input: unknown; invalid?: boolean }): void {
  const input = part.input as Partial<ProposedCommand> | null | undefined;
  if (part.invalid || part.toolName !== TOOL || typeof input?.command !== 'string') {
    turn.invalidToolCall = `the only tool is ${TOOL}, with the strings "command" and "reason"`;
    return;
  }
  turn.call = { command: input.command, reason: typeof input.reason === 'string' ? input.reason : '' };
}

/** Aborts a request on which nothing has arrived for {@link MODEL_SILENCE_MS}. */
class Silence {
  readonly #clock: Clock;
  readonly #end = new AbortController();
  #timer = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#wait();
  }

  get signal(): AbortSignal {
    return this.#end.signal;
  }

  broken(): void {
    this.#timer.abort();
    this.#timer = new AbortController();
    this.#wait();
  }

  endless(): void {
    this.#end.abort(endless());
  }

  end(): void {
    this.#timer.abort();
  }

  #wait(): void {
    this.#clock.sleep(MODEL_SILENCE_MS, this.#timer.signal).then(
      () => this.#end.abort(new ModelError('model_timeout', 'The model is not answering.', true)),
      () => {},
    );
  }
}

function toMessages(conversation: readonly Message[], nonce: string): ModelMessage[] {
  return conversation.flatMap((said): ModelMessage[] => {
    switch (said.role) {
      case 'user':
        return [{ role: 'user', content: said.text }];
      case 'assistant':
        return said.text === '' ? [] : [{ role: 'assistant', content: said.text }];
      case 'system':
        return [{ role: 'user', content: `(Note of the service: ${said.text})` }];
      default: {
        const call = { toolCallId: said.id, toolName: TOOL };
        const input = { command: said.command, reason: '' };
        const output = { type: 'text' as const, value: asData(said, nonce) };
        return [
          { role: 'assistant', content: [{ type: 'tool-call', ...call, input }] },
          { role: 'tool', content: [{ type: 'tool-result', ...call, output }] },
        ];
      }
    }
  });
}

/** Returns an error and its chain of causes. */
function causes(error: unknown): unknown[] {
  const found: unknown[] = [];
  for (let at = error; at instanceof Error && found.length < 8; at = at.cause) found.push(at);
  return found;
}

/**
 * Converts a provider's failure to our own message: the original may contain the key, the address or the
 * conversation.
 */
function toModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  if (causes(error).some((cause) => cause instanceof PeerError)) return endless();
  if (APICallError.isInstance(error)) {
    if (error.statusCode === 429)
      return new ModelError(
        'model_rate_limited',
        'The model is receiving too many requests right now.',
        true,
        error,
      );
    if (error.statusCode !== undefined && error.statusCode < 400)
      return new ModelError('model_failed', 'The model stopped in the middle of its answer.', true, error);
    if (error.statusCode !== undefined && error.statusCode < 500)
      return new ModelError('model_failed', 'The model refused the request.', false, error);
    return new ModelError('model_unavailable', 'The model cannot be reached.', true, error);
  }
  return new ModelError('model_failed', 'The model sent an invalid answer.', true, error);
}
