# shellcheck shell=bash
# Prints lines for the log of a GitHub Actions job, and for its summary. Sourced by the action scripts.

# The client of the same commit, so that pinning an action pins the client too.
# shellcheck disable=SC2034 # the scripts that source this file use it
HUBCLI=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/clients/hubcli/hubcli

# A folder that only this user can read. It is removed at the end.
umask 077
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The runner reads commands (::set-output …) from a job's output, so text from files, names and hubs is never printed unchanged.
show() {
  local text=${1//[[:cntrl:]]/ }
  text=${text//'##['/'## ['}
  printf '%s\n' "${text//::/: :}"
}

# Prints an annotation; % and line breaks are escaped for the runner, and in a property also : and ,
annotate() { # <error or warning> <message> [<file> [<line>]]
  local text=${2//'%'/'%25'} file=${3-} line=${4-}
  text=${text//$'\r'/'%0D'}
  text=${text//$'\n'/'%0A'}
  file=${file//'%'/'%25'}
  file=${file//:/'%3A'}
  file=${file//,/'%2C'}
  [[ $line =~ ^[1-9][0-9]{0,8}$ ]] || line=
  printf '::%s%s%s::%s\n' "$1" "${file:+ file=${file//[[:cntrl:]]/ }}" "${line:+,line=$line}" "${text//[[:cntrl:]]/ }" >&2
}

fail() { # <message> [<file> [<line>]]
  annotate error "$@"
}

stop() { # <message>: reports an error, and ends the job
  fail "$1"
  exit 1
}

# jq functions for the summary. Names, settings and messages are text from prompts, so every character that Markdown or
# HTML could read as markup becomes a character reference.
# shellcheck disable=SC2016 # a program of jq
MARKDOWN='
def md: .[:500] | explode | map(if (. >= 48 and . <= 57) or (. >= 65 and . <= 90) or (. >= 97 and . <= 122) or . == 32 then [.] | implode else "&#\(.);" end) | join("");
def name($what; $names): $names | if length == 0 then empty else "\($what) \(.[:10] | map(md) | join(", "))\(if length > 10 then ", …" else "" end)" end;
'

report() { # <owner/name> <version or nothing> <impact>: adds a row to the summary
  printf '| %s | %s | %s |\n' "$1" "$2" "$3" >>"$work/rows"
}

write_summary() {
  [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -e "$work/rows" ] || return 0
  { printf '| Prompt | Version | Impact on callers |\n|---|---|---|\n' && cat "$work/rows"; } >>"$GITHUB_STEP_SUMMARY"
}

is_version() {
  [[ $1 =~ ^[0-9]{1,6}\.[0-9]{1,6}\.[0-9]{1,6}$ ]]
}

# Prints what callers of the latest version must know, as Markdown, from the response to a check in the work folder.
describe_impact() {
  jq --raw-output "$MARKDOWN"' .data | .changes as $c |
    if $c != null then
      [ if $c.breaking then "**breaking**: \($c.reasons | map(md) | join(", "))" else empty end,
        name("adds"; $c.variables.added - $c.variables.added_required), name("changes"; [$c.variables.changed[].name]),
        name("adds messages:"; $c.messages.added), name("removes messages:"; $c.messages.removed),
        name("settings:"; $c.parameters | .added + .removed + .changed) ]
      | if . == [] then "none" else join("; ") end
    elif .unchanged then (if .fields == [] then "none: unchanged" else name("none: only"; .fields) end)
    else "none: a new prompt" end' "$work/check" 2>/dev/null || echo unknown
}
