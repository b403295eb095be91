#!/usr/bin/env bash
# Runs `hubcli outdated` and `hubcli update`, and opens one pull request with the changes. Run by action.yml; requires curl, git, jq and python3.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../say.sh
. "$(dirname "${BASH_SOURCE[0]}")/../say.sh"
# shellcheck source-path=SCRIPTDIR source=pull.sh
. "$(dirname "${BASH_SOURCE[0]}")/pull.sh"

# GitHub accepts a body of 65,536 characters, some of which are needed for the rest of the text.
MAX_CHANGES=20000 MAX_DIFFERENCES=40000

# The branch is overwritten, so its name must be valid, and must not be the base branch.
if ! git check-ref-format "refs/heads/$BRANCH" || [[ $BRANCH == -* ]]; then stop 'branch: expected a valid branch name.'; fi
BASE=${GITHUB_REF_NAME:-$(git symbolic-ref --short HEAD)}
if [ "$BRANCH" = "$BASE" ]; then stop "branch: $BRANCH is the branch that this workflow runs on; choose another branch."; fi
cd -- "$DIRECTORY"

run_hubcli() {
  sh "$HUBCLI" "$@" 2>"$work/complaint" || stop "hubcli $1: $(head -c 2000 "$work/complaint")"
}

# It exits with 1 if there are newer versions, and also after an error, but then without JSON.
sh "$HUBCLI" outdated --json --min-age "$MIN_AGE" >"$work/outdated" 2>"$work/complaint" || jq --exit-status .outdated "$work/outdated" >/dev/null 2>&1 || stop "hubcli outdated: $(head -c 2000 "$work/complaint")"
run_hubcli update --min-age "$MIN_AGE" >"$work/updated"
mapfile -t paths < <(jq --raw-output '.prompts[].places[].path' prompts.lock)
git add -- prompts.lock "${paths[@]}"
if git diff --cached --quiet; then
  echo "Every prompt is at the newest version in its range that has been out for $MIN_AGE."
  exit 0
fi
while IFS= read -r line; do show "$line"; done <"$work/updated"

keep_differences "$MAX_DIFFERENCES" "$work/outdated" . ':(exclude)prompts.lock'
jq --raw-output --arg fence "$fence" '
  def line: gsub("[[:cntrl:]]"; " ");
  (.problems[] | "Note: `\(.message | line | gsub("`"; "\u0027"))`\n"),
  (.outdated[] | select(.version != .wanted)
    | "### `\(.name)` \(.version) to \(.wanted)\n\n\($fence)\n"
      + ([.changes[] | "\(.version)\(if .yanked then " (yanked)" else "" end): \(.changelog | line)", (.breaking[] | "  breaking change: \(line)")] | join("\n")) + "\n\($fence)\n")
  ' "$work/outdated" | cut -c -2000 >"$work/changes"
{
  echo "Newer versions of the prompts in \`prompts.lock\`, each the highest version in its range that has been out for $MIN_AGE."
  echo
  # Truncated text may end in the middle of a character and inside a code fence.
  head -c "$MAX_CHANGES" "$work/changes" | iconv -f UTF-8 -t UTF-8 -c
  if [ "$(wc -c <"$work/changes")" -gt "$MAX_CHANGES" ]; then printf '\n%s\n\n%s\n' "$fence" 'The list is truncated; see the diff below.'; fi
  show_differences
} >"$work/body"

propose "$BRANCH" "$BASE" 'Update prompts'
