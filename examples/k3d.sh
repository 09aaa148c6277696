# shellcheck shell=bash
# What the examples' scripts share. Each example has a docker network of its own, by which a cluster
# is known to be the example's: whatever else is called "west" on this machine is left alone.

# Kubernetes as in this repository's own tests, and the newest that Linkerd's tests ran on.
K3S_IMAGE="${K3S_IMAGE:-docker.io/rancher/k3s:v1.36.3-k3s1}"

# The first whose clusters ask Docker for names they do not know themselves. An older one knows only the
# containers that were there when the cluster was created, so west would not find a cluster that joins
# later. Meant for, and checked against the source of, k3d 5.6.2 to 5.9.0.
OLDEST_K3D=5.6.2

# need <program>...
need() {
  local program missing=0
  for program in "$@"; do
    command -v "$program" >/dev/null && continue
    echo "$program is not on the PATH: see Prerequisites in README.md" >&2
    missing=1
  done
  return "$missing"
}

# need_recent_k3d
need_recent_k3d() {
  local found
  found=$(k3d version)
  if [[ "$found" =~ v([0-9]+)\.([0-9]+)\.([0-9]+) ]]; then
    found="${BASH_REMATCH[1]}.${BASH_REMATCH[2]}.${BASH_REMATCH[3]}"
    (($(number_of "$found") < $(number_of "$OLDEST_K3D"))) || return 0
  fi
  echo "This needs k3d $OLDEST_K3D or later, and this is $found." >&2
  return 1
}

# number_of <version>: a number that is greater for a later version
number_of() {
  local major minor patch
  IFS=. read -r major minor patch <<<"$1"
  echo "$((major * 1000000 + minor * 1000 + patch))"
}

# network_up <network>
network_up() {
  docker network inspect "$1" >/dev/null 2>&1 || docker network create "$1" >/dev/null
}

# cluster_up <network> <cluster> [k3d's flags for a new cluster...]
cluster_up() {
  local network=$1 cluster=$2
  shift 2
  if ! is_there "$cluster"; then
    # Linkerd's charts bring the Gateway API's CRDs, which k3s would install with traefik.
    k3d cluster create "$cluster" --image "$K3S_IMAGE" --network "$network" \
      --k3s-arg "--disable=traefik,metrics-server@server:*" "$@" \
      --kubeconfig-switch-context=false --wait
  elif is_on "$network" "$cluster"; then
    k3d cluster start "$cluster"
    k3d kubeconfig merge "$cluster" --kubeconfig-merge-default --kubeconfig-switch-context=false
  else
    echo "There is a k3d cluster $cluster already, and it is not this example's: delete it first." >&2
    return 1
  fi
  # The node has its pod CIDR once it is ready.
  kubectl --context "k3d-$cluster" wait "node/k3d-$cluster-server-0" --for=create --timeout=120s
  kubectl --context "k3d-$cluster" wait node --all --for=condition=Ready --timeout=180s
}

# cluster_down <network> <cluster>
cluster_down() {
  if ! is_there "$2"; then
    echo "There is no cluster $2."
  elif is_on "$1" "$2"; then
    k3d cluster delete "$2"
  else
    echo "Cluster $2 is not this example's, so it stays." >&2
  fi
}

# network_down <network>
network_down() {
  ! docker network inspect "$1" >/dev/null 2>&1 || docker network rm "$1"
}

is_there() {
  k3d cluster get "$1" >/dev/null 2>&1
}

# is_on <network> <cluster>
is_on() {
  local networks
  networks=$(docker inspect "k3d-$2-server-0" \
    --format '{{range $name, $_ := .NetworkSettings.Networks}}{{$name}} {{end}}') || return 1
  [[ " $networks " == *" $1 "* ]]
}
