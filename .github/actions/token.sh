# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034 # the script that sources this file sets work and HUB, and uses token
# Requests the OIDC tokens of a GitHub Actions job. Sourced by the action scripts after say.sh.

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
