# shellcheck shell=bash
# Prints lines for the log of a GitHub Actions job. Sourced by the action scripts.

# What a job prints is read for commands (::set-output …), so nothing that a file, a name or a hub says is printed as it is.
show() {
  local text=${1//[[:cntrl:]]/ }
  text=${text//'##['/'## ['}
  printf '%s\n' "${text//::/: :}"
}

fail() { # <sentence> [<file>]: an annotation; % and line ends are escaped as the runner reads them, : and , too in a property
  local text=${1//'%'/'%25'} file=${2-}
  text=${text//$'\r'/'%0D'}
  text=${text//$'\n'/'%0A'}
  file=${file//'%'/'%25'}
  file=${file//:/'%3A'}
  file=${file//,/'%2C'}
  printf '::error%s::%s\n' "${file:+ file=${file//[[:cntrl:]]/ }}" "${text//[[:cntrl:]]/ }" >&2
}
