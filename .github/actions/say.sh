# shellcheck shell=bash
# Prints lines for the log of a GitHub Actions job. Sourced by the action scripts.

# The runner reads commands (::set-output …) from a job's output, so text from files, names and hubs is never printed unchanged.
show() {
  local text=${1//[[:cntrl:]]/ }
  text=${text//'##['/'## ['}
  printf '%s\n' "${text//::/: :}"
}

fail() { # <message> [<file>]: prints an error annotation; % and line breaks are escaped for the runner, and in a property also : and ,
  local text=${1//'%'/'%25'} file=${2-}
  text=${text//$'\r'/'%0D'}
  text=${text//$'\n'/'%0A'}
  file=${file//'%'/'%25'}
  file=${file//:/'%3A'}
  file=${file//,/'%2C'}
  printf '::error%s::%s\n' "${file:+ file=${file//[[:cntrl:]]/ }}" "${text//[[:cntrl:]]/ }" >&2
}
