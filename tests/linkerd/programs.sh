#!/usr/bin/env bash
# usage: tests/linkerd/programs.sh FOLDER
# Downloads from their publishers what `npm run test:linkerd` needs, into FOLDER/bin (programs), FOLDER/charts,
# FOLDER/<version>/{bin,charts}, FOLDER/dashboards and FOLDER/operator, and what `npm run test:languages` needs, into
# FOLDER/pulumi. It runs on linux/amd64, with curl, helm and docker.
set -euo pipefail

linkerd=26.8.3
# The edge releases that became 2.18, 2.19 and 2.20.
older="25.4.4 25.10.7 26.6.3"
# The tests run programs of these, and install the charts of all.
running="25.10.7 26.6.3"
pulumi=3.270.0
operator=2.9.0
# The chart of Linkerd-Viz has this one.
prometheus=2.55.1
step=0.28.7
plugins="command@1.2.1 kubernetes@4.34.2 tls@5.6.1"

mkdir -p "$1"/{bin,charts,operator}
folder=$(realpath "$1")
work=$(mktemp --directory)
trap 'rm -rf "$work"' EXIT

fetch() {
  curl --fail --silent --show-error --location --retry 3 --proto '=https' --output "$2" "$1"
}

# Pulumi's CLI with its hosts of languages.
fetch "https://get.pulumi.com/releases/sdk/pulumi-v$pulumi-linux-x64.tar.gz" "$work/pulumi.tar.gz"
tar --extract --file "$work/pulumi.tar.gz" --directory "$folder"
# The tests know the generator of SDKs under this name, since the test bed's Pulumi has none.
cat > "$folder/pulumi/sdk-generator" <<'PROGRAM'
#!/bin/sh
set -eu
out=$(mktemp --directory)
pulumi package gen-sdk "$1" --language "$2" --out "$out"
cp --recursive "$out/$2/." "$3"
rm -rf "$out"
PROGRAM
chmod +x "$folder/pulumi/sdk-generator"

for plugin in $plugins; do
  PULUMI_HOME=$work/home "$folder/pulumi/pulumi" plugin install resource "${plugin%@*}" "${plugin#*@}"
done
cp "$work"/home/plugins/resource-*/pulumi-resource-* "$folder/bin"

# taken IMAGE FILE PATH: a file from an image.
taken() {
  container=$(docker create "$1")
  docker cp "$container:$2" "$3"
  docker rm "$container" > /dev/null
}

# linkerd_programs VERSION BIN
linkerd_programs() {
  local edge=edge-$1 bin=$2 release own=/usr/lib/linkerd
  mkdir -p "$bin"
  release="https://github.com/linkerd/linkerd2/releases/download/$edge/linkerd2-cli-$edge-linux-amd64"
  fetch "$release" "$work/linkerd"
  fetch "$release.sha256" "$work/linkerd.sha256"
  test "$(sha256sum < "$work/linkerd" | cut -d ' ' -f 1)" = "$(cut -d ' ' -f 1 "$work/linkerd.sha256")"
  install "$work/linkerd" "$bin/linkerd"
  taken "cr.l5d.io/linkerd/controller:$edge" /controller "$bin/controller"
  taken "cr.l5d.io/linkerd/controller:$edge" /linkerd-policy-controller "$bin/linkerd-policy-controller"
  taken "cr.l5d.io/linkerd/proxy:$edge" $own/linkerd2-proxy "$bin/linkerd2-proxy"
  taken "cr.l5d.io/linkerd/proxy:$edge" $own/linkerd2-proxy-identity "$bin/proxy-identity"
  case $1 in
    # Until 2.19, it had an image of its own.
    25.*) taken cr.l5d.io/linkerd/proxy-init:v2.4.3 /usr/local/bin/proxy-init "$bin/linkerd2-proxy-init" ;;
    *) taken "cr.l5d.io/linkerd/proxy:$edge" $own/linkerd2-proxy-init "$bin/linkerd2-proxy-init" ;;
  esac
}
linkerd_programs "$linkerd" "$folder/bin"
for version in $running; do linkerd_programs "$version" "$folder/$version/bin"; done

taken "cr.l5d.io/linkerd/metrics-api:edge-$linkerd" /metrics-api "$folder/bin/metrics-api"
taken "cr.l5d.io/linkerd/tap:edge-$linkerd" /tap "$folder/bin/tap"
taken "cr.l5d.io/linkerd/web:edge-$linkerd" /linkerd/web "$folder/bin/web"

mkdir -p "$folder/dashboards"
fetch "https://raw.githubusercontent.com/linkerd/linkerd2/edge-$linkerd/grafana/dashboards/multicluster.json" \
  "$folder/dashboards/multicluster.json"

fetch "https://github.com/prometheus/prometheus/releases/download/v$prometheus/prometheus-$prometheus.linux-amd64.tar.gz" \
  "$work/prometheus.tar.gz"
tar --extract --file "$work/prometheus.tar.gz" --directory "$work" --strip-components=1
install "$work/prometheus" "$folder/bin/prometheus"

for version in $older "$linkerd"; do
  into=$folder/$version/charts
  if [ "$version" = "$linkerd" ]; then into=$folder/charts; fi
  for chart in linkerd-crds linkerd-control-plane linkerd-multicluster; do
    helm pull "$chart" --repo https://helm.linkerd.io/edge --version "20$version" --untar --untardir "$into"
  done
done
# The tests install with Helm's own program what a stack takes over.
install "$(command -v helm)" "$folder/bin/helm"

taken "docker.io/smallstep/step-cli:$step" /usr/local/bin/step "$folder/bin/step"

image=docker.io/pulumi/pulumi-kubernetes-operator:v$operator
taken "$image" /manager "$folder/bin/pulumi-operator-manager"
taken "$image" /agent "$folder/bin/pulumi-operator-agent"
fetch "https://github.com/pulumi/pulumi-kubernetes-operator/archive/refs/tags/v$operator.tar.gz" "$work/operator.tar.gz"
tar --extract --file "$work/operator.tar.gz" --directory "$folder/operator" --strip-components=2 \
  "pulumi-kubernetes-operator-$operator/deploy/crds" "pulumi-kubernetes-operator-$operator/deploy/quickstart"
