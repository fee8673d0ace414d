// The SSH server of a guest whose shell pours and paints; a process of its own, so that it takes nothing of the
// service's. Given the key that logs in; says at which port of 127.0.0.1 it listens.
import { startSshGuest } from '../test/consoles/support/ssh-guest.ts';

const guest = await startSshGuest({ after() {} }, { authorizedKeys: [process.argv[2]!], users: ['debian'] });
process.send!(guest.port);
process.once('disconnect', () => process.exit());
