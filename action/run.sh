#!/bin/bash
# Runs `bump` from the source of this action, in a folder that nobody else writes to. The checkout of the pull request is
# only ever named: neither uv nor Python starts in it, so that no configuration, module or hook of it takes effect.
set -euo pipefail
UV_VERSION=0.13.7

if ! command -v uvx >/dev/null; then
  python3 -m venv "$RUNNER_TEMP/gitzette-uv"
  "$RUNNER_TEMP/gitzette-uv/bin/pip" install --quiet "uv==$UV_VERSION"
  PATH=$RUNNER_TEMP/gitzette-uv/bin:$PATH
fi

arguments=("$BASE..$TIP" --checkout "$CHECKOUT" --pr "$NUMBER" --format github)
read -r -a folders <<<"$USES"
for folder in "${folders[@]+"${folders[@]}"}"; do
  arguments+=(--uses "$CHECKOUT/$folder")
done
[[ "$COMMENT" == true ]] && arguments+=(--comment)
[[ -n "$FAIL_ON" ]] && arguments+=(--fail-on "$FAIL_ON")

source=$GITHUB_ACTION_PATH
options=(--no-config --isolated --from "$source" --constraints "$source/requirements.lock")
exec uvx "${options[@]}" gitzette bump "${arguments[@]}"
