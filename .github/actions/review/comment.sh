#!/usr/bin/env bash
# Leaves the one comment of the content review at a pull request, or brings it up to date, and sets the labels that say how it stands. Needs curl and jq.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../say.sh
. "$(dirname "${BASH_SOURCE[0]}")/../say.sh"

API=${GITHUB_API_URL:-https://api.github.com}/repos/$GITHUB_REPOSITORY
# Begins every one of these comments, and stands in no text of a stranger outside a fence.
MARK='<!-- prompt-hub: content review -->'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 077

# What was reviewed before was taken back.
if [ "$CONTENT" = false ]; then
  REPORT="$MARK

### Content review

Nothing in \`content/\` changes any more."
fi
NUMBER=${NUMBER//[!0-9]/}
if [ -z "$NUMBER" ] || [[ ${REPORT-} != "$MARK"* ]]; then
  fail 'expected the number of a pull request and a report.'
  exit 1
fi
printf 'Authorization: Bearer %s\nAccept: application/vnd.github+json\n' "$TOKEN" >"$work/headers"
ask() { # <method> <address> [<file>]: leaves the answer; its status is the answer's
  status=$(curl --silent --show-error --retry 3 --max-time 60 --header "@$work/headers" --request "$1" \
    --output "$work/answer" --write-out '%{http_code}' ${3:+--header 'Content-Type: application/json' --data-binary "@$3"} "$2" 2>"$work/complaint") || status=000
}
need() { # <status>...: ends when the last answer was none of these
  for good in "$@"; do [ "$status" != "$good" ] || return 0; done
  fail "GitHub answered $status: $(jq --raw-output '.message? // ""' "$work/answer" 2>/dev/null || head -c 300 "$work/complaint"). The job needs \"permissions: {pull-requests: write}\"."
  exit 1
}

# Of all comments that begin so, the one that this account wrote: anybody can write the mark.
find_comment() {
  for ((page = 1; page <= 20; page++)); do
    ask GET "$API/issues/$NUMBER/comments?per_page=100&page=$page"
    need 200
    id=$(jq --raw-output --arg mark "$MARK" --arg bot "$BOT" \
      'first(.[] | select(.user.login == $bot and (.body | startswith($mark))) | .id) // "" | tostring' "$work/answer")
    if [ -n "$id" ] || [ "$(jq length "$work/answer")" -lt 100 ]; then return 0; fi
  done
}

jq --null-input --arg body "$REPORT" '{$body}' >"$work/comment"
find_comment
if [ "$CONTENT" = false ] && [ -z "$id" ]; then
  show 'It touches no content.'
  exit 0
fi
case $id in
  '')
    ask POST "$API/issues/$NUMBER/comments" "$work/comment"
    need 201
    ;;
  *[!0-9]*)
    fail 'GitHub answered with a comment that has no number.'
    exit 1
    ;;
  *)
    ask PATCH "$API/issues/comments/$id" "$work/comment"
    need 200
    ;;
esac
show "$(jq --raw-output '.html_url // ""' "$work/answer")"

# A label that exists already stays as it is.
label() { # <name> <colour> <description> <on or off>
  if [ "$4" = on ]; then
    jq --null-input --arg name "$1" --arg color "$2" --arg description "$3" '{$name, $color, $description}' >"$work/label"
    ask POST "$API/labels" "$work/label"
    need 201 403 422
    jq --null-input --arg name "$1" '{labels: [$name]}' >"$work/label"
    ask POST "$API/issues/$NUMBER/labels" "$work/label"
    need 200 201
  else
    ask DELETE "$API/issues/$NUMBER/labels/$(jq --null-input --raw-output --arg name "$1" '$name | @uri')"
    need 200 204 404
  fi
}
label content 0e8a16 'Touches the catalogue' "$([ "$CONTENT" = false ] && echo off || echo on)"
label problems d93f0b 'Breaks a rule of the catalogue' "$([ "$PROBLEMS" = 0 ] && echo off || echo on)"
label 'waits for a maintainer' fbca04 'Its author is no member of an owner that it touches' "$([ "$OWNER" = waits ] && echo on || echo off)"
# Whatever happened since the label was set may have brought commits, and those were not agreed to.
if [ "$APPROVED" != true ]; then label 'owner approved' 1d76db 'A maintainer agreed in the place of an owner' off; fi
