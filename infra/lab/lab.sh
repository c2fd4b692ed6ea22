#!/bin/bash
# lab.sh up              installs what is missing, starts OpenStack with its data plane and Kubernetes; idempotent
# lab.sh down [--purge]  stops everything that up started; --purge forgets the data too
# lab.sh status          what runs, and what it holds
# lab.sh env [N]         the lines that a shell needs: eval "$(infra/lab/lab.sh env)"; N: of this cluster
# LAB_CLUSTERS (2) Kubernetes clusters share one OpenStack. KUBE_VERSION (1.36): the version of each in turn, as '1.36 1.29'; the
# last counts for all that follow. State: LAB (default /var/tmp/levelset-lab/openstack) and KUBE (default
# /var/tmp/levelset-lab/kube; that of the second cluster is KUBE-2). See README.md.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export LAB=${LAB:-/var/tmp/levelset-lab/openstack} KUBE=${KUBE:-/var/tmp/levelset-lab/kube}
export LAB_CLUSTERS=${LAB_CLUSTERS:-2}
read -ra VERSIONS <<<"${KUBE_VERSION:-1.36}"
OPENSTACK=$HERE/openstack KUBERNETES=$HERE/kubernetes
say() { printf '[%4d s] %s\n' "$SECONDS" "$*"; }
fail() { echo "lab.sh: $*" >&2; exit 1; }
indent() { sed -u 's/^/         /'; }

# A command with the environment of a cluster: state and ports of its own.
cluster() { # number command...
  local n=$1 version; shift
  version=${VERSIONS[n - 1]:-${VERSIONS[-1]}}
  if ((n == 1)); then env KUBE_VERSION="$version" "$@"; return; fi
  env KUBE_VERSION="$version" KUBE="$KUBE-$n" KUBE_API_PORT=$((${KUBE_API_PORT:-16443} + n - 1)) KUBE_ETCD_PORT=$((${KUBE_ETCD_PORT:-12379} + 10 * (n - 1))) \
    KUBE_KCM_PORT=$((${KUBE_KCM_PORT:-16257} + n - 1)) KUBE_AUDIT_URL="https://127.0.0.1:$((18079 + n))/audit/lab" "$@"
}

