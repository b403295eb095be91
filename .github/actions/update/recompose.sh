#!/usr/bin/env bash
# Composes an owner's prompts again whose parts have other versions now, each on its own: publishes a version as a trusted publisher, or opens a pull request in the catalogue. Run by action.yml; requires curl and jq, and for pull requests git and npm.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../say.sh
. "$(dirname "${BASH_SOURCE[0]}")/../say.sh"
# shellcheck source-path=SCRIPTDIR source=../job.sh
. "$(dirname "${BASH_SOURCE[0]}")/../job.sh"
# shellcheck source-path=SCRIPTDIR source=pull.sh
. "$(dirname "${BASH_SOURCE[0]}")/pull.sh"

# GitHub accepts a body of 65,536 characters, some of which are needed for the rest of the text.
MAX_DIFFERENCES=50000

case $MODE in
  publish | pull-request) ;;
  *) stop 'mode: expected publish or pull-request.' ;;
esac
if [ "$MODE" = publish ]; then require_permission; fi
HUB=${HUB_URL%/}
require_hub 'hub: expected the https URL of the hub whose prompts are composed again.'
require_owner
[[ $MIN_AGE =~ ^[0-9]{1,4}d$ ]] || stop 'min-age: expected a number of days such as 7d.'
cd -- "$DIRECTORY"

# Lists the names of the prompts whose parts have other versions now. Exits with 1 if the hub cannot be read.
list_moved() {
  local status
  status=$(curl --silent --show-error --retry 3 --max-time 60 --output "$work/composed" --write-out '%{http_code}' \
    "$HUB/data/v1/users/$OWNER/composed.json" 2>"$work/complaint") || true
  # An owner without composed prompts has no list.
  if [ "$status" = 404 ]; then return 0; fi
  if [ "$status" = 200 ] && jq --raw-output --arg owner "$OWNER/" '
    def word: "[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9]))*";
    def full: test("^" + word + "/" + word + "$");
    def version: test("^[0-9]{1,6}[.][0-9]{1,6}[.][0-9]{1,6}$");
    .data[] | select((.full_name | full and startswith($owner)) and all(.includes[]; (.repository | full) and (.wanted == null or (.wanted | version))))
    | select(all(.includes[]; .wanted != null) and any(.includes[]; .wanted != .version))
    | .full_name
  ' "$work/composed" 2>"$work/complaint"; then return 0; fi
  fail "Cannot read $OWNER's composed prompts from $HUB ($status): $(head -c 500 "$work/complaint")"
  return 1
}

# Asks what composing the prompt again would do. Sets version and impact. Returns 1 if it would fail, and 2 if nothing would change.
check() { # <owner/name>
  local status message
  status=$(curl --silent --show-error --retry 3 --max-time 60 --output "$work/check" --write-out '%{http_code}' \
    --header 'Content-Type: application/json' --data "{\"recompose\":true,\"min_age_days\":$((10#${MIN_AGE%d}))}" "$HUB/api/v1/repos/$1/check" 2>"$work/complaint") || true
  if [ "$status" != 200 ] || ! jq --exit-status '.data.would_be | strings' "$work/check" >/dev/null 2>&1; then
    message=$(jq --raw-output '.error.message | strings | .[:2000]' "$work/check" 2>/dev/null || head -c 500 "$work/complaint")
    fail "$1 cannot be composed again: ${message:-$HUB answered $status; is it a Prompt Hub?}"
    report "$1" '' "$(jq --null-input --raw-output --arg message "$message" "$MARKDOWN"' "**failed**: \($message | md)"')"
    return 1
  fi
  if jq --exit-status .data.unchanged "$work/check" >/dev/null; then return 2; fi
  impact=$(describe_impact)
}

# Publishes with a token of its own, which is valid for one request.
publish() { # <owner/name>
  local token
  request_token || return 1
  HUB_URL=$HUB HUB_TOKEN=$token sh "$HUBCLI" recompose --min-age "$MIN_AGE" -- "$1" >"$work/said" 2>"$work/complaint" || {
    fail "$1 was not published: $(head -c 2000 "$work/complaint")"
    report "$1" '' '**failed**'
    return 1
  }
  version=$(cut -d ' ' -f 1 "$work/said")
  is_version "$version" || version=
  show "$1 $(cat "$work/said")"
  report "$1" "$version" "$impact"
}

# Writes the next version with `npm run compose`, and proposes it on a branch of its own.
open_pull() { # <owner/name>
  local expected
  expected=$(jq --raw-output '.data.manifest_sha256 | strings' "$work/check")
  git checkout --quiet "$start"
  npm run --silent compose -- "$1" --by "$BY" --expect "$expected" >"$work/said" 2>"$work/complaint" || {
    fail "$1 was not composed again: $(head -c 2000 "$work/complaint")"
    report "$1" '' '**failed**'
    return 1
  }
  git add --all -- "content/$1"
  if git diff --cached --quiet; then
    show "$1 waits: the branch has it already, or has newer versions of its parts than those that have been out for $MIN_AGE."
    return 0
  fi
  version=$(git diff --cached --name-only | sed -n 's|^content/[^/]*/[^/]*/versions/\([0-9.]*\)[.]md$|\1|p')
  keep_differences "$MAX_DIFFERENCES" /dev/null
  { printf 'Impact on callers: %s\n\n' "$impact" && show_differences; } >"$work/body"
  propose "prompt-hub/recompose/$1" "$base" "Compose $1 $version"
  git checkout --quiet "$start"
  report "$1" "$version" "$impact"
}

if [ "$MODE" = pull-request ]; then
  case $BY in
    '' | -* | *[!A-Za-z0-9-]*) stop 'by: expected the GitHub login of a member of the owner.' ;;
  esac
  base=${GITHUB_REF_NAME:-$(git symbolic-ref --short HEAD)}
  start=$(git rev-parse HEAD)
fi
found=0 failed=0
list_moved >"$work/moved"
while read -r name <&3; do
  state=0
  check "$name" || state=$?
  if [ "$state" = 2 ]; then continue; fi
  found=1
  if [ "$state" = 1 ]; then
    failed=1
  elif [ "$MODE" = publish ]; then
    publish "$name" || failed=1
  else
    open_pull "$name" || failed=1
  fi
done 3<"$work/moved"
if [ "$found" = 0 ]; then echo "Every prompt of $OWNER has the versions that its include lines select and that have been out for $MIN_AGE."; fi
write_summary
exit "$failed"
