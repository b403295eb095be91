#!/usr/bin/env bash
# Publishes each file with a separate OIDC token whose audience is this hub. Run by action.yml; requires curl and jq.
set -euo pipefail
shopt -s nullglob

# shellcheck source-path=SCRIPTDIR source=../say.sh
. "$(dirname "${BASH_SOURCE[0]}")/../say.sh"

if [ -z "${ACTIONS_ID_TOKEN_REQUEST_URL:-}" ]; then
  fail 'The job is not allowed to request OIDC tokens. Give it "permissions: {contents: read, id-token: write}".'
  exit 1
fi
if [[ $HUB != https://* && ! $HUB =~ ^http://(localhost|127\.0\.0\.1)(:[0-9]+)?$ ]]; then
  fail 'hub: expected an https URL, because over plain http, anyone on the network path could publish with the token.'
  exit 1
fi
case ${LABEL:-} in
  *[!a-z0-9-]*)
    fail 'label: expected lower-case letters, digits and hyphens, such as production.'
    exit 1
    ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 077
# A path is never a pattern for git.
export GIT_LITERAL_PATHSPECS=1

# Rejects symbolic links anywhere in the path, because a link could publish any file on the runner. Also rejects control characters,
# because a file name with a line break could be read as a workflow command.
check_file() {
  local part='' rest=$1
  case $1 in
    *[[:cntrl:]]*)
      fail "The name of $(show "$1") contains a control character; rename the file."
      return 1
      ;;
    /* | .. | ../* | */.. | */../*)
      fail "$1 is not inside the working directory." "$1"
      return 1
      ;;
  esac
  while [ -n "$rest" ]; do
    part+=${rest%%/*}
    if [ -L "$part" ]; then
      fail "$part is a symbolic link; publish the file itself." "$1"
      return 1
    fi
    case $rest in
      */*) rest=${rest#*/} part+=/ ;;
      *) rest= ;;
    esac
  done
}

# Requests a token, which is valid for one request. Secrets are passed to curl in files, because other processes can read its arguments.
authorize() {
  local token
  printf 'Authorization: Bearer %s\n' "$ACTIONS_ID_TOKEN_REQUEST_TOKEN" >"$work/ask"
  token=$(curl --silent --show-error --fail --retry 3 --max-time 30 --header "@$work/ask" --get \
    --data-urlencode "audience=$HUB" "$ACTIONS_ID_TOKEN_REQUEST_URL" | jq --exit-status --raw-output .value)
  case $token in
    '' | *[!A-Za-z0-9._~+/=-]*)
      fail 'The issuer did not return a token.'
      return 1
      ;;
  esac
  echo "::add-mask::$token"
  printf 'Authorization: Bearer %s\nContent-Type: application/json\n' "$token" >"$work/headers"
}

# Points the label to the published version. Repeating the request changes nothing, so it can be retried.
label() {
  local file=$1 name=$2 version=$3
  authorize || return 1
  jq --null-input --arg version "$version" '{$version}' >"$work/body"
  curl --silent --show-error --fail-with-body --retry 3 --max-time 60 --header "@$work/headers" --request PUT \
    --data-binary "@$work/body" "$HUB/api/v1/repos/$OWNER/$name/labels/$LABEL" >"$work/answer" 2>"$work/complaint" || {
    fail "$OWNER/$name $version was published, but $LABEL was not moved: $(jq --raw-output '.error.message' "$work/answer" 2>/dev/null || head -c 500 "$work/complaint")" "$file"
    return 1
  }
  show "$OWNER/$name: $LABEL points at $version"
}

# Reads the latest version into $work/latest, and its number as JSON into $latest. A prompt that does not exist has none.
read_latest() {
  local status
  latest=null
  status=$(curl --silent --show-error --retry 3 --max-time 60 --output "$work/latest" --write-out '%{http_code}' \
    "$HUB/api/v1/repos/$OWNER/$1" 2>"$work/complaint") || true
  case $status in
    200) latest=$(jq .data.latest_version "$work/latest") ;;
    404) echo '{}' >"$work/latest" ;;
    *)
      fail "$OWNER/$1 was not published: $(jq --raw-output .error.message "$work/latest" 2>/dev/null || head -c 500 "$work/complaint")" "$2"
      return 1
      ;;
  esac
  case $latest in
    null | \"*\") ;;
    *)
      fail "$OWNER/$1 was not published: $HUB did not return a prompt; is it a Prompt Hub?" "$2"
      return 1
      ;;
  esac
}

