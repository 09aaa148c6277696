#!/usr/bin/env bash
# Creates the clusters west and east, each with a DNS domain of its own. To be run again after
# Docker was restarted; what is there already stays as it is.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../k3d.sh"

network=linkerd-multicluster-statefulset

need docker k3d kubectl
need_recent_k3d
network_up "$network"
# The source of the link comes last: k3d writes into a cluster's DNS the containers that are there.
for cluster in west east; do
  cluster_up "$network" "$cluster" --k3s-arg "--cluster-domain=$cluster.cluster.local@server:*"
done
