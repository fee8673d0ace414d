import { readFileSync } from 'node:fs';
import { ConfigError, reasonOf } from '../platform/config-error.ts';
import type { TSchema } from '../platform/schema.ts';
import { readYaml, type YamlFile } from '../platform/yaml-file.ts';
import { agentProblems } from './model-settings.ts';
import { panelProblems } from './panel-problems.ts';
import { SECRET_FILES } from './panel-settings.ts';
import { productionProblems } from './production.ts';
import type { Kind } from './setting-kinds.ts';
import { fileKey, SETTINGS, type Setting } from './settings.ts';

type Value<S> = S extends { kind: Kind<infer T> }
  ? S extends { default: string }
    ? T
    : T | undefined
  : never;

/** The whole configuration, parsed once at start and passed on; nothing else reads the environment. */
export type Config = { readonly [K in keyof typeof SETTINGS]: Value<(typeof SETTINGS)[K]> };

/** Names the configuration file; can only be set in the environment. */
export const CONFIG_FILE_VARIABLE = 'VAUBAN_CONFIG';

export const ConfigFileSchema = {
  type: 'object',
  properties: Object.fromEntries(
    Object.values<Setting>(SETTINGS).map((setting) => [
      fileKey(setting),
      { ...setting.kind.schema, description: setting.about },
    ]),
  ),
  additionalProperties: false,
  title: 'Vauban configuration',
} satisfies TSchema;

/**
 * Loads a process's configuration: the environment takes precedence over the file, and the file over the defaults. An
 * empty variable counts as absent. Throws {@link ConfigError} with all wrong or unknown settings, not only the first.
 */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const problems = unknownVariables(env);
  const file = collect(problems, () => readConfigFile(env[CONFIG_FILE_VARIABLE]));
  const entries = Object.entries<Setting>(SETTINGS).map(([name, setting]) => {
    const value = fromFile(setting, file, problems) ?? fromText(setting, setting.default);
    return [name, fromEnvironment(setting, env, problems) ?? value];
  });
  const given = Object.fromEntries(entries) as Config;
  const config = { ...given, ...(problems.length === 0 && secretsFromFiles(given, problems)) };
  if (problems.length === 0)
    problems.push(...agentProblems(config), ...panelProblems(config), ...productionProblems(config));
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

function readConfigFile(path: string | undefined): YamlFile<Record<string, unknown>> | undefined {
  return path ? (readYaml(path, ConfigFileSchema) as YamlFile<Record<string, unknown>>) : undefined;
}

/** A mistyped variable must not silently leave the default in place. */
function unknownVariables(env: NodeJS.ProcessEnv): string[] {
  const known = new Set([
    CONFIG_FILE_VARIABLE,
    ...Object.values<Setting>(SETTINGS).map((setting) => setting.env),
  ]);
  return Object.keys(env)
    .filter((name) => name.startsWith('VAUBAN_') && !known.has(name))
    .map((name) => `${name}: is not a setting`);
}

function fromText(setting: Setting, text: string | undefined): unknown {
  return text === undefined ? undefined : setting.kind.parse(text);
}

function fromEnvironment(setting: Setting, env: NodeJS.ProcessEnv, problems: string[]): unknown {
  const text = env[setting.env] || undefined;
  const value = fromText(setting, text);
  if (text !== undefined && value === undefined) problems.push(`${setting.env}: ${refusal(setting, text)}`);
  return value;
}

function fromFile(setting: Setting, file: ReturnType<typeof readConfigFile>, problems: string[]): unknown {
  const key = fileKey(setting);
  if (!file || !Object.hasOwn(file.value, key)) return undefined;
  const text = String(file.value[key]);
  const value = setting.kind.parse(text);
  if (value === undefined) problems.push(file.problem([key], refusal(setting, text)));
  return value;
}

/** Reads secrets from the files that are named in their place. */
function secretsFromFiles(config: Config, problems: string[]): Partial<Config> {
  const secrets = SECRET_FILES.map(([name, fileName]) => {
    const path = config[fileName];
    if (path === undefined) return [name, config[name]];
    const { env, kind }: Setting = SETTINGS[name];
    const refuse = (problem: string) => void problems.push(`${SETTINGS[fileName].env}: ${problem}`);
    if (config[name] !== undefined) return [name, refuse(`set either this or ${env}`)];
    try {
      const value = kind.parse(readFileSync(path, 'utf8').trim());
      return [name, value ?? refuse(`${path} must contain ${kind.expected}`)];
    } catch (error) {
      return [name, refuse(`${path} cannot be read: ${reasonOf(error)}`)];
    }
  });
  return Object.fromEntries(secrets);
}

function refusal(setting: Setting, text: string): string {
  const given = setting.secret ? '' : `, not ${JSON.stringify(text)}`;
  return `must be ${setting.kind.expected}${given}`;
}

function collect<T>(problems: string[], work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
    return undefined;
  }
}
