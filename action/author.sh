#!/bin/bash
# Says whether the author of the pull request is one of those whose pull requests are read.
set -euo pipefail
wanted=false
[[ -z "${AUTHORS// /}" ]] && wanted=true
read -r -a authors <<<"$AUTHORS"
for author in "${authors[@]+"${authors[@]}"}"; do
  [[ "$author" == "$AUTHOR" ]] && wanted=true
done
echo "wanted=$wanted" >>"$GITHUB_OUTPUT"
