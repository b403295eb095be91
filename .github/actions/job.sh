# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034 # say.sh sets work; the script that sources this file sets HUB, and uses token
# Checks the inputs of a job that publishes to a hub, and requests its OIDC tokens. Sourced by the action scripts after say.sh.

# A token for a hub on this machine does not go through a proxy, where others could read it.
export no_proxy="${no_proxy:-${NO_PROXY:-}},localhost,127.0.0.1"

# Exits unless the job may request tokens.
require_permission() {
  [ -n "${ACTIONS_ID_TOKEN_REQUEST_URL:-}" ] && return
  stop 'The job is not allowed to request OIDC tokens. Give it "permissions: {contents: read, id-token: write}". '"${HUB:-The hub}/docs/trusted-publishing explains how."
}

# Exits unless HUB is a URL to which a token may be sent.
require_hub() { # <message>
  [[ $HUB == *[[:space:]]* || ($HUB != https://* && ! $HUB =~ ^http://(localhost|127\.0\.0\.1)(:[0-9]+)?$) ]] || return 0
  stop "$1"
}

# Exits unless OWNER can be an owner.
require_owner() {
  case $OWNER in
    '' | *[!a-z0-9-]*) ;;
    *) return ;;
  esac
  stop 'owner: expected lower-case letters, digits and hyphens.'
}

# Requests a token whose audience is the hub, which is valid for one request. Sets token. Secrets are passed to curl in files, because other processes can read its arguments.
request_token() {
  printf 'Authorization: Bearer %s\n' "$ACTIONS_ID_TOKEN_REQUEST_TOKEN" >"$work/ask"
  token=$(curl --silent --show-error --fail --retry 3 --max-time 30 --header "@$work/ask" --get \
    --data-urlencode "audience=$HUB" "$ACTIONS_ID_TOKEN_REQUEST_URL" | jq --exit-status --raw-output .value) || token=
  case $token in
    '' | *[!A-Za-z0-9._~+/=-]*)
      fail 'The issuer did not return a token.'
      return 1
      ;;
  esac
  echo "::add-mask::$token"
}
