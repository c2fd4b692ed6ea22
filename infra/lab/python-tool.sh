#!/bin/bash
# python-tool.sh aws|cfn-lint ARGUMENT...   a tool of AWS; installs it the first time (half a minute, 120 to 180 MB)
# Kept by version in ~/.cache/levelset (LEVELSET_CACHE). Ends with the tool's code.
set -euo pipefail
case ${1-} in
  aws) FOLDER=aws-cli PACKAGE=awscli VERSION=1.45.11 ;;
  cfn-lint) FOLDER=cfn-lint PACKAGE=cfn-lint VERSION=1.58.0 ;;
  *) echo "python-tool.sh has no tool '${1-}'; it has aws and cfn-lint" >&2; exit 2 ;;
esac
DIR=${LEVELSET_CACHE:-$HOME/.cache/levelset}/$FOLDER-$VERSION
if [ ! -e "$DIR/installed" ]; then
  python3 -m venv --clear "$DIR"
  "$DIR/bin/pip" install --quiet --disable-pip-version-check "$PACKAGE==$VERSION" >&2
  touch "$DIR/installed"
fi
exec "$DIR/bin/$1" "${@:2}"
