import type { Config } from './config.ts';

export interface RemoteModelSettings {
  provider: 'openai-compatible' | 'anthropic';
  model: string;
  /** Required for an OpenAI-compatible endpoint; defaults to the provider's own. */
  baseUrl: string | undefined;
  apiKey: string | undefined;
}

type AgentConfig = Pick<Config, 'agentProvider' | 'agentModel' | 'agentBaseUrl' | 'agentApiKey'>;

/**
 * Returns what is wrong with the combination of these settings, one sentence each; the values themselves are
 * well-formed.
 */
export function agentProblems(config: AgentConfig): string[] {
  const { agentProvider: provider, agentModel, agentBaseUrl, agentApiKey } = config;
  const needs = (env: string, value: unknown) =>
    value === undefined ? [`${env}: is required with VAUBAN_AGENT_PROVIDER=${provider}`] : [];
  const useless = (env: string, value: unknown) =>
    value === undefined ? [] : [`${env}: has no effect without a VAUBAN_AGENT_PROVIDER other than runbook`];
  switch (provider) {
    case 'openai-compatible':
      return [...needs('VAUBAN_AGENT_MODEL', agentModel), ...needs('VAUBAN_AGENT_BASE_URL', agentBaseUrl)];
    case 'anthropic':
      return [...needs('VAUBAN_AGENT_MODEL', agentModel), ...needs('VAUBAN_AGENT_API_KEY', agentApiKey)];
    default:
      return [
        ...useless('VAUBAN_AGENT_MODEL', agentModel),
        ...useless('VAUBAN_AGENT_BASE_URL', agentBaseUrl),
        ...useless('VAUBAN_AGENT_API_KEY', agentApiKey),
      ];
  }
}

/** Returns the configured model, or undefined for the built-in one. */
export function remoteModel(config: AgentConfig): RemoteModelSettings | undefined {
  if (config.agentProvider === 'runbook') return undefined;
  return {
    provider: config.agentProvider,
    model: config.agentModel!,
    baseUrl: config.agentBaseUrl,
    apiKey: config.agentApiKey,
  };
}
