#!/usr/bin/env bash
# usage: tests/linkerd/build-programs.sh SOURCES FOLDER
# Builds what programs.sh downloads, except what `npm run test:languages` needs, for machines that reach no more than Git and
# the registries of packages. SOURCES has clones, under these names: linkerd2, linkerd2-proxy, linkerd2-proxy-init,
# linkerd-kubert, pulumi-kubernetes, pulumi-tls, pulumi-command, pulumi-kubernetes-operator and helm; and where the proxy of
# Go modules lacks commits without a tag, fluxcd-pkg and terraform-provider-tls. The script checks out tags in them.
# It needs git, Go, Rust, Node and what compiles C. Programs that are there already are left alone.
set -euo pipefail

# The versions have one owner.
eval "$(grep -E '^(linkerd|older|running|operator|plugins|prometheus|step)=' "$(dirname "$0")/programs.sh")"
helm=3.21.4

mkdir -p "$2/bin"
sources=$(realpath "$1")
folder=$(realpath "$2")
bin=$folder/bin
export CGO_ENABLED=0

# at NAME TAG: goes into a clone and checks out the tag. A clone without it stays at its commit.
at() {
  cd "$sources/$1"
  if git rev-parse --quiet --verify "refs/tags/$2" > /dev/null; then
    git checkout --quiet "tags/$2"
  else
    echo "$1 has no $2, and is built at $(git describe --always --tags)" >&2
  fi
}

# go_program NAME PACKAGE SYMBOLS [FLAGS...]: SYMBOLS are `package.name=value`, or nothing.
go_program() {
  test -e "$bin/$1" && return
  go build -o "$bin/$1" -ldflags "-s -w ${3:+-X $3}" "${@:4}" "$2"
}

# rust_program NAME: without debug assertions, one of which ends requests to pods of a StatefulSet through a gateway.
rust_program() {
  test -e "$bin/$1" && return
  CARGO_PROFILE_DEV_DEBUG_ASSERTIONS=false CARGO_PROFILE_DEV_DEBUG=0 RUSTFLAGS="--cfg tokio_unstable" \
    cargo build --locked --package "$1"
  install "${CARGO_TARGET_DIR:-target}/debug/$1" "$bin/$1"
}

# linkerd_programs VERSION BIN
linkerd_programs() {
  local edge=edge-$1 bin=$2 proxy proxy_init=2.4.9
  if [[ $1 = 25.* ]]; then proxy_init=2.4.3; fi
  mkdir -p "$bin"
  at linkerd2 "$edge"
  go_program linkerd ./cli "github.com/linkerd/linkerd2/pkg/version.Version=$edge" -tags prod
  go_program controller ./controller/cmd "" -tags prod
  go_program proxy-identity ./proxy-identity ""
  rust_program linkerd-policy-controller
  proxy=$(cat .proxy-version)
  at linkerd2-proxy "release/$proxy"
  rust_program linkerd2-proxy
  at linkerd2-proxy-init "proxy-init/v$proxy_init"
  go_program linkerd2-proxy-init ./proxy-init ""
}

# charts VERSION INTO: what Linkerd's release makes of its charts, unpacked.
charts() {
  local tree chart
  tree=$(mktemp --directory)
  git -C "$sources/linkerd2" archive "edge-$1" charts multicluster/charts | tar --extract --directory "$tree"
  mkdir -p "$2"
  for chart in charts/linkerd-{crds,control-plane} multicluster/charts/linkerd-multicluster; do
    mkdir -p "$tree/$chart/charts"
    cp --recursive "$tree/charts/partials" "$tree/$chart/charts/partials"
    sed --in-place "s/^version: .*/version: 20$1/; s/^appVersion: .*/appVersion: edge-$1/" "$tree/$chart/Chart.yaml"
    sed --in-place "s/linkerdVersionValue/edge-$1/" "$tree/$chart/values.yaml"
    rm -rf "${2:?}/${chart##*/}"
    mv "$tree/$chart" "$2"
  done
  rm -rf "$tree"
}

# embedded FROM TO [VERSION]: Pulumi's plugins contain their schemas with their versions.
embedded() {
  node --eval '
    const { readFileSync, writeFileSync } = require("node:fs");
    const [from, to, version] = process.argv.slice(1);
    writeFileSync(to, JSON.stringify({ ...JSON.parse(readFileSync(from, "utf8")), version }));
  ' "$@"
}

