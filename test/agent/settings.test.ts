import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '../../server/config/config.ts';
import { remoteModel } from '../../server/config/model-settings.ts';
import { ConfigError } from '../../server/platform/config-error.ts';

const problemsOf = (env: Record<string, string>): readonly string[] => {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems;
  }
};

test('contradicting settings of the agent are refused, and the key is not repeated', () => {
  const cases: [Record<string, string>, string[]][] = [
    [{}, []],
    [
      { VAUBAN_AGENT_PROVIDER: 'anthropic' },
      [
        'VAUBAN_AGENT_MODEL: is required with VAUBAN_AGENT_PROVIDER=anthropic',
        'VAUBAN_AGENT_API_KEY: is required with VAUBAN_AGENT_PROVIDER=anthropic',
      ],
    ],
    [
      { VAUBAN_AGENT_PROVIDER: 'openai-compatible', VAUBAN_AGENT_MODEL: 'm' },
      ['VAUBAN_AGENT_BASE_URL: is required with VAUBAN_AGENT_PROVIDER=openai-compatible'],
    ],
    [
      { VAUBAN_AGENT_API_KEY: 'sk-secret' },
      ['VAUBAN_AGENT_API_KEY: has no effect without a VAUBAN_AGENT_PROVIDER other than runbook'],
    ],
    [
      { VAUBAN_AGENT_PROVIDER: 'anthropic', VAUBAN_AGENT_MODEL: 'm', VAUBAN_AGENT_API_KEY: 'sk secret' },
      ['VAUBAN_AGENT_API_KEY: must be 1 to 300 printable characters without spaces'],
    ],
    [
      { VAUBAN_AGENT_PROVIDER: 'oracle' },
      ['VAUBAN_AGENT_PROVIDER: must be one of runbook, openai-compatible, anthropic, not "oracle"'],
    ],
  ];
  for (const [env, problems] of cases) assert.deepEqual(problemsOf(env), problems);
});

test('without settings the model is the built-in one', () => {
  assert.equal(remoteModel(loadConfig({})), undefined);
  const env = {
    VAUBAN_AGENT_PROVIDER: 'anthropic',
    VAUBAN_AGENT_MODEL: 'm',
    VAUBAN_AGENT_API_KEY: 'sk-secret',
  };
  assert.deepEqual(remoteModel(loadConfig(env)), {
    provider: 'anthropic',
    model: 'm',
    baseUrl: undefined,
    apiKey: 'sk-secret',
  });
});
