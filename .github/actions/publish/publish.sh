#!/usr/bin/env bash
# Checks each file or folder of a skill, or publishes it with a separate OIDC token whose audience is this hub. With the mode subjects, lists the
# digests that an attestation must be about, which this job computes itself. Run by action.yml; requires curl, jq and tar,
# and Node and npm for the mode subjects.
set -euo pipefail
shopt -s nullglob

# shellcheck source-path=SCRIPTDIR source=../say.sh
. "$(dirname "${BASH_SOURCE[0]}")/../say.sh"
# shellcheck source-path=SCRIPTDIR source=../job.sh
. "$(dirname "${BASH_SOURCE[0]}")/../job.sh"

case ${MODE:=publish} in
  publish | check | subjects) ;;
  *) stop 'mode: expected publish or check.' ;;
esac
# A check needs no token, so it runs for pull requests from forks too.
if [ "$MODE" = publish ]; then require_permission; fi
require_hub 'hub: expected an https URL, because over plain http, anyone on the network path could publish with the token.'
require_owner
case $BUMP in
  auto | major | minor | patch) ;;
  *) stop 'bump: expected auto, major, minor or patch.' ;;
esac
number="bump=$BUMP"
case ${ALLOW_BREAKING:-no} in
  yes | true) ;;
  no | false) number+='&allow_breaking=false' ;;
  *) stop 'allow-breaking: expected yes or no.' ;;
esac
case ${LABEL:-} in
  *[!a-z0-9-]*) stop 'label: expected lower-case letters, digits and hyphens, such as production.' ;;
esac
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

# Points the label to the published version.
label() { # <file> <name> <version>
  local token
  request_token || return 1
  HUB_URL=$HUB HUB_TOKEN=$token sh "$HUBCLI" label -- "$OWNER/$2" "$LABEL" "$3" >"$work/said" 2>"$work/complaint" || {
    fail "$OWNER/$2 $3 was published, but $LABEL was not moved: $(sed "s/^hubcli: //" "$work/complaint" | head -c 2000)" "$1"
    return 1
  }
  show "$OWNER/$2: $LABEL points at $3"
}

