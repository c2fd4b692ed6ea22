#!/bin/bash
# aws-cli.sh ARGUMENT...   the AWS CLI; installs it the first time (20 s, 120 MB)
# Kept by version in ~/.cache/levelset (LEVELSET_CACHE).
set -euo pipefail
VERSION=1.45.11
DIR=${LEVELSET_CACHE:-$HOME/.cache/levelset}/aws-cli-$VERSION
if [ ! -e "$DIR/installed" ]; then
  python3 -m venv --clear "$DIR"
  "$DIR/bin/pip" install --quiet --disable-pip-version-check "awscli==$VERSION" >&2
  touch "$DIR/installed"
fi
exec "$DIR/bin/aws" "$@"
