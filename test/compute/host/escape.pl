# Tries what somebody who has broken out of a machine would try: KIND:NAME each, and says of each what came of it.
use strict;
use warnings;
use Fcntl;
use Socket;

# TUNSETIFF, and a tap without a header of its own before each packet.
my ($attach, $tap) = (0x400454ca, 0x1002);

my %attempts = (
  list => sub { opendir my $directory, $_[0] },
  read => sub { open my $file, '<', $_[0] },
  write => sub { open my $file, '+<', $_[0] },
  create => sub { open my $file, '>', $_[0] },
  remove => sub { unlink $_[0] },
  connect => sub {
    socket my $socket, PF_UNIX, SOCK_STREAM, 0 or die $!;
    connect $socket, sockaddr_un($_[0]);
  },
  tap => sub {
    sysopen my $device, '/dev/net/tun', O_RDWR or die $!;
    ioctl $device, $attach, pack 'a16 s x22', $_[0], $tap;
  },
  signal => sub { kill 0, $_[0] },
);

for (@ARGV) {
  my ($kind, $name) = split /:/, $_, 2;
  print "$kind:$name ", $attempts{$kind}->($name) ? 'done' : "$!", "\n";
}
