// Hides console errors of aborted page transitions. The page itself is shown without them.

/** What the browser tells of a transition, where it knows of any. @see https://developer.mozilla.org/docs/Web/API/ViewTransition */
interface Transition {
  ready: Promise<unknown>
  finished: Promise<unknown>
}

// Going back to a page that the browser kept aborts the transition, and its error would stand in the console.
for (const name of ['pageswap', 'pagereveal'])
  addEventListener(name, (event: Event & { viewTransition?: Transition | null }) => {
    const { viewTransition } = event
    viewTransition?.ready.catch(() => {})
    viewTransition?.finished.catch(() => {})
  })
