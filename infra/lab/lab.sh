#!/bin/bash
# lab.sh up              installs what is missing, starts OpenStack with its data plane and Kubernetes; idempotent
# lab.sh down [--purge]  stops everything that up started; --purge forgets the data too
# lab.sh status          what runs, and what it holds
# lab.sh env [N [1.29]]  the lines that a shell needs: eval "$(infra/lab/lab.sh env)"; N: of this cluster, of this version
# LAB_CLUSTERS (2) Kubernetes clusters of each KUBE_VERSION ('1.36 1.29') share one OpenStack, and the second of each version its
# second project. State: LAB (default /var/tmp/levelset-lab/openstack) and KUBE (default /var/tmp/levelset-lab/kube; KUBE-2 of the
# second cluster, KUBE-1.29 and KUBE-1.29-2 of those with 1.29). See README.md.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export LAB=${LAB:-/var/tmp/levelset-lab/openstack} KUBE=${KUBE:-/var/tmp/levelset-lab/kube}
export LAB_CLUSTERS=${LAB_CLUSTERS:-2}
NEWEST=1.36
read -ra VERSIONS <<<"${KUBE_VERSION:-$NEWEST 1.29}"
OPENSTACK=$HERE/openstack KUBERNETES=$HERE/kubernetes
say() { printf '[%4d s] %s\n' "$SECONDS" "$*"; }
fail() { echo "lab.sh: $*" >&2; exit 1; }
indent() { sed -u 's/^/         /'; }

# A command with the environment of a cluster: state and ports of its own. Those of an older version are twenty higher.
cluster() { # version number command...
  local version=$1 n=$2 state offset audit; shift 2
  offset=$((n - 1)); [ "$version" = $NEWEST ] || offset=$((offset + 20))
  state=$(state_of "$version" "$n") audit=https://127.0.0.1:$((18080 + offset))/audit/lab
  ((offset > 0)) || audit=${KUBE_AUDIT_URL:-$audit}
  env KUBE_VERSION="$version" KUBE="$state" KUBE_API_PORT=$((${KUBE_API_PORT:-16443} + offset)) KUBE_ETCD_PORT=$((${KUBE_ETCD_PORT:-12379} + 10 * offset)) \
    KUBE_KCM_PORT=$((${KUBE_KCM_PORT:-16257} + offset)) KUBE_AUDIT_URL="$audit" "$@"
}

state_of() { # version number
  local state=$KUBE
  [ "$1" = $NEWEST ] || state+=-$1
  [ "$2" = 1 ] || state+=-$2
  echo "$state"
}

clusters() { # a line for each: version number
  local version n
  for version in "${VERSIONS[@]}"; do for n in $(seq 1 "$LAB_CLUSTERS"); do echo "$version $n"; done; done
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
  say "installing: Debian packages, and Kubernetes built from source (the first time 11 minutes on two cores)"
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
  local n starting=()
  while read -r version n; do (cluster "$version" "$n" bash "$KUBERNETES/up.sh" </dev/null | indent) & starting+=($!); done < <(clusters)
  for n in "${starting[@]}"; do wait "$n"; done
  say "the lab is up: eval \"\$($0 env)\""
}

down() {
  [ "$(id -u)" = 0 ] || fail "the lab runs as root"
  say "stopping: Kubernetes"
  local state
  for state in "$KUBE" "$KUBE"-*; do
    [ ! -d "$state" ] || KUBE=$state KUBE_VERSION=$NEWEST bash "$KUBERNETES/down.sh" "$@"
  done
  say "stopping: OpenStack"
  bash "$OPENSTACK/down.sh" "$@"
  local left; left=$(remains)
  if [ "${1:-}" = --purge ]; then rm -f "$LAB/packages.log" "$LAB/serverless.log" "$KUBE/build.log"; rmdir --ignore-fail-on-non-empty "$LAB" "$KUBE" "$KUBE"-* 2>/dev/null || true; fi
  [ -z "$left" ] || { echo "$left" >&2; fail "these are still running"; }
  say "nothing of the lab is running"
}

status() {
  local code=0
  for part in "keystone 5000" "neutron 9696" "octavia 9876" "nova 8774" "barbican 9311" \
    $(while read -r version n; do cluster "$version" "$n" bash -c 'echo "apiserver-$0-$1:$KUBE_API_PORT"' "$version" "$n"; done < <(clusters)); do
    part=${part/:/ }
    if (exec 3<>"/dev/tcp/127.0.0.1/${part#* }") 2>/dev/null; then echo "up    $part"; else echo "down  $part"; code=1; fi
  done
  bash "$OPENSTACK/dataplane.sh" status || code=1
  [ -d "$LAB/run" ] && bash "$OPENSTACK/labctl.sh" ps || true
  return $code
}

env_lines() {
  local n=${1:-1}
  echo "export KUBECONFIG=$(state_of "${2:-$NEWEST}" "$n")/admin.kubeconfig"
  echo "export OS_CLIENT_CONFIG_FILE=$LAB/clouds.yaml OS_CLOUD=lab-demo$([ "$n" = 1 ] || echo "-$n")"
  echo "export PATH=$(KUBE_VERSION=$NEWEST bash -c '. "$0/lib.sh"; echo "$BIN"' "$KUBERNETES"):\$PATH"
}

command=${1:-}; [ $# -eq 0 ] || shift
case "$command" in
  up) up ;;
  down) down "$@" ;;
  status) status ;;
  env) env_lines "$@" ;;
  *) sed -n '2,8p' "$0"; exit 2 ;;
esac
