#!/bin/sh
# Tells Netlify which builds to skip (exit status 0): builds of commits that are no longer the newest on the branch, because the newest commit's build follows and includes them.
# https://docs.netlify.com/configure-builds/ignore-builds/
# A branch that changes constantly is still built once the last built commit is five minutes old. In case of doubt, the build runs.
longest_wait_s=300

[ -n "$BRANCH" ] && [ -n "$COMMIT_REF" ] && [ -n "$CACHED_COMMIT_REF" ] || exit 1
# Both commits are equal if there is no cache; the last build is then unknown.
[ "$CACHED_COMMIT_REF" != "$COMMIT_REF" ] || exit 1
newest=$(git ls-remote --end-of-options origin "refs/heads/$BRANCH" | cut -f 1)
[ -n "$newest" ] && [ "$newest" != "$COMMIT_REF" ] || exit 1
built_at=$(git show -s --format=%ct --end-of-options "$CACHED_COMMIT_REF") || exit 1
[ $(($(date +%s) - built_at)) -lt "$longest_wait_s" ] || exit 1
echo "Skipped: $BRANCH is now at $newest."
exit 0
