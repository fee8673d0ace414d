// The SSH server of a guest whose shell floods and paints; a separate process, so that it takes no CPU time from the
// service's. Its argument is the key that may log in; it reports its port on 127.0.0.1.
import { startSshGuest } from '../test/consoles/support/ssh-guest.ts';

const guest = await startSshGuest({ after() {} }, { authorizedKeys: [process.argv[2]!], users: ['debian'] });
process.send!(guest.port);
process.once('disconnect', () => process.exit());
