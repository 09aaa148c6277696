#!/usr/bin/env bash
# Creates the clusters west, east and north on one flat network: pods of each have addresses that no
# other uses, and routes.sh lets them reach each other. To be run again after Docker was restarted,
# which takes the routes away; what is there already stays as it is.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../k3d.sh"

network=linkerd-multicluster-federated

need docker k3d kubectl
network_up "$network"
# Not 10.43.0.0/16, which k3s gives to Services.
cluster_up "$network" west --k3s-arg "--cluster-cidr=10.42.0.0/16@server:*"
cluster_up "$network" east --k3s-arg "--cluster-cidr=10.44.0.0/16@server:*"
cluster_up "$network" north --k3s-arg "--cluster-cidr=10.45.0.0/16@server:*"
"$(dirname "${BASH_SOURCE[0]}")/routes.sh"
