#!/bin/sh
# Stands before nft where the kernel has no connection tracking in bridges (nf_conntrack_bridge): leaves out what needs it, so
# that ACLs are in force without a memory of connections.
# In a bridge such a kernel can refuse nothing either, only drop it.
if [ "$1" = -f ] && [ "$2" = - ]; then
  sed -e '/ct state/d' -e 's/\breject\b/drop/' | exec /usr/sbin/nft -f -
else
  exec /usr/sbin/nft "$@"
fi