# generated_schema VERSION: the schema of Pulumi's provider for Kubernetes, without the kinds that Kubernetes has dropped.
# It is so large that some mirrors leave it out.
generated_schema() {
  local of=v1.36.2 specs=pkg/gen/openapi-specs program=cmd/pulumi-resource-kubernetes dropped
  go build -mod=mod -o ../bin/generator -ldflags "-X $provider.Version=$1" ./cmd/pulumi-gen-kubernetes
  mkdir -p "$specs"
  install --mode 644 "$(module k8s.io/kubernetes@$of)/api/openapi-spec/swagger.json" "$specs/swagger-$of.json"
  for dropped in 17 18 19 20 26 28 30 31; do echo '{}' > "$specs/swagger-v1.$dropped.0.json"; done
  # The generator writes the mapping from Terraform too, and would lose it.
  test -e cmd/pulumi-gen-kubernetes/terraform.json || echo '{}' > cmd/pulumi-gen-kubernetes/terraform.json
  ../bin/generator schema "$specs/swagger-$of.json" "$PWD/.."
  git checkout --quiet -- "$program/terraform-mapping.json"
}

# instead MODULE FOLDER: takes a module from a clone, if there is one.
instead() {
  if [ -e "$sources/$2" ]; then go mod edit -replace "$1=$sources/$2"; fi
}

# module NAME@VERSION: the folder of a Go module.
module() {
  (cd "$(mktemp --directory)" && go mod download -json "$1") | node --print 'JSON.parse(require("fs").readFileSync(0)).Dir'
}

for version in $older; do charts "$version" "$folder/$version/charts"; done
charts "$linkerd" "$folder/charts"

at linkerd2 "edge-$linkerd"
go_program metrics-api ./viz/metrics-api/cmd "" -tags prod
go_program tap ./viz/tap/cmd "" -tags prod
go_program web ./web "" -tags prod
install -D --mode 644 grafana/dashboards/multicluster.json "$folder/dashboards/multicluster.json"

for plugin in $plugins; do
  name=${plugin%@*} version=${plugin#*@}
  at "pulumi-$name" "v$version"
  cd provider
  program=cmd/pulumi-resource-$name
  provider=$(go list -m)/pkg/version
  case $name in
    command) provider=github.com/pulumi/pulumi-command/provider/pkg/version ;;
    tls) instead github.com/hashicorp/terraform-provider-tls terraform-provider-tls ;;&
    kubernetes)
      go mod edit -dropreplace github.com/pulumi/pulumi-kubernetes/sdk/v4
      instead github.com/fluxcd/pkg/ssa fluxcd-pkg/ssa
      test -e "$program/schema.json" || generated_schema "$version"
      embedded "$program/terraform-mapping.json" "$program/terraform-mapping-embed.json"
      ;;&
    kubernetes | tls) embedded "$program/schema.json" "$program/schema-embed.json" "$version" ;;
  esac
  go_program "pulumi-resource-$name" "./$program" "$provider.Version=$version" -mod=mod
done

# The module lacks the page, which nobody opens here. It finds targets in Kubernetes alone.
cd "$(mktemp --directory)"
cp --recursive --no-preserve=mode "$(module "github.com/prometheus/prometheus@v0.${prometheus#2.}")/." .
printf 'package plugins\n\nimport _ "github.com/prometheus/prometheus/discovery/kubernetes"\n' > plugins/plugins.go
go_program prometheus ./cmd/prometheus ""

at helm "v$helm"
go_program helm ./cmd/helm "helm.sh/helm/v3/internal/version.version=v$helm"

cd "$(mktemp --directory)"
cp --recursive --no-preserve=mode "$(module "github.com/smallstep/cli@v$step")/." .
go_program step ./cmd/step ""

at pulumi-kubernetes-operator "v$operator"
package=github.com/pulumi/pulumi-kubernetes-operator/v2
go_program pulumi-operator-manager ./operator/cmd "$package/operator/version.Version=v$operator"
go_program pulumi-operator-agent ./agent "$package/agent/version.Version=v$operator"
mkdir -p "$folder/operator"
cp --recursive deploy/crds deploy/quickstart "$folder/operator"

# Linkerd's programs in Rust take crates from this repository, which Cargo would fetch.
export CARGO_NET_GIT_FETCH_WITH_CLI=true GIT_CONFIG_COUNT=1
export GIT_CONFIG_KEY_0=url.$sources/linkerd-kubert.insteadOf
export GIT_CONFIG_VALUE_0=https://github.com/linkerd/linkerd-kubert.git
linkerd_programs "$linkerd" "$folder/bin"
for version in $running; do linkerd_programs "$version" "$folder/$version/bin"; done
