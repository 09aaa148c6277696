#!/usr/bin/env bash
# Deletes what create.sh has created.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../k3d.sh"

network=linkerd-multicluster-federated

need docker k3d
for cluster in west east north south; do
  cluster_down "$network" "$cluster"
done
network_down "$network"
