#!/usr/bin/env bash
# Fetches a pull request as git objects only: none of its files is written, and none of its code is run. Reports whether it changes the content.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../say.sh
. "$(dirname "${BASH_SOURCE[0]}")/../say.sh"

for sha in "$BASE_SHA" "$HEAD_SHA"; do
  if [[ ! $sha =~ ^[0-9a-f]{40,64}$ ]]; then stop 'expected the commits of a pull request.'; fi
done
# The token is needed for private repositories. It is passed to git in the environment, so it appears in no argument and no file.
if [ -n "${TOKEN-}" ]; then
  export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="http.${GITHUB_SERVER_URL:-https://github.com}/.extraheader"
  GIT_CONFIG_VALUE_0="AUTHORIZATION: basic $(printf 'x-access-token:%s' "$TOKEN" | base64 --wrap=0)"
  export GIT_CONFIG_VALUE_0
fi
git -c transfer.fsckObjects=true fetch --quiet --no-tags --no-recurse-submodules origin \
  "+refs/pull/${NUMBER//[!0-9]/}/head:refs/remotes/pull/head"
if [ "$(git rev-parse refs/remotes/pull/head)" != "$HEAD_SHA" ]; then stop 'The pull request has changed since this run started; the next run will review it.'; fi
# Compares the base with the result of the merge. Two histories can have several merge bases, and compared with only one of these, a deletion can look
# like no change.
status=0
merged=$(git merge-tree --write-tree --no-messages "$BASE_SHA" "$HEAD_SHA") || status=$?
if [ "$status" = 129 ]; then stop 'The review needs git 2.38 or newer.'; fi
if [ "$status" = 0 ] && git diff --quiet --no-ext-diff --no-textconv --ignore-submodules=none "$BASE_SHA" "$merged" -- content; then
  echo 'The pull request changes no content.'
  printf 'content=false\nproblems=0\nowner=agrees\n' >>"$GITHUB_OUTPUT"
else
  printf 'content=true\n' >>"$GITHUB_OUTPUT"
fi
