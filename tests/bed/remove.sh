#!/bin/sh
# Deletes a bed's folder, and the control groups of its nodes, whose names begin with the folder's. Fails while
# something is left.
folder=$1
groups() {
  find /sys/fs/cgroup -depth -type d -path "/sys/fs/cgroup*/${folder##*/}-*" "$@" 2>/dev/null
}
case ${folder##*/} in
  linkerd-multicluster-bed-*) groups -exec rmdir {} + ;;
esac
rm -rf "$folder" 2>/dev/null && [ -z "$(groups)" ]
