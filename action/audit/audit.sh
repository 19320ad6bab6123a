#!/usr/bin/env bash
# Audits $FILES against $REPOSITORIES with the version of Gitzette that this action is pinned to. The reports are copied
# out of the checkout: no configuration, module or record in it takes effect, and neither uv nor Python starts there.
set -euo pipefail
UV_VERSION=0.13.7

checkout=$(realpath "$GITHUB_WORKSPACE")
reports=$(mktemp -d "$RUNNER_TEMP/gitzette-reports-XXXXXX")
files=()
cd "$checkout"
for file in $FILES; do
    file=${file#./}
    # A link may lead to anything on this machine.
    if [[ "$(realpath -- "./$file")" != "$checkout/$file" || ! -f "./$file" ]]; then
        echo "::error::$(printf '%q' "$file") is no file of the checkout"
        exit 2
    fi
    # What the tool reads besides reports has names of its own.
    if [[ "${file##*.}" == toml || "${file##*.}" == json ]]; then
        echo "::error::$(printf '%q' "$file") is no report"
        exit 2
    fi
    mkdir -p "$reports/$(dirname -- "$file")"
    cp -- "./$file" "$reports/$file"
    files+=("./$file") # The name of a report must not be an option.
done
cd "$reports"

if ! command -v uvx >/dev/null; then
    python3 -m venv "$RUNNER_TEMP/gitzette-uv"
    "$RUNNER_TEMP/gitzette-uv/bin/pip" install --quiet "uv==$UV_VERSION"
    PATH=$RUNNER_TEMP/gitzette-uv/bin:$PATH
fi
source_folder=$(cd "$GITHUB_ACTION_PATH/../.." && pwd)
arguments=()
for repository in $REPOSITORIES; do
    arguments+=(--repo "$repository")
done
options=(--no-config --isolated --from "$source_folder" --constraints "$source_folder/requirements.lock")
exec uvx "${options[@]}" gitzette audit "${files[@]}" "${arguments[@]}" --format github --fail-on "$FAIL_ON"
