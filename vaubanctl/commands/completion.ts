import { type Command, InvalidArgumentError } from 'commander';
import { print } from '../output.ts';

const SCRIPTS: Record<string, string> = {
  bash: `_vaubanctl() {
  local IFS=$'\\n'
  COMPREPLY=($(vaubanctl complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _vaubanctl vaubanctl`,
  zsh: `#compdef vaubanctl
_vaubanctl() {
  compadd -- \${(f)"$(vaubanctl complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"}
}
compdef _vaubanctl vaubanctl`,
  fish: `complete -c vaubanctl -f -a '(vaubanctl complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
};

/**
 * Adds `completion`, which prints a script for the shell to load, and `complete`, which that script runs at each Tab.
 */
export function completion(program: Command): void {
  program
    .command('completion')
    .description('print the completion script of a shell: bash, zsh or fish')
    .argument('<shell>', 'bash, zsh or fish', (shell) => {
      if (!(shell in SCRIPTS)) throw new InvalidArgumentError('Use bash, zsh or fish.');
      return shell;
    })
    .addHelpText(
      'after',
      `
Examples:
  $ vaubanctl completion bash > /etc/bash_completion.d/vaubanctl
  $ vaubanctl completion fish > ~/.config/fish/completions/vaubanctl.fish`,
    )
    .action((shell: string) => {
      for (const line of SCRIPTS[shell]!.split('\n')) print(line);
    });
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action((words: string[]) => {
      for (const candidate of candidates(program, words)) print(candidate);
    });
}

/** Returns the candidates for the last word: commands, or options if it begins with a dash. */
function candidates(program: Command, words: string[]): string[] {
  const typed = words.at(-1) ?? '';
  let at = program;
  for (const word of words.slice(0, -1)) at = at.commands.find((command) => command.name() === word) ?? at;
  const names = typed.startsWith('-')
    ? [...at.options, ...program.options].map(({ long }) => long!)
    : at
        .createHelp()
        .visibleCommands(at)
        .map((command) => command.name())
        .filter((name) => name !== 'help');
  return [...new Set(names)].filter((name) => name.startsWith(typed)).sort();
}
