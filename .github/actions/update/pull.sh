# shellcheck shell=bash
# shellcheck disable=SC2154 # say.sh sets work
# Commits what is staged, pushes it to a branch, and opens a pull request or updates the open one. Sourced by update.sh and recompose.sh, which set TOKEN, after say.sh.

API=${GITHUB_API_URL:-https://api.github.com}/repos/$GITHUB_REPOSITORY

propose() { # <branch> <base branch> <title>: the text is in the file body of the work folder
  local target=$1 base=$2 title=$3 head number
  # Commits on a detached HEAD, so that the checked-out branch is unchanged for later steps of the job.
  git checkout --quiet --detach
  git -c user.name='github-actions[bot]' -c user.email='41898282+github-actions[bot]@users.noreply.github.com' \
    commit --quiet --message "$title"
  # If the branch already has the same change on the same base, pushing it again would only rerun every check.
  if git fetch --quiet --depth=2 origin "refs/heads/$target" 2>/dev/null &&
    git diff --quiet FETCH_HEAD HEAD && [ "$(git rev-parse FETCH_HEAD^)" = "$(git rev-parse HEAD^)" ]; then
    echo 'The branch already contains this update.'
  else
    git push --quiet --force origin "HEAD:refs/heads/$target"
  fi
  printf 'Authorization: Bearer %s\nAccept: application/vnd.github+json\n' "$TOKEN" >"$work/headers"
  jq --null-input --rawfile body "$work/body" --arg title "$title" --arg head "$target" --arg base "$base" '{$title, $body, $head, $base}' >"$work/pull"
  head=$(jq --null-input --raw-output --arg head "${GITHUB_REPOSITORY%%/*}:$target" '$head | @uri')
  ask_github GET "$API/pulls?state=open&head=$head&base=$(jq --null-input --raw-output --arg base "$base" '$base | @uri')"
  number=$(jq --raw-output 'first(.[].number) // "" | tostring' "$work/answer")
  case $number in
    '') ask_github POST "$API/pulls" "$work/pull" ;;
    *[!0-9]*) stop 'GitHub returned a pull request without a number.' ;;
    *)
      jq '{title, body}' "$work/pull" >"$work/change"
      ask_github PATCH "$API/pulls/$number" "$work/change"
      ;;
  esac
  show "Proposed in $(jq --raw-output .html_url "$work/answer")"
}

# Keeps the staged differences, up to a number of bytes. Sets fence: prompts and changelogs are untrusted text, so the code
# fence around them is longer than any run of backticks in the text. It can then neither become a link, an image or a
# mention, nor end the fence.
keep_differences() { # <bytes> <file with more such text> [<path>]...
  local most=$1 other=$2 longest
  shift 2
  git diff --cached --no-color --no-ext-diff -- "$@" | head -c "$most" >"$work/differences"
  longest=$({ cat "$work/differences" "$other" | grep -ao '`\+' || true; } | awk 'length($0) > n { n = length($0) } END { print n + 3 }')
  fence=$(printf '`%.0s' $(seq "$longest"))
}

# Truncated text may end in the middle of a character.
show_differences() {
  printf '<details><summary>Diff</summary>\n\n%sdiff\n' "$fence"
  iconv -f UTF-8 -t UTF-8 -c "$work/differences"
  printf '\n%s\n\n</details>\n' "$fence"
}

ask_github() { # <method> <address> [<file>]
  curl --silent --show-error --fail-with-body --retry 3 --max-time 60 --header "@$work/headers" --request "$1" \
    ${3:+--data-binary "@$3"} "$2" >"$work/answer" 2>"$work/complaint" || stop "GitHub: $(jq --raw-output .message "$work/answer" 2>/dev/null || head -c 500 "$work/complaint"). The job needs \"permissions: {contents: write, pull-requests: write}\", and the repository must let workflows open pull requests."
}