# Reports why a file is not published: each problem in the hub's message at the line that it names.
reject() { # <file> <name> <answer>
  local line problem problems='' verb='was not published'
  if [ "$MODE" = check ]; then verb='cannot be published'; fi
  version=
  jq --join-output '.error
    | if .code == "version_conflict" then "somebody else published a version in the meantime; run the job again" else .message | strings | .[:5000] end
    | splits("; (?=([^;: ]+: )?line [0-9]+: )") | ([capture("line (?<n>[0-9]+)").n][0] // ""), "\u0000", ., "\u0000"' \
    "$3" >"$work/problems" 2>/dev/null || true
  [ -s "$work/problems" ] || printf '\0%s\0' "$(head -c 500 "$work/complaint")" >"$work/problems"
  while IFS= read -r -d '' line && IFS= read -r -d '' problem; do
    fail "$OWNER/$2 $verb: $problem" "$1" "$line"
    problems+="${problems:+; }$problem"
  done <"$work/problems"
  report "$OWNER/$2" '' "$(jq --null-input --raw-output --arg problems "$problems" "$MARKDOWN"' "**failed**: \($problems | md)"')"
}

# Sets body to what is sent, and media to its type. The folder of a skill is sent as an archive.
pack() { # <file or folder>
  body=$1 media=text/markdown
  if [ -d "$1" ]; then
    body=$work/body media=application/gzip
    tar -czf "$body" -C "$1" .
  fi
}

# Asks what publishing the file would do. Sets version, latest (null for none) and is_new (whether anything would be written).
check() { # <file> <name>
  local status
  pack "$1"
  status=$(curl --silent --show-error --retry 3 --max-time 60 --output "$work/check" --write-out '%{http_code}' \
    --header "Content-Type: $media" --data-binary @- "$HUB/api/v1/repos/$OWNER/$2/check?$number" <"$body" 2>"$work/complaint") || true
  if [ "$status" != 200 ]; then
    [ -s "$work/complaint" ] || echo "$HUB answered $status; is it a Prompt Hub?" >"$work/complaint"
    reject "$1" "$2" "$work/check"
    return 1
  fi
  { read -r version && read -r latest && read -r is_new; } < <(jq --raw-output '.data |
    .would_be, (if .unchanged then .would_be else .changes.from // "null" end), ((.unchanged and .fields == []) | not)' "$work/check" 2>/dev/null) || version=
  if ! is_version "${version:-}" || ! { [ "$latest" = null ] || is_version "$latest"; }; then
    echo "$HUB did not return a check; is it a Prompt Hub?" >"$work/complaint"
    echo '{}' >"$work/check"
    reject "$1" "$2" "$work/check"
    return 1
  fi
}

# Whether the job may store attestations: GitHub answers an empty one with 422 if it may, and with 403 if not.
may_attest() {
  local status
  [ -n "${GITHUB_TOKEN:-}" ] && [ -n "${GITHUB_REPOSITORY:-}" ] || return 1
  printf 'Authorization: Bearer %s\n' "$GITHUB_TOKEN" >"$work/headers"
  status=$(curl --silent --show-error --max-time 30 --header "@$work/headers" --header 'Content-Type: application/json' \
    --data '{}' --output /dev/null --write-out '%{http_code}' \
    "${GITHUB_API_URL:-https://api.github.com}/repos/$GITHUB_REPOSITORY/attestations" 2>/dev/null) || true
  case $status in
    400 | 422) ;;
    *)
      show 'The job may not write attestations, so the versions are not signed. To sign them, add "attestations: write" to its permissions.'
      return 1
      ;;
  esac
}

# Adds what publishing the file would add to the list of subjects. A signature says that this job built the version, so the
# job takes no digest from the hub: it ends if its own differ.
list_subjects() { # <file> <name>
  local own theirs program='.data | [.bundle_sha256 // .content_sha256, .manifest_sha256] | map(strings) | @tsv'
  prepare_check
  "$NODE" "$CODE/scripts/check-here.ts" "$HUB" "$OWNER/$2" "$body" "$media" "$number" >"$work/own" 2>"$work/complaint" ||
    stop "Cannot compute what publishing $1 would sign: $(head -c 1000 "$work/complaint")" 2>&3
  own=$(jq --raw-output "$program" "$work/own")
  theirs=$(jq --raw-output "$program" "$work/check")
  if [[ ! $own =~ ^[0-9a-f]{64}$'\t'[0-9a-f]{64}$ ]] || [ "$own" != "$theirs" ]; then
    stop "$HUB names other digests than this job computes from $1: expected ${own//$'\t'/ and }, got ${theirs//$'\t'/ and }. Nothing was signed. If somebody else just published $OWNER/$2, run the job again; otherwise, do not trust the hub." 2>&3
  fi
  printf '%s  %s\n%s  %s\n' "${own%$'\t'*}" "$OWNER/$2" "${own#*$'\t'}" "$OWNER/$2#manifest" >>"$subjects"
}

# Installs the code of the action's own commit, once. Its packages are pinned by their digests, and none of their scripts is run.
prepare_check() {
  CODE=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd) NODE=${NODE:-node}
  [ "$("$NODE" -p 'Boolean(process.features.typescript)' 2>/dev/null)" = true ] ||
    stop 'Signing needs Node 22.18 or newer on the runner. Add actions/setup-node before this action, or set attest to no.' 2>&3
  [ -d "$CODE/node_modules/zod" ] ||
    (cd "$CODE" && npm ci --omit=dev --ignore-scripts --no-audit --no-fund) >"$work/complaint" 2>&1 ||
    stop "Cannot install the packages that compute what is signed: $(tail -c 1000 "$work/complaint")" 2>&3
}

# Annotates the file with the warnings in a response.
show_warnings() { # <file> <answer>
  local line message
  while IFS= read -r -d '' line && IFS= read -r -d '' message; do
    annotate warning "$message" "$1" "$line"
  done < <(jq --join-output '.data.warnings[]? | (.line // ""), "\u0000", .message, "\u0000"' "$2")
}

