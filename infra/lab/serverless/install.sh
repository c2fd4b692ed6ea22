#!/bin/bash
# The parts of AWS that run here, by version in a cache that outlives the lab: AWS's Runtime Interface Emulator (RIE), AWS's
# runtime interface client for Node (compiled, about a minute), and ElasticMQ, which speaks SQS. Nothing is started.
# Prints RIE, RIC and ELASTICMQ, the paths. Nothing to do: 0.1 s. Needs pip, npm, cmake, make, g++, Java 17 and Maven.
set -euo pipefail
SRC=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CACHE=${LEVELSET_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/levelset}

# AWS ships RIE inside the wheel of its SAM CLI. Its Go module cannot be had from a module proxy.
SAM_VERSION=1.170.0
case $(uname -m) in
  x86_64) RIE_NAME=aws-lambda-rie-x86_64 RIE_SHA256=6b1e686e62ab2baf5759c412c4864276ef2a88b094fca53ec070637ccba9b9a5 ;;
  aarch64) RIE_NAME=aws-lambda-rie-arm64 RIE_SHA256=ec2e5d09633d853834c008b1ef264bf834b258a94d551d2b2074966494b39a21 ;;
  *) echo "install.sh: AWS has no Runtime Interface Emulator for $(uname -m)" >&2; exit 1 ;;
esac
ELASTICMQ_VERSION=$(sed -n 's/.*<elasticmq.version>\(.*\)<\/elasticmq.version>.*/\1/p' "$SRC/elasticmq/pom.xml")
RUNTIME=$CACHE/lambda-runtime-$(sha256sum <"$SRC/runtime/package-lock.json" | cut -c1-12)
RIE=$CACHE/aws-lambda-rie-$SAM_VERSION
ELASTICMQ=$CACHE/elasticmq-$ELASTICMQ_VERSION

# What is half made has another name: a part is there when its folder is.
part() { # folder command...
  local folder=$1; shift
  [ ! -d "$folder" ] || return 0
  rm -rf "$folder.new"; mkdir -p "$folder.new"
  "$@" "$folder.new" >"$folder.log" 2>&1 & # on its own, so that its first failure ends it
  wait $! || { tail -20 "$folder.log" >&2; echo "install.sh: $1 failed, see $folder.log" >&2; exit 1; }
  mv "$folder.new" "$folder"; rm -f "$folder.log"
}

take_rie() { # folder
  python3 -m pip download --disable-pip-version-check --no-deps --only-binary=:all: -d "$1/wheel" "aws-sam-cli==$SAM_VERSION"
  python3 -m zipfile -e "$1"/wheel/*.whl "$1/wheel"
  mv "$1/wheel/samcli/local/rapid/$RIE_NAME" "$1/aws-lambda-rie"
  rm -r "$1/wheel"
  echo "$RIE_SHA256  $1/aws-lambda-rie" | sha256sum -c
  chmod 755 "$1/aws-lambda-rie"
}

build_runtime_client() { # folder
  cp "$SRC"/runtime/package.json "$SRC"/runtime/package-lock.json "$1"
  # the headers beside this Node, where there are any: otherwise node-gyp downloads them
  local node; node=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
  [ ! -e "$node/include/node/node.h" ] || export npm_config_nodedir=$node
  (cd "$1" && npm ci --no-audit --no-fund)
  ls "$1/node_modules/aws-lambda-ric/index.mjs" "$1/node_modules/aws-lambda-ric/rapid-client.node"
}

copy_elasticmq() { # folder
  mvn -B -q -f "$SRC/elasticmq/pom.xml" dependency:copy-dependencies -DoutputDirectory="$1"
  ls "$1/elasticmq-server_2.13-$ELASTICMQ_VERSION.jar"
}

mkdir -p "$CACHE"
exec 9>"$CACHE/serverless.lock"; flock 9 # two test files may begin at once
part "$RIE" take_rie
part "$RUNTIME" build_runtime_client
part "$ELASTICMQ" copy_elasticmq
echo "RIE=$RIE/aws-lambda-rie"
echo "RIC=$RUNTIME/node_modules/aws-lambda-ric/index.mjs"
echo "ELASTICMQ=$ELASTICMQ"
