#!/usr/bin/env bash
# routes.sh <cluster>...
# Tells each node by which node of another cluster its pods are reached. All nodes are containers on
# one docker network, so a node's address is all it takes.
set -euo pipefail

clusters=("$@")

# One line for each node of a cluster: its name, the addresses of its pods, its own address.
nodes_of() {
  kubectl --context "k3d-$1" get nodes --output jsonpath='{range .items[*]}{.metadata.name} {.spec.podCIDR} {.status.addresses[?(@.type=="InternalIP")].address}{"\n"}{end}'
}

route() {
  local from=$1 to=$2 node pods address
  while read -r node _; do
    while read -r _ pods address _; do
      echo "$node: $pods via $address"
      docker exec "$node" ip route replace "$pods" via "$address" </dev/null
    done <<<"$to"
  done <<<"$from"
}

for from in "${clusters[@]}"; do
  for to in "${clusters[@]}"; do
    [[ "$from" != "$to" ]] || continue
    here=$(nodes_of "$from")
    there=$(nodes_of "$to")
    route "$here" "$there"
  done
done
