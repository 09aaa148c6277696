#!/usr/bin/env bash
# Creates the clusters west, east and north on one flat network, and with `create.sh south` a fourth:
# pods of each have addresses that no other uses, and routes.sh lets them reach each other. To be run
# again after Docker was restarted or a cluster was stopped, since a node that starts has lost its
# routes; what is there already stays as it is.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../k3d.sh"

network=linkerd-multicluster-federated

need docker k3d kubectl
need_recent_k3d

clusters=(east north west)
case "${1:-}" in
  "") ! is_on "$network" south 2>/dev/null || clusters+=(south) ;;
  south) clusters+=(south) ;;
  *)
    echo "This example has no cluster $1: create.sh takes no argument, or south." >&2
    exit 1
    ;;
esac

# Not 10.43.0.0/16, which k3s gives to Services.
pods_of() {
  case "$1" in
    west) echo 10.42.0.0/16 ;;
    east) echo 10.44.0.0/16 ;;
    north) echo 10.45.0.0/16 ;;
    south) echo 10.46.0.0/16 ;;
  esac
}

network_up "$network"
# West, the source of the links, comes after their targets: k3d writes into a cluster's DNS the
# containers that are there.
for cluster in "${clusters[@]}"; do
  cluster_up "$network" "$cluster" --k3s-arg "--cluster-cidr=$(pods_of "$cluster")@server:*"
done
"$(dirname "${BASH_SOURCE[0]}")/routes.sh" "${clusters[@]}"
