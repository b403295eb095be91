#!/usr/bin/env bash
# Posts the content review as a comment on a pull request, or updates the existing comment, and sets the labels that show its status. Requires curl
# and jq.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../say.sh
. "$(dirname "${BASH_SOURCE[0]}")/../say.sh"

API=${GITHUB_API_URL:-https://api.github.com}/repos/$GITHUB_REPOSITORY
# Every review comment begins with this marker. Untrusted text can contain it only inside a fence.
MARK='<!-- prompt-hub: content review -->'

# The pull request no longer changes the content that an earlier run reviewed.
if [ "$CONTENT" = false ]; then
  REPORT="$MARK

### Content review

Nothing in \`content/\` changes any more."
fi
NUMBER=${NUMBER//[!0-9]/}
if [ -z "$NUMBER" ] || [[ ${REPORT-} != "$MARK"* ]]; then stop 'expected the number of a pull request and a report.'; fi
printf 'Authorization: Bearer %s\nAccept: application/vnd.github+json\n' "$TOKEN" >"$work/headers"
ask() { # <good statuses> <method> <address> [<file>]: stores the response, and fails if it has another status
  local status
  status=$(curl --silent --show-error --retry 3 --max-time 60 --header "@$work/headers" --request "$2" \
    --output "$work/answer" --write-out '%{http_code}' ${4:+--header 'Content-Type: application/json' --data-binary "@$4"} "$3" 2>"$work/complaint") || status=000
  [[ " $1 " == *" $status "* ]] && return
  stop "GitHub returned status $status: $(jq --raw-output '.message? // ""' "$work/answer" 2>/dev/null || head -c 300 "$work/complaint"). The job needs \"permissions: {pull-requests: write}\"."
}

# Finds the comment that begins with the marker and was written by this account, because anybody can write the marker.
find_comment() {
  for ((page = 1; page <= 20; page++)); do
    ask 200 GET "$API/issues/$NUMBER/comments?per_page=100&page=$page"
    id=$(jq --raw-output --arg mark "$MARK" --arg bot "$BOT" \
      'first(.[] | select(.user.login == $bot and (.body | startswith($mark))) | .id) // "" | tostring' "$work/answer")
    if [ -n "$id" ] || [ "$(jq length "$work/answer")" -lt 100 ]; then return 0; fi
  done
}

jq --null-input --arg body "$REPORT" '{$body}' >"$work/comment"
find_comment
if [ "$CONTENT" = false ] && [ -z "$id" ]; then
  show 'The pull request changes no content.'
  exit 0
fi
case $id in
  '') ask 201 POST "$API/issues/$NUMBER/comments" "$work/comment" ;;
  *[!0-9]*) stop 'GitHub returned a comment without a number.' ;;
  *) ask 200 PATCH "$API/issues/comments/$id" "$work/comment" ;;
esac
show "$(jq --raw-output '.html_url // ""' "$work/answer")"

# An existing label is not changed.
label() { # <name> <colour> <description> <on or off>
  if [ "$4" = on ]; then
    jq --null-input --arg name "$1" --arg color "$2" --arg description "$3" '{$name, $color, $description}' >"$work/label"
    ask '201 403 422' POST "$API/labels" "$work/label"
    jq --null-input --arg name "$1" '{labels: [$name]}' >"$work/label"
    ask '200 201' POST "$API/issues/$NUMBER/labels" "$work/label"
  else
    ask '200 204 404' DELETE "$API/issues/$NUMBER/labels/$(jq --null-input --raw-output --arg name "$1" '$name | @uri')"
  fi
}
label content 0e8a16 'Changes the catalogue' "$([ "$CONTENT" = false ] && echo off || echo on)"
label problems d93f0b 'Violates a content rule' "$([ "$PROBLEMS" = 0 ] && echo off || echo on)"
label 'waits for a maintainer' fbca04 'The author is not a member of an owner whose prompts are changed' "$([ "$OWNER" = waits ] && echo on || echo off)"
# Commits may have been added since the label was set, and these were not approved.
if [ "$APPROVED" != true ]; then label 'owner approved' 1d76db 'A maintainer has approved on behalf of an owner' off; fi
