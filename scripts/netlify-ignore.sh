#!/bin/sh
# Tells Netlify which builds to leave out (status 0): those of a commit that the branch has left behind already, for the newest one's build follows and shows all of it.
# https://docs.netlify.com/configure-builds/ignore-builds/
# A branch that never rests is built all the same, once what was built last is five minutes old. In any doubt it builds.
longest_wait_s=300

[ -n "$BRANCH" ] && [ -n "$COMMIT_REF" ] && [ -n "$CACHED_COMMIT_REF" ] || exit 1
# The same when there is no cache: nothing is known of the last build.
[ "$CACHED_COMMIT_REF" != "$COMMIT_REF" ] || exit 1
newest=$(git ls-remote origin "refs/heads/$BRANCH" | cut -f 1)
[ -n "$newest" ] && [ "$newest" != "$COMMIT_REF" ] || exit 1
built_at=$(git show -s --format=%ct "$CACHED_COMMIT_REF") || exit 1
[ $(($(date +%s) - built_at)) -lt "$longest_wait_s" ] || exit 1
echo "Left out: $BRANCH is at $newest by now."
exit 0
