import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { EXIT, Failure } from './failure.ts';

/** The URL of a service and an API key for it. */
export interface Context {
  url: string;
  key: string;
}

export interface Contexts {
  current: string | null;
  contexts: Record<string, Context>;
}

type Env = Record<string, string | undefined>;

const NAME = /^[\w.-]{1,64}$/;
const wrong = (...lines: string[]) => new Failure(EXIT.wronglyCalled, ...lines);

/** Returns the path of the contexts file: `VAUBAN_CONFIG`, or the XDG config directory. */
export function contextsFile(env: Env): string {
  if (env.VAUBAN_CONFIG) return env.VAUBAN_CONFIG;
  const base = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config');
  return join(base, 'vauban', 'contexts.json');
}

/** Reads the stored contexts. Refuses a file that others can read, because it contains keys. */
export function readContexts(env: Env): Contexts {
  const path = contextsFile(env);
  let text: string;
  try {
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
      throw wrong(
        `Other users can read ${path}, which contains your keys.`,
        `Restrict it: chmod 600 ${path}`,
      );
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { current: null, contexts: {} };
    throw error;
  }
  try {
    const { current = null, contexts = {} } = JSON.parse(text) as Partial<Contexts>;
    return { current, contexts: Object.assign(Object.create(null), contexts) };
  } catch {
    throw wrong(`${path} is not valid JSON. Fix or remove it.`);
  }
}

/** Writes the contexts atomically, in a file that only its owner can read. */
export function writeContexts(env: Env, contexts: Contexts): void {
  const path = contextsFile(env);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const unfinished = `${path}.${process.pid}`;
  try {
    writeFileSync(unfinished, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    chmodSync(unfinished, 0o600);
    renameSync(unfinished, path);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** Returns `name` if it is a valid name for a context; throws otherwise. */
export function requireName(name: string): string {
  if (!NAME.test(name) || name === '__proto__')
    throw wrong(`"${name}" is not a valid context name: use at most 64 letters, digits, ".", "_" and "-".`);
  return name;
}

/** Returns the URL of a service without `/v1`; throws if it is invalid. */
export function requireUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash)
    throw wrong(`"${text}" is not the address of a service. It looks like https://cloud.example.`);
  return url.href.replace(/\/(v1\/?)?$/, '');
}

/** Returns the trimmed API key; throws if it has characters that a header cannot contain. */
export function requireKey(text: string): string {
  const key = text.trim();
  if (!/^[\x21-\x7e]{8,256}$/.test(key))
    throw wrong('This is not an API key. A key is one word that begins with vk_.');
  return key;
}

/**
 * Returns the context to use: the one named by option, or `VAUBAN_API_KEY` with `VAUBAN_URL`, or `VAUBAN_CONTEXT`, or
 * the current one, in this order.
 */
export function contextFor(env: Env, named: string | undefined): Context {
  if (named === undefined && env.VAUBAN_API_KEY) {
    if (!env.VAUBAN_URL)
      throw wrong('VAUBAN_API_KEY is set, but VAUBAN_URL is not.', 'Set it to the address of the service.');
    return { url: requireUrl(env.VAUBAN_URL), key: requireKey(env.VAUBAN_API_KEY) };
  }
  const { current, contexts } = readContexts(env);
  const name = named ?? (env.VAUBAN_CONTEXT || current);
  if (name === null)
    throw wrong(
      'No service is configured yet.',
      'Add one: vauban context create <name> --url https://cloud.example',
      'Or set VAUBAN_URL and VAUBAN_API_KEY.',
    );
  const context = contexts[name];
  if (!context) throw wrong(`There is no context "${name}".`, 'List all contexts: vauban context list');
  return context;
}
