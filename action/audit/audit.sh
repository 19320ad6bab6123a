#!/usr/bin/env bash
# Audits $FILES against $REPOSITORIES with the version of Gitzette that this action is pinned to.
set -euo pipefail

source_folder=$(cd "$GITHUB_ACTION_PATH/../.." && pwd)
options=()
for repository in $REPOSITORIES; do
    options+=(--repo "$repository")
done
# A name of a report must not be an option.
files=()
for file in $FILES; do
    files+=("./${file#./}")
done
exec uvx --from "$source_folder" gitzette audit "${files[@]}" "${options[@]}" \
    --format github --fail-on "$FAIL_ON"
