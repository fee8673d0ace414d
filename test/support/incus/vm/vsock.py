"""Runs a program as if the kernel had vhost-vsock, so that Incus runs virtual machines. Usage: vsock.py PROGRAM ARGUMENT...

By a filter of system calls: giving a machine its number there succeeds, and so does listening for its agent, without being
done. Nor is the limit of locked memory raised, which not every root may.
"""

import ctypes
import errno
import fcntl
import os
import select
import socket
import struct
import sys

# As x86-64 has them.
IOCTL, BIND, LISTEN, SETRLIMIT, PRLIMIT, SECCOMP, PIDFD_GETFD = 16, 49, 50, 160, 302, 317, 438
VHOST_VSOCK_SET_GUEST_CID = 0x4008AF60
RLIMIT_MEMLOCK = 8

# Of a filter: load a word, compare and jump, return.
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
NUMBER = 0
ARGUMENT = lambda index: 16 + 8 * index
ALLOW, DONE, ASK = 0x7FFF0000, 0x00050000, 0x7FC00000

# A call, an argument of it, and the value of that: such a call succeeds without being done.
PRETENDED = [
    (IOCTL, 1, VHOST_VSOCK_SET_GUEST_CID),
    (SETRLIMIT, 0, RLIMIT_MEMLOCK),
    (PRLIMIT, 1, RLIMIT_MEMLOCK),
]
FILTER = []
for call, argument, value in PRETENDED:
    FILTER += [
        (LOAD, 0, 0, NUMBER),
        (EQUAL, 0, 3, call),
        (LOAD, 0, 0, ARGUMENT(argument)),
        (EQUAL, 0, 1, value),
        (RETURN, 0, 0, DONE),
    ]
FILTER += [
    (LOAD, 0, 0, NUMBER),
    (EQUAL, 1, 0, BIND),
    (EQUAL, 0, 1, LISTEN),
    (RETURN, 0, 0, ASK),
    (RETURN, 0, 0, ALLOW),
]

NEW_LISTENER = 1 << 3
NOTIFICATION = struct.Struct("=QIIiIQ6Q")
ANSWER = struct.Struct("=QqiI")
RECEIVE, SEND = 0xC0502100, 0xC0182101
CONTINUE = 1

LIBC = ctypes.CDLL(None, use_errno=True)


def install():
    """Puts this process under the filter; what is asked comes by the descriptor that is returned."""
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *line) for line in FILTER))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(FILTER), ctypes.addressof(code)))
    descriptor = LIBC.syscall(SECCOMP, 1, NEW_LISTENER, program)
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), "seccomp")
    return descriptor


def family_of(thread, descriptor):
    """The family of a socket of another process, or none where it is no socket or gone."""
    try:
        with open(f"/proc/{thread}/status", encoding="ascii") as status:
            process = next(int(line.split()[1]) for line in status if line.startswith("Tgid:"))
        handle = os.pidfd_open(process)
        try:
            copy = LIBC.syscall(PIDFD_GETFD, handle, descriptor, 0)
        finally:
            os.close(handle)
        if copy < 0:
            return None
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, copy) as same:
            return same.getsockopt(socket.SOL_SOCKET, socket.SO_DOMAIN)
    except OSError:
        return None


def answer(listener):
    """Lets bind and listen pass, but for sockets of vsock. Ends with the last process under the filter."""
    poll = select.poll()
    poll.register(listener, select.POLLIN)
    while True:
        if poll.poll()[0][1] & select.POLLHUP:
            return
        received = bytearray(NOTIFICATION.size)
        try:
            fcntl.ioctl(listener, RECEIVE, received)
            number, thread, _, call, _, _, descriptor, *_ = NOTIFICATION.unpack(received)
            # Asked anew each time: a number of a descriptor is soon given to another socket.
            is_ours = family_of(thread, descriptor) == socket.AF_VSOCK
            fcntl.ioctl(listener, SEND, bytearray(ANSWER.pack(number, 0, 0, 0 if is_ours else CONTINUE)))
        except OSError as error:
            # The one that asked has ended.
            if error.errno not in (errno.ENOENT, errno.EINTR):
                raise


ours, theirs = socket.socketpair()
if os.fork() == 0:
    os.setsid()
    ours.close()
    _, [received], _, _ = socket.recv_fds(theirs, 1, 1)
    answer(received)
    sys.exit()
# The program keeps this process's number.
theirs.close()
listening = install()
socket.send_fds(ours, [b"."], [listening])
os.close(listening)
os.execv(sys.argv[1], sys.argv[1:])
