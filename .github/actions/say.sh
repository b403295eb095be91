# shellcheck shell=bash
# Prints lines for the log of a GitHub Actions job, and for its summary. Sourced by the action scripts.

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
