#!/bin/bash
# kube-apiserver, kube-controller-manager and kubectl, built once from the Go modules that go.mod and go.sum pin.
# 5 to 7 minutes on 2 cores the first time, nothing after that: the binaries stay in a cache by version. Needs Go >= 1.26.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
mkdir -p "$BIN"
flags="-s -w"
for v in "gitVersion=v$K8S_VERSION" "gitMajor=${K8S_VERSION%%.*}" "gitMinor=$(cut -d. -f2 <<<"$K8S_VERSION")" gitTreeState=clean; do
  flags+=" -X k8s.io/component-base/version.$v -X k8s.io/client-go/pkg/version.$v"
done
for c in kube-apiserver kube-controller-manager kubectl; do
  [ -x "$BIN/$c" ] && continue
  (cd "$SRC" && GOFLAGS= go build -trimpath -ldflags="$flags" -o "$BIN/$c.tmp" "k8s.io/kubernetes/cmd/$c" && mv "$BIN/$c.tmp" "$BIN/$c")
done
echo "$BIN"
