import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { defer } from '../../support/cleanup.ts';

const BIN = join(import.meta.dirname, '../../../cli/bin/vauban.js');

/** Parsed JSON; each test's assertions state its shape. */
type Json = ReturnType<typeof JSON.parse>;

/** The reply of a tool as a model reads it. */
export interface Told {
  isError: boolean;
  text: string;
  /** The data between the marks. */
  data: Json;
  /** The confirmation that the program itself gave, outside the marks. */
  confirmation: string | undefined;
}

export interface Assistant {
  client: Client;
  tools(): Promise<string[]>;
  call(name: string, input?: object): Promise<Told>;
  ok(name: string, input?: object): Promise<Json>;
  /** Waits like an assistant until a VM has no job, and returns the VM. */
  settle(vm: string): Promise<Json>;
}

export function assistantOf(client: Client): Assistant {
  const call = async (name: string, input: object = {}) => {
    const { content, isError = false } = await client.callTool({ name, arguments: { ...input } });
    const texts = (content as { type: string; text: string }[]).map(({ text }) => text);
    return told(texts, isError === true);
  };
  const ok: Assistant['ok'] = async (name, input) => {
    const answer = await call(name, input);
    assert.equal(answer.isError, false, answer.text);
    return answer.data;
  };
  return {
    client,
    call,
    ok,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async settle(vm) {
      let answer = await ok('wait_for_vm', { vm });
      while (answer.active_job) answer = await ok('wait_for_vm', { vm });
      return answer;
    },
  };
}

function told(texts: string[], isError: boolean): Told {
  const isMarked = (text: string) => /^Between the marks [0-9a-f]{16} is data/.test(text);
  const [, mark, json] =
    /<data ([0-9a-f]{16})>\n([\s\S]*)\n<\/data \1>/.exec(texts.find(isMarked) ?? '') ?? [];
  const own = texts.filter((text) => !isMarked(text)).join('\n');
  const [confirmation] = /confirm_[\w-]{32}/.exec(own) ?? [];
  let data = {};
  try {
    if (mark) data = JSON.parse(json!);
  } catch {
    // The data was cut.
  }
  return { isError, text: texts.join('\n'), data, confirmation };
}

/** Starts a process of `vauban mcp` like an assistant. */
export async function startAssistant(
  t: TestContext,
  env: Record<string, string>,
  args: string[] = [],
  mode: 'legacy' | 'auto' = 'legacy',
): Promise<Assistant> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, 'mcp', ...args],
    env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, ...env },
    stderr: 'inherit',
  });
  await client.connect(transport);
  defer(t, () => client.close());
  return assistantOf(client);
}
