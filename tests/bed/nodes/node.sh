#!/bin/sh
# The first process of a node: gives its namespaces the file systems and control groups of a machine of its own, says
# that it is ready, and becomes the process that all others end with.
#
#     node.sh --folder=FOLDER NAME CGROUP PAUSE
set -eu
folder=${1#*=} name=$2 cgroup=$3 pause=$4
mount --make-rshared /
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/lock /run/netns /run/sysctl
hostname "$name"
# The kubelet and the CNI's plugins write to fixed paths there.
for each in lib log; do
  mkdir -p "$folder/$each-upper" "$folder/$each-work"
  mount -t overlay -o "lowerdir=/var/$each,upperdir=$folder/$each-upper,workdir=$folder/$each-work" overlay "/var/$each"
done
# The kubelet wants these values, and would set them for the whole machine: it finds them set.
for setting in vm/overcommit_memory=1 vm/panic_on_oom=0 kernel/panic=10 kernel/panic_on_oops=1 \
  kernel/keys/root_maxkeys=1000000 kernel/keys/root_maxbytes=25000000; do
  file=/run/sysctl/$(echo "${setting%=*}" | tr / _)
  echo "${setting#*=}" > "$file"
  mount --bind "$file" "/proc/sys/${setting%=*}"
done
echo 1 > /proc/sys/net/ipv4/ip_forward
if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
  mkdir "/sys/fs/cgroup/$cgroup"
else
  for controller in /sys/fs/cgroup/*/; do
    [ -L "${controller%/}" ] || mkdir "$controller$cgroup"
  done
  for file in cpuset.cpus cpuset.mems; do
    cat "/sys/fs/cgroup/cpuset/$file" > "/sys/fs/cgroup/cpuset/$cgroup/$file"
  done
fi
: > "$folder/ready"
exec "$pause"
