#!/bin/sh
# Tells Netlify which builds to skip (status 0): those of commits that are no longer the newest on the branch, because the newest one's build follows and includes them.
# https://docs.netlify.com/configure-builds/ignore-builds/
# A branch that changes constantly is still built once the last built commit is five minutes old. If in doubt, it builds.
longest_wait_s=300

[ -n "$BRANCH" ] && [ -n "$COMMIT_REF" ] && [ -n "$CACHED_COMMIT_REF" ] || exit 1
# Both are equal if there is no cache; then nothing is known about the last build.
[ "$CACHED_COMMIT_REF" != "$COMMIT_REF" ] || exit 1
newest=$(git ls-remote origin "refs/heads/$BRANCH" | cut -f 1)
[ -n "$newest" ] && [ "$newest" != "$COMMIT_REF" ] || exit 1
built_at=$(git show -s --format=%ct "$CACHED_COMMIT_REF") || exit 1
[ $(($(date +%s) - built_at)) -lt "$longest_wait_s" ] || exit 1
echo "Left out: $BRANCH is at $newest by now."
exit 0
