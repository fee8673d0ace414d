import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { whyNoCluster } from '../../support/incus/in-cluster.ts';
import { REPOSITORY } from '../../support/source.ts';

const STAND_IN = join(REPOSITORY, 'test/support/incus/vm/vsock.py');

/**
 * Listens as Incus does for the agents of its guests, and on its own socket, while signals interrupt every system call.
 */
const LISTEN = `
import signal, socket
signal.signal(signal.SIGALRM, lambda *_: None)
signal.siginterrupt(signal.SIGALRM, False)
signal.setitimer(signal.ITIMER_REAL, 0.00005, 0.00005)
for number in range(1500):
    with socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM) as pretended:
        pretended.bind((socket.VMADDR_CID_ANY, 1024))
        pretended.listen()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as real:
        real.bind(f"\\0vauban-vsock-{number}")
        real.listen()
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.connect(f"\\0vauban-vsock-{number}")
signal.setitimer(signal.ITIMER_REAL, 0)
`;

test('the stand-in for vsock pretends to listen, even if a signal repeats the call', {
  skip: whyNoCluster({ vms: true }),
}, () => {
  const { status, stderr } = spawnSync('/usr/bin/python3', [STAND_IN, '/usr/bin/python3', '-c', LISTEN], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
});