requirements() {
  [ "$(id -u)" = 0 ] || fail "the lab needs root: network namespaces, a database of its own, packages"
  (. /etc/os-release 2>/dev/null && [ "${ID:-}" = debian ] && [ "${VERSION_ID:-}" = 12 ]) && command -v apt-get >/dev/null ||
    fail "the lab needs Debian 12 with apt: its OpenStack (Zed) is the one packaged there"
  local version; version=$(go env GOVERSION 2>/dev/null || true)
  printf '%s\n' go1.26 "${version:-none}" | sort -V -C && [ -n "$version" ] ||
    fail "the lab needs Go 1.26 or newer to build Kubernetes, found ${version:-none}"
  unshare -n true 2>/dev/null || fail "the lab needs to make network namespaces (in a container: --privileged)"
  ((${#LAB} <= 44)) || fail "LAB=$LAB is too long: haproxy's socket paths leave it 44 characters"
}

# Ports that the lab listens on must be free, unless it is the lab that listens.
ports_free() {
  [ ! -s "$LAB/run/mariadb.pid" ] || return 0
  local taken
  taken=$(ss -Hltn | awk '{n = split($4, a, ":"); print a[n]}' | sort -nu |
    grep -xE "5000|8774|8778|9292|9311|9696|9876|${LAB_DB_PORT:-13306}|${LAB_MQ_PORT:-15672}|${LAB_MC_PORT:-11211}" | paste -sd' ' || true)
  [ -z "$taken" ] || fail "something else listens on port $taken"
}

# What a daemon of OpenStack or of the data plane carries in its environment; nothing may be left after down.
remains() {
  local f pid
  for f in $(grep -lzxsF "LAB_MARK=$LAB" /proc/[0-9]*/environ); do
    pid=${f//[^0-9]/}
    echo "$pid $(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | cut -c1-150)"
  done
}

up() {
  local version
  requirements
  mkdir -p "$LAB" "$KUBE"
  say "installing: Debian packages, and Kubernetes built from source (the first time 7 minutes on two cores)"
  for version in "${VERSIONS[@]}"; do KUBE_VERSION=$version bash "$KUBERNETES/build.sh"; done >"$KUBE/build.log" 2>&1 & local build=$!
  bash "$HERE/packages.sh" >"$LAB/packages.log" 2>&1 ||
    { tail -20 "$LAB/packages.log" >&2; kill "$build" 2>/dev/null || true; fail "apt failed, see $LAB/packages.log"; }
  say "packages are there"
  bash "$HERE/serverless/install.sh" >"$LAB/serverless.log" 2>&1 & local serverless=$!
  wait "$build" || { tail -20 "$KUBE/build.log" >&2; fail "go build failed, see $KUBE/build.log"; }
  say "Kubernetes is there"
  wait "$serverless" || { tail -20 "$LAB/serverless.log" >&2; fail "the parts of AWS are not there, see $LAB/serverless.log"; }
  say "AWS's runtime and ElasticMQ are there"
  ports_free
  say "starting: OpenStack with its data plane"
  LAB_DATAPLANE=1 bash "$OPENSTACK/up.sh" | indent
  say "starting: Kubernetes ${VERSIONS[*]}"
  local n
  for n in $(seq 1 "$LAB_CLUSTERS"); do cluster "$n" bash "$KUBERNETES/up.sh" | indent; done
  say "the lab is up: eval \"\$($0 env)\""
}

down() {
  [ "$(id -u)" = 0 ] || fail "the lab runs as root"
  say "stopping: Kubernetes"
  local n
  for n in 1 2 3 4 5 6 7 8 9; do
    ((n > LAB_CLUSTERS)) && [ ! -d "$KUBE-$n" ] || cluster "$n" bash "$KUBERNETES/down.sh" "$@"
  done
  say "stopping: OpenStack"
  bash "$OPENSTACK/down.sh" "$@"
  local left; left=$(remains)
  if [ "${1:-}" = --purge ]; then rm -f "$LAB/packages.log" "$LAB/serverless.log" "$KUBE/build.log"; rmdir --ignore-fail-on-non-empty "$LAB" "$KUBE" "$KUBE"-[2-9] 2>/dev/null || true; fi
  [ -z "$left" ] || { echo "$left" >&2; fail "these are still running"; }
  say "nothing of the lab is running"
}

status() {
  local code=0
  for part in "keystone 5000" "neutron 9696" "octavia 9876" "nova 8774" "barbican 9311" \
    $(for n in $(seq 1 "$LAB_CLUSTERS"); do echo "apiserver-$n:$((${KUBE_API_PORT:-16443} + n - 1))"; done); do
    part=${part/:/ }
    if (exec 3<>"/dev/tcp/127.0.0.1/${part#* }") 2>/dev/null; then echo "up    $part"; else echo "down  $part"; code=1; fi
  done
  bash "$OPENSTACK/dataplane.sh" status || code=1
  [ -d "$LAB/run" ] && bash "$OPENSTACK/labctl.sh" ps || true
  return $code
}

env_lines() {
  local n; n=$([ "${1:-1}" = 1 ] || echo "-$1")
  echo "export KUBECONFIG=$KUBE$n/admin.kubeconfig"
  echo "export OS_CLIENT_CONFIG_FILE=$LAB/clouds.yaml OS_CLOUD=lab-demo$n"
  echo "export PATH=$(KUBE_VERSION=${VERSIONS[0]} bash -c '. "$0/lib.sh"; echo "$BIN"' "$KUBERNETES"):\$PATH"
}

command=${1:-}; [ $# -eq 0 ] || shift
case "$command" in
  up) up ;;
  down) down "$@" ;;
  status) status ;;
  env) env_lines "$@" ;;
  *) sed -n '2,8p' "$0"; exit 2 ;;
esac
