import { EXIT, Failure } from './failure.ts';
import { vmOf } from './names.ts';
import type { Session } from './session.ts';

export interface SshOptions {
  login?: string | undefined;
  identity?: string | undefined;
  option?: string[] | undefined;
}

/** Returns the arguments of `ssh`, without a command, that connect to a VM (`user@name`) through the service. */
export async function sshTo(session: Session, given: string, options: SshOptions): Promise<string[]> {
  const [, userInName, name] = /^(?:([^@]*)@)?(.*)$/s.exec(given)!;
  const vm = await vmOf(session.client, name!);
  const user = options.login ?? userInName ?? (await defaultUser(session, vm.template));
  // Runs this program again the way it was started.
  const proxy = [process.execPath, ...process.execArgv, process.argv[1]!];
  if (session.context !== undefined) proxy.push('--context', session.context);
  return [
    ...['-o', `ProxyCommand=${[...proxy, 'ssh-proxy', vm.id].map(quoted).join(' ')}`],
    // The host key belongs to the VM, even if the VM moves or is renamed.
    ...['-o', `HostKeyAlias=${vm.id}`],
    ...(options.option ?? []).flatMap((option) => ['-o', option]),
    ...(options.identity ? ['-i', options.identity] : []),
    ...['-l', user, '--', vm.id],
  ];
}

/** Quotes a word for the shell that ssh runs; ssh itself expands "%" first. */
const quoted = (word: string) => `'${word.replaceAll('%', '%%').replaceAll("'", "'\\''")}'`;

async function defaultUser({ client }: Session, template: string): Promise<string> {
  const { templates } = await client.catalog.get();
  const found = templates.find(({ code }) => code === template);
  if (!found) throw new Failure(EXIT.wronglyCalled, 'Its image is no longer sold. Name the user with -l.');
  return found.default_user;
}
