#!/bin/sh
# Deletes a bed's folder with everything that belongs to it: programs that run with the folder for their temporary
# files, such as an engine and its plugins, and control groups of its nodes, whose names begin with the folder's.
# Fails while something is left.
folder=$1
# The environment of each program that an engine of the bed is or has started (environment in pulumi.ts).
programs() {
  grep -lszxF "TMPDIR=$folder/tmp" /proc/[0-9]*/environ
}
groups() {
  find /sys/fs/cgroup -depth -type d -path "/sys/fs/cgroup*/${folder##*/}-*" "$@" 2>/dev/null
}
case ${folder##*/} in
  linkerd-multicluster-bed-*)
    for program in $(programs); do
      program=${program#/proc/}
      kill -KILL "${program%/environ}" 2>/dev/null
    done
    groups -exec rmdir {} +
    ;;
esac
rm -rf "$folder" 2>/dev/null && [ -z "$(programs)$(groups)" ]
