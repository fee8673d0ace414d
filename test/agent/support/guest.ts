import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TestContext } from 'node:test';
import ssh2 from 'ssh2';
import { freshKeyPair } from '../../../server/platform/ssh-key-pair.ts';
import { defer } from '../../support/cleanup.ts';

export interface Reaction {
  stdout?: string;
  stderr?: string;
  code?: number;
  /** The whole connection breaks. */
  dies?: true;
  hangs?: true;
}

/** A guest that prints whatever the test wants, behind a real SSH server. */
export interface ScriptedGuest {
  /** Opens a connection to its port 22. */
  open(): Promise<Duplex>;
  /** Every command that reached it, in order. */
  ran: string[];
  /** Resolves when a command that hangs has started. */
  hanging(): Promise<void>;
  /** Makes the hanging command print this and finish. */
  finish(reaction: Reaction): void;
  /** Decides the reaction to a command; may be replaced. */
  react: (command: string) => Reaction;
  refuses: boolean;
  /** Set when the hanging command has been ended from outside. */
  ended: boolean;
}

export async function startGuest(
  t: TestContext,
  react: (command: string) => Reaction,
  { banner }: { banner?: string } = {},
): Promise<ScriptedGuest> {
  let hung = Promise.withResolvers<ssh2.ServerChannel>();
  const answer = (channel: ssh2.ServerChannel, { stdout, stderr, code = 0 }: Reaction) => {
    if (stderr) channel.stderr.write(stderr);
    if (stdout) channel.write(stdout);
    channel.exit(code);
    channel.end();
  };
  const guest: ScriptedGuest = {
    ran: [],
    react,
    refuses: false,
    ended: false,
    open: async () => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
      return socket;
    },
    hanging: async () => void (await hung.promise),
    finish(reaction) {
      const { promise } = hung;
      hung = Promise.withResolvers();
      void promise.then((channel) => answer(channel, reaction));
    },
  };
  const serve = (session: ssh2.Session, client: ssh2.Connection) => {
    session.on('signal', (accept) => accept?.());
    session.on('exec', (accept, _reject, { command }) => {
      const channel = accept();
      channel.on('error', () => {});
      guest.ran.push(command);
      const reaction = guest.react(command);
      if (reaction.dies) return void client.end();
      if (!reaction.hangs) return answer(channel, reaction);
      channel.once('close', () => {
        guest.ended = true;
      });
      hung.resolve(channel);
    });
  };
  const server = new ssh2.Server({ hostKeys: [freshKeyPair().private], banner }, (client) => {
    client.on('error', () => {});
    client.on('authentication', (context) => (guest.refuses ? context.reject() : context.accept()));
    client.on('session', (accept) => serve(accept(), client));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  defer(t, () => server.close());
  return guest;
}
