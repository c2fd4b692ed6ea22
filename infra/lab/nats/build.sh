#!/bin/bash
# nats-server, built once from the Go module that go.mod and go.sum pin: 12 s, and nothing after that. Prints its path.
set -euo pipefail
SRC=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
VERSION=$(sed -n 's/^.*nats-server\/v2 \(v[0-9.]*\).*$/\1/p' "$SRC/go.mod")
BIN=${LEVELSET_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/levelset}/nats-$VERSION
mkdir -p "$BIN"
[ -x "$BIN/nats-server" ] ||
  (cd "$SRC" && GOFLAGS= go build -trimpath -ldflags='-s -w' -o "$BIN/nats-server.$$" github.com/nats-io/nats-server/v2 && mv "$BIN/nats-server.$$" "$BIN/nats-server")
echo "$BIN/nats-server"
