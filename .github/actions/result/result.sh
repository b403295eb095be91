#!/usr/bin/env bash
# Reports the output of a test runner with `hubcli result`, and points the label to the version, each with an OIDC token whose audience is this hub. Run by action.yml; requires curl, jq and python3.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../say.sh
. "$(dirname "${BASH_SOURCE[0]}")/../say.sh"
# shellcheck source-path=SCRIPTDIR source=../job.sh
. "$(dirname "${BASH_SOURCE[0]}")/../job.sh"

require_permission
require_hub 'hub: expected an https URL, because over plain http, anyone on the network path could publish with the token.'
case $OUTPUT in
  -* | '') stop 'file: expected a path; begin it with ./ if it starts with a hyphen.' ;;
esac
if [ -L "$OUTPUT" ]; then stop "file: $OUTPUT is a symbolic link; name the file itself."; fi

# Runs hubcli with a token of its own, which is valid for one request.
run_hubcli() {
  local token
  request_token || exit 1
  HUB_URL=$HUB HUB_TOKEN=$token sh "$HUBCLI" "$@" >"$work/said" 2>"$work/complaint" || stop "$(head -c 3000 "$work/complaint")"
  show "$(cat "$work/said")"
}

run=()
if [[ ${GITHUB_SERVER_URL:-} == https://* && -n ${GITHUB_REPOSITORY:-} && -n ${GITHUB_RUN_ID:-} ]]; then
  run=(--url "$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID")
fi
if [ -n "${MODEL:-}" ]; then run+=(--model "$MODEL"); fi
run_hubcli result "${run[@]}" -- "$PROMPT" "$VERSION" "$SUITE" "$OUTPUT"
if [ -n "${LABEL:-}" ]; then run_hubcli label -- "$PROMPT" "$LABEL" "$VERSION"; fi
