import { type Command, InvalidArgumentError } from 'commander';
import { readContexts } from '../contexts.ts';
import type { Io } from '../io.ts';
import { FIELD_KINDS, idOf, KINDS } from '../names.ts';
import { type GlobalOptions, Session } from '../session.ts';

const SCRIPTS: Record<string, string> = {
  bash: `_vauban() {
  local IFS=$'\\n'
  COMPREPLY=($(vauban complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _vauban vauban`,
  zsh: `#compdef vauban
_vauban() {
  compadd -- \${(f)"$(vauban complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"}
}
compdef _vauban vauban`,
  fish: `complete -c vauban -f -a '(vauban complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
};

/** A person who presses Tab does not wait longer than this. */
const PATIENCE_MS = 3_000;

/**
 * Adds `completion`, which prints a script for the shell to load, and `complete`, which that script runs at each Tab.
 */
export function addCompletion(program: Command, io: Io): void {
  program
    .command('completion')
    .description('print the completion script of a shell: bash, zsh or fish')
    .argument('<shell>', 'bash, zsh or fish', (shell) => {
      if (!Object.hasOwn(SCRIPTS, shell)) throw new InvalidArgumentError('Use bash, zsh or fish.');
      return shell;
    })
    .addHelpText(
      'after',
      `
Examples:
  $ vauban completion bash > /etc/bash_completion.d/vauban
  $ vauban completion fish > ~/.config/fish/completions/vauban.fish`,
    )
    .action((shell: string) => {
      io.stdout.write(`${SCRIPTS[shell]}\n`);
    });
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: string[], _: object, command: Command) => {
      const session = new Session(io, contextIn(words, command.optsWithGlobals<GlobalOptions>()));
      // A name with a line break would become two candidates, and one with a control character could control the
      // terminal.
      const safe = (await candidates(program, session, words)).filter((name) => /^[\x20-\x7e]+$/.test(name));
      for (const candidate of safe) io.stdout.write(`${candidate}\n`);
    });
}

/** Returns the options with the context that the typed line names. */
function contextIn(words: string[], options: GlobalOptions): GlobalOptions {
  const at = words.indexOf('--context');
  const named = words[at + 1];
  return at >= 0 && named && at + 1 < words.length - 1 ? { ...options, context: named } : options;
}

/** Returns the candidates for the last word. */
async function candidates(program: Command, session: Session, words: string[]): Promise<string[]> {
  const typed = words.at(-1) ?? '';
  const { at, given } = placeOf(program, words.slice(0, -1));
  const fitting = (names: string[]) => [...new Set(names)].filter((name) => name.startsWith(typed)).sort();
  const before = words.at(-2) ?? '';
  const option = [...at.options, ...program.options].find(
    ({ long, short, required }) => required && (long === before || short === before),
  );
  if (option) return fitting(await valuesOf(session, option.long!.slice(2), option.argChoices));
  if (typed.startsWith('-')) return fitting([...at.options, ...program.options].map(({ long }) => long!));
  const commands = at.createHelp().visibleCommands(at);
  const names = commands.map((command) => command.name()).filter((name) => name !== 'help');
  const byDefault = commands.find(
    (command) => (at as unknown as Defaults)._defaultCommandName === command.name(),
  );
  const target = byDefault ?? at;
  const argument = target.registeredArguments[given.length];
  const values = argument ? await valuesOf(session, argument.name(), argument.argChoices, given) : [];
  return fitting([...names, ...values]);
}

interface Defaults {
  _defaultCommandName?: string;
}

/** Returns the command being typed and the arguments that it already has. */
function placeOf(program: Command, words: string[]): { at: Command; given: string[] } {
  let at = program;
  const given: string[] = [];
  for (let n = 0; n < words.length; n += 1) {
    const word = words[n]!;
    const option = [...at.options, ...program.options].find(
      ({ long, short }) => long === word || short === word,
    );
    if (option?.required) n += 1;
    if (word.startsWith('-')) continue;
    const next = given.length === 0 ? at.commands.find((command) => command.name() === word) : undefined;
    if (next) at = next;
    else given.push(word);
  }
  return { at, given };
}

/** The kind of thing that an argument names. */
const NAMED: Record<string, string> = {
  vm: 'vm',
  'ssh-key': 'sshkeys',
  snapshot: 'snapshots',
  target: 'targets',
};

/** Returns names from the API or from local files; none if the API cannot be reached. */
async function valuesOf(
  session: Session,
  name: string,
  choices: readonly string[] | undefined,
  given: string[] = [],
): Promise<string[]> {
  if (choices) return [...choices];
  try {
    if (name === 'context') return Object.keys(readContexts(session.io.env).contexts);
    const signal = AbortSignal.any([session.io.signal, AbortSignal.timeout(PATIENCE_MS)]);
    const client = session.newClient({ maxRetries: 0, timeoutMs: PATIENCE_MS });
    if (['plan', 'template', 'region'].includes(name)) {
      const catalog = await client.catalog.get({ signal });
      return catalog[`${name}s` as 'plans' | 'templates' | 'regions'].map(({ code }) => code);
    }
    if (name === 'tenant') return (await client.billing.summary({ signal })).shield_tenant_ids;
    const kind = KINDS[NAMED[name] ?? FIELD_KINDS[name.replaceAll('-', '_')] ?? ''];
    if (!kind?.list || !kind.names) return [];
    const before = given[0] && name === 'snapshot' ? [await idOf(client, 'vm', given[0], [])] : given;
    const { data } = await kind.list(client, '', before).page();
    return data.flatMap((thing) => kind.names!(thing as never)[0] ?? thing.id);
  } catch {
    return [];
  }
}
