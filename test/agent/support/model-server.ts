import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { defer } from '../../support/cleanup.ts';

export interface Answer {
  text?: string;
  command?: string;
  reason?: string;
  /** The raw arguments of the call, valid or not. */
  rawArguments?: string;
  toolName?: string;
  /** Makes two calls in one answer. */
  second?: string;
  status?: number;
  /** Sends its text and then nothing more. */
  stalls?: true;
  /** Sends its text, then breaks the connection. */
  breaksOff?: true;
  /** Replaces the stream. */
  invalidToolCall?: string;
}

/** An answer, or a function of the request, which contains the conversation. */
export type Answerer = Answer | ((request: string) => Answer);

/** A server with the protocol of OpenAI's chat completions that says whatever the test wants. */
export interface ModelServer {
  baseUrl: string;
  // biome-ignore lint/suspicious/noExplicitAny: requests as they came
  requests: any[];
  /** Replaces the script. */
  become(script: readonly Answerer[]): void;
  /** Resolves when a stalled request has sent its text. */
  stalled(): Promise<void>;
}

const send = (response: ServerResponse, delta: object, finish: string | null = null) =>
  response.write(
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`,
  );

const call = (index: number, name: string, args: string) => ({
  tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: args } }],
});

function stream(response: ServerResponse, answer: Answer): boolean {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (answer.invalidToolCall !== undefined) {
    response.end(answer.invalidToolCall);
    return true;
  }
  for (const piece of (answer.text ?? '').split(/(?<= )/)) if (piece) send(response, { content: piece });
  if (answer.stalls) return false;
  if (answer.breaksOff) {
    setImmediate(() => response.destroy());
    return true;
  }
  const { command, reason = 'to see', toolName = 'run_command' } = answer;
  const args =
    answer.rawArguments ?? (command === undefined ? undefined : JSON.stringify({ command, reason }));
  if (args !== undefined) send(response, call(0, toolName, args));
  if (answer.second !== undefined)
    send(response, call(1, toolName, JSON.stringify({ command: answer.second, reason })));
  send(response, {}, args === undefined ? 'stop' : 'tool_calls');
  response.write(
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } })}\n\n`,
  );
  response.end('data: [DONE]\n\n');
  return true;
}

/** Starts a model that takes each answer from `script` in turn and repeats the last one. */
export async function startModel(t: TestContext, script: readonly Answerer[]): Promise<ModelServer> {
  const stalled = Promise.withResolvers<void>();
  let answers = script;
  const model: ModelServer = {
    baseUrl: '',
    requests: [],
    become(next) {
      answers = next;
      model.requests.length = 0;
    },
    stalled: () => stalled.promise,
  };
  const server = createServer(async (request, response) => {
    model.requests.push(await json(request));
    const next = answers[Math.min(model.requests.length, answers.length) - 1]!;
    const answer = typeof next === 'function' ? next(JSON.stringify(model.requests.at(-1))) : next;
    if (answer.status) {
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify({ error: { message: 'secret detail of the provider' } }));
    }
    if (!stream(response, answer)) stalled.resolve();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  model.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  defer(t, () => {
    server.closeAllConnections();
    server.close();
  });
  return model;
}