# Whether the branch still has this file: an old job must not publish an old text as the newest version. Together with
# expected_version, this holds for any number of jobs, because the branch is read after the latest version. Returns 1 if
# a newer commit changed the file, and 2 if git failed.
is_newest() {
  local outcome=0
  [ -n "${GITHUB_REF:-}" ] || return 0
  { git fetch --quiet origin "$GITHUB_REF" || outcome=2; } 2>"$work/complaint"
  if [ "$outcome" = 0 ]; then git diff --quiet FETCH_HEAD -- "$1" 2>"$work/complaint" || outcome=$?; fi
  [ "$outcome" -gt 1 ] || return "$outcome"
  fail "Cannot fetch $GITHUB_REF to check whether a newer commit changed $1; let actions/checkout keep its credentials. $(head -c 500 "$work/complaint")" "$1"
  return 2
}

publish() {
  local file=$1 name version
  check_file "$file" || return 1
  name=$(basename -- "$file")
  name=${name%.*}
  case $name in
    '' | *[!a-z0-9-]*)
      fail "Each file is published to the prompt of the same name: expected lower-case letters, digits and hyphens, got $name; rename the file." "$file"
      return 1
      ;;
  esac
  read_latest "$name" "$file" || return 1
  if jq --join-output '.data.content // ""' "$work/latest" | cmp -s -- - "$file"; then
    version=$(jq --raw-output .data.latest_version "$work/latest")
    show "$OWNER/$name $version (unchanged)"
  else
    is_newest "$file" || {
      [ $? = 1 ] || return 1
      show "$OWNER/$name: skipped, because a newer commit changed $file"
      return 0
    }
    publish_version "$file" "$name" || return 1
    version=$(jq --raw-output .data.version "$work/answer")
  fi
  if [ -n "${LABEL:-}" ]; then label "$file" "$name" "$version"; fi
}

publish_version() {
  local file=$1 name=$2 reason
  jq --null-input --rawfile content "$file" --arg bump "$BUMP" --argjson latest "$latest" \
    --arg changelog "${CHANGELOG:-$(git log -1 --format=%s -- "$file")}" \
    '{$content, changelog: ($changelog | gsub("[[:cntrl:]]"; " ")[:500]), $bump, expected_version: $latest}' >"$work/body"
  # jq replaces what is not UTF-8, so this compares what is sent.
  if ! jq --join-output .content "$work/body" | cmp -s -- - "$file"; then
    fail "$file is not UTF-8; convert it, for example with: iconv -f WINDOWS-1252 -t UTF-8" "$file"
    return 1
  fi
  authorize || return 1
  # A retry is the same request with the same token, so the hub returns the response to the first request.
  curl --silent --show-error --fail-with-body --retry 3 --max-time 60 --header "@$work/headers" \
    --data-binary "@$work/body" "$HUB/api/v1/repos/$OWNER/$name/versions" >"$work/answer" 2>"$work/complaint" || {
    reason=$(jq --raw-output '.error | if .code == "version_conflict" then "somebody else published a version in the meantime; run the job again" else .message end' "$work/answer" 2>/dev/null || head -c 500 "$work/complaint")
    fail "$OWNER/$name was not published: $reason" "$file"
    return 1
  }
  show "$(jq --raw-output '"\(.data.full_name) \(.data.version)\(if .data.unchanged then " (unchanged)" else "" end)"' "$work/answer")"
  jq --raw-output '.data.warnings[]? | (.message | gsub("[\n\r]"; " ")) + (if .line then " (line \(.line))" else "" end)' "$work/answer" | while IFS= read -r warning; do
    show "warning: $warning" >&2
  done
}

found=0 failed=0
while IFS= read -r pattern; do
  # Unquoted so that patterns are expanded. IFS is empty, so a name that contains a space is not split.
  IFS=
  for file in $pattern; do
    [ -f "$file" ] || [ -L "$file" ] || continue
    found=1
    publish "$file" || failed=1
  done
done <<<"$FILES"
if [ "$found" = 0 ]; then
  fail 'No files match.'
  exit 1
fi
exit "$failed"
