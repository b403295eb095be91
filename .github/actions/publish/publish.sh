#!/usr/bin/env bash
# Publishes each file with an OIDC token of its own, made for this hub alone. Run by action.yml; needs curl and jq.
set -euo pipefail
shopt -s nullglob

if [ -z "${ACTIONS_ID_TOKEN_REQUEST_URL:-}" ]; then
  echo 'The job may not ask for OIDC tokens. Give it "permissions: {contents: read, id-token: write}".' >&2
  exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 077

# Secrets go to curl by files: an argument list is there for all to see.
publish() {
  local file=$1 name token
  name=$(basename "$file")
  name=${name%.*}
  printf 'Authorization: Bearer %s\n' "$ACTIONS_ID_TOKEN_REQUEST_TOKEN" >"$work/ask"
  token=$(curl --silent --show-error --fail --retry 3 --max-time 30 --header "@$work/ask" --get \
    --data-urlencode "audience=$HUB" "$ACTIONS_ID_TOKEN_REQUEST_URL" | jq --exit-status --raw-output .value)
  echo "::add-mask::$token"
  printf 'Authorization: Bearer %s\nContent-Type: application/json\n' "$token" >"$work/headers"
  jq --null-input --rawfile content "$file" --arg bump "$BUMP" \
    --arg changelog "${CHANGELOG:-$(git log -1 --format=%s -- "$file")}" '{$content, $changelog, $bump}' >"$work/body"
  # A retry is the same request with the same token, which the hub answers like the first.
  curl --silent --show-error --fail-with-body --retry 3 --max-time 60 --header "@$work/headers" \
    --data-binary "@$work/body" "$HUB/api/v1/repos/$OWNER/$name/versions" >"$work/answer" || {
    cat "$work/answer" >&2
    echo "::error file=$file::$OWNER/$name was not published" >&2
    return 1
  }
  jq --raw-output '"\(.data.full_name) \(.data.version)\(if .data.unchanged then " (unchanged)" else "" end)"' "$work/answer"
}

found=0
while IFS= read -r pattern; do
  # Unquoted, for patterns; IFS is empty here, so a space in a name does not split it.
  IFS=
  for file in $pattern; do
    [ -f "$file" ] || continue
    found=1
    publish "$file"
  done
done <<<"$FILES"
if [ "$found" = 0 ]; then
  echo 'No file matches.' >&2
  exit 1
fi
