#!/bin/bash
# kube-apiserver, kube-controller-manager and kubectl, built once from the Go modules that go.mod and go.sum pin.
# 5 to 7 minutes on 2 cores the first time, nothing after that: the binaries stay in a cache by version. Needs Go >= 1.26.
# KUBE_VERSION=1.29: the apiserver of the oldest version that is supported, too.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
build() { # version program...
  local version full bin flags v c; version=$1; full=$(full_version "$version"); bin=$CACHE/kubernetes-v$full; shift
  mkdir -p "$bin"
  flags="-s -w"
  for v in "gitVersion=v$full" "gitMajor=${full%%.*}" "gitMinor=$(cut -d. -f2 <<<"$full")" gitTreeState=clean; do
    flags+=" -X k8s.io/component-base/version.$v -X k8s.io/client-go/pkg/version.$v"
  done
  for c in "$@"; do
    [ -x "$bin/$c" ] && continue
    # without the cloud providers that were part of Kubernetes once
    (cd "$SRC/$version" && GOFLAGS= go build -tags providerless -trimpath -ldflags="$flags" -o "$bin/$c.tmp" "k8s.io/kubernetes/cmd/$c" && mv "$bin/$c.tmp" "$bin/$c")
  done
}
build $NEWEST kube-apiserver kube-controller-manager kubectl
build "$KUBE_VERSION" kube-apiserver
echo "$BIN"