# Writes the outputs and the summary. Versions and URLs have no line break, and nothing else in them is from a file.
finish() {
  if [ -n "${GITHUB_OUTPUT:-}" ]; then
    printf 'version<<END\n%sEND\nurl<<END\n%sEND\nchanged=%s\n' "$versions" "$urls" "$changed" >>"$GITHUB_OUTPUT"
  fi
  write_summary
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

# Sets name and version; version is empty if the file was rejected.
handle() { # <file>
  local file=$1 latest='' is_new='' impact
  name='' version=''
  check_file "$file" || return 1
  name=$(basename -- "$file")
  if [ ! -d "$file" ]; then name=${name%.*}; fi
  case $name in
    '' | *[!a-z0-9-]*)
      fail "Each file is published to the prompt of the same name: expected lower-case letters, digits and hyphens, got $name; rename the file." "$file"
      return 1
      ;;
  esac
  check "$file" "$name" || return 1
  if [ "$MODE" = subjects ]; then
    if [ "$is_new" = true ]; then list_subjects "$file" "$name"; fi
    return 0
  fi
  impact=$(describe_impact)
  if [ "$is_new" = false ]; then
    show "$OWNER/$name $version (unchanged)"
  elif [ "$MODE" = check ]; then
    show "$OWNER/$name $version would be published"
    show_warnings "$file" "$work/check"
    changed=true
  else
    is_newest "$file" || {
      [ $? = 1 ] || return 1
      show "$OWNER/$name: skipped, because a newer commit changed $file"
      version=${latest/null/}
      report "$OWNER/$name" "$version" 'skipped: a newer commit changed the file'
      return 0
    }
    publish "$file" "$name" || return 1
    changed=true
  fi
  report "$OWNER/$name" "$version" "$impact"
  if [ "$MODE" = publish ] && [ -n "${LABEL:-}" ]; then label "$file" "$name" "$version"; fi
}

# Publishes the file, if the latest version is still $latest. Sets version.
publish() { # <file> <name>
  local query token
  query=$(jq --null-input --raw-output --arg changelog "${CHANGELOG:-$(git log -1 --format=%s -- "$1")}" \
    '$changelog | gsub("[[:cntrl:]]"; " ")[:500] | @uri')
  request_token || return 1
  printf 'Authorization: Bearer %s\n' "$token" >"$work/headers"
  cp -- "$body" "$work/sent"
  if [ -n "${ATTESTATION:-}" ]; then sign "$1"; fi
  # A retry is the same request with the same token, so the hub returns the response to the first request.
  curl --silent --show-error --fail-with-body --retry 3 --max-time 60 --header "@$work/headers" \
    --header "Content-Type: $media" --data-binary "@$work/sent" \
    "$HUB/api/v1/repos/$OWNER/$2/versions?$number&changelog=$query&expected_version=$latest" >"$work/answer" 2>"$work/complaint" || {
    reject "$1" "$2" "$work/answer"
    return 1
  }
  version=$(jq --raw-output '.data.version | strings' "$work/answer" 2>/dev/null || true)
  is_version "$version" || {
    version=
    fail "$HUB accepted $OWNER/$2, but its response has no version." "$1"
    return 1
  }
  show "$OWNER/$2 $version"
  show_warnings "$1" "$work/answer"
}

# Puts the file or folder and the attestation into an archive. Sets media.
sign() { # <file or folder>
  local folder=$1
  media=application/gzip
  rm -rf "$work/signed" "$work/main"
  mkdir -p "$work/signed/.attestations" "$work/main"
  cp -- "$ATTESTATION" "$work/signed/.attestations/1.sigstore.json"
  if [ ! -d "$1" ]; then
    cp -- "$1" "$work/main/prompt.md"
    folder=$work/main
  fi
  tar -czf "$work/sent" -C "$folder" . -C "$work/signed" .attestations/1.sigstore.json
}

if [ "$MODE" = subjects ]; then
  may_attest || exit 0
  # It is kept until the job ends, because the next step reads it.
  subjects=${RUNNER_TEMP:-/tmp}/prompt-hub-subjects-$$
  : >"$subjects"
fi
# What ends the job is shown, also where publishing reports every other problem again.
exec 3>&2
found=0 failed=0 versions='' urls='' changed=false
while IFS= read -r pattern; do
  # Unquoted so that patterns are expanded. IFS is empty, so a name that contains a space is not split.
  IFS=
  for file in $pattern; do
    [ -f "$file" ] || [ -L "$file" ] || [ -f "$file/SKILL.md" ] || [ -f "$file/prompt.md" ] || continue
    file=${file%/}
    found=1
    # Publishing reports every problem again.
    if [ "$MODE" = subjects ]; then
      handle "$file" >/dev/null 2>&1 || true
      continue
    fi
    handle "$file" || failed=1
    versions+=$version$'\n'
    urls+=${version:+$HUB/$OWNER/$name/v/$version}$'\n'
  done
done <<<"$FILES"
if [ "$MODE" = subjects ]; then
  if [ -s "$subjects" ] && [ -n "${GITHUB_OUTPUT:-}" ]; then printf 'path=%s\n' "$subjects" >>"$GITHUB_OUTPUT"; fi
  exit 0
fi
if [ "$found" = 0 ]; then stop 'No files match.'; fi
finish
exit "$failed"
