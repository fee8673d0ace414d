import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Client } from '../../sdk/src/index.ts';
import { EXIT, Failure } from './failure.ts';
import type { Io } from './io.ts';
import { FIELD_KINDS, idOf } from './names.ts';

export interface Field {
  type: 'string' | 'integer' | 'boolean' | 'strings' | 'json';
  required?: true;
  /** An empty value means null. */
  nullable?: true;
  values?: string[];
  about?: string;
}

export interface Inputs {
  summary: string;
  scope: string;
  /** The kinds of things that the ids in the path identify. */
  variables: string[];
  fields: Record<string, Field>;
}

/**
 * Fields that are long or secret, so that they do not fit on a command line or must not appear in a process list. They
 * are given as `@` and a file name, or `@-` for standard input.
 */
const FROM_FILES = ['user_data', 'public_key', 'password'];

/** Returns the option of a field: "max_charge_minor" is `--max-charge-minor`. */
export const optionOf = (name: string) => `--${name.replaceAll('_', '-')}`;

const wrong = (name: string, what: string) => new Failure(EXIT.wronglyCalled, `${optionOf(name)}: ${what}`);

function whole(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('Use a whole number.');
  return Number(text);
}

function parts(text: string, before: string[] | undefined): string[] {
  return [...(before ?? []), ...text.split(',').filter(Boolean)];
}

function json(text: string): unknown {
  // Plain words and numbers need not be JSON: some fields accept them besides an object.
  if (/^[\w-]+$/.test(text)) return /^\d+$/.test(text) ? Number(text) : text === 'null' ? null : text;
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('Use JSON, such as {"pps":1000}.');
  }
}

export function optionsOf(name: string, field: Field): Option[] {
  const flag = optionOf(name);
  const about = [field.about, field.nullable && field.type !== 'json' && 'empty for none'].filter(Boolean);
  const help = about.join('; ');
  if (field.type === 'boolean')
    return [new Option(flag, help), new Option(flag.replace('--', '--no-'), `not ${flag}`)];
  const shown = { integer: '<n>', strings: '<list>', json: '<json>', string: '<text>' }[field.type];
  const option = new Option(`${flag} ${FROM_FILES.includes(name) ? '<text|@file>' : shown}`, help);
  if (field.type === 'integer') option.argParser(field.nullable ? (text) => text && whole(text) : whole);
  if (field.type === 'strings') option.argParser(parts);
  if (field.type === 'json') option.argParser(json);
  // Longer lists do not fit into the help; the service checks those values.
  if (field.values && field.values.length <= 16) option.choices(field.values);
  return [option];
}

/** Returns the given fields by their API names. */
export async function inputOf(
  io: Io,
  command: Command,
  { fields }: Inputs,
  positional: Record<string, string | undefined>,
): Promise<Record<string, unknown>> {
  const given = command.opts();
  const input: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const key = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    const value = positional[name] ?? given[key];
    if (value === undefined && field.required) throw wrong(name, 'it is required.');
    if (value === undefined) continue;
    input[name] = value === '' && field.nullable ? null : await textOf(io, name, value);
  }
  return input;
}

async function textOf(io: Io, name: string, value: unknown): Promise<unknown> {
  if (typeof value !== 'string' || !FROM_FILES.includes(name) || !value.startsWith('@')) return value;
  if (value === '@-') return trimmed(name, await text(io.stdin as NodeJS.ReadableStream));
  try {
    return trimmed(name, readFileSync(value.slice(1), 'utf8'));
  } catch (error) {
    throw wrong(name, (error as Error).message);
  }
}

/** A one-line file ends with a line break, which is not part of a key or a password. */
const trimmed = (name: string, content: string) => (name === 'user_data' ? content : content.trimEnd());

/** Replaces names with ids in all fields that hold ids. */
export async function withIds(client: Client, input: Record<string, unknown>, ids: string[]): Promise<void> {
  for (const [name, kind] of Object.entries(FIELD_KINDS)) {
    const value = input[name];
    if (typeof value === 'string') input[name] = await idOf(client, kind, value, ids);
    if (!Array.isArray(value)) continue;
    input[name] = await Promise.all(value.map((one: string) => idOf(client, kind, one, ids)));
  }
}
