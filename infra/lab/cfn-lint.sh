#!/bin/bash
# cfn-lint.sh FILE   checks a CloudFormation template; installs cfn-lint the first time (30 s, 180 MB)
# Kept by version in ~/.cache/levelset (LEVELSET_CACHE). A finding ends it with another code than 0.
set -euo pipefail
VERSION=1.58.0
DIR=${LEVELSET_CACHE:-$HOME/.cache/levelset}/cfn-lint-$VERSION
if [ ! -e "$DIR/installed" ]; then
  python3 -m venv --clear "$DIR"
  "$DIR/bin/pip" install --quiet --disable-pip-version-check "cfn-lint==$VERSION" >&2
  touch "$DIR/installed"
fi
exec "$DIR/bin/cfn-lint" --template "$1"
