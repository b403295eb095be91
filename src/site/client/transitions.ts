// Hides console errors of aborted page transitions. Aborted transitions do not affect the page itself.

/** The browser's transition events, where supported. @see https://developer.mozilla.org/docs/Web/API/ViewTransition */
interface Transition {
  ready: Promise<unknown>
  finished: Promise<unknown>
}

// Going back to a cached page aborts the transition, and its error would appear in the console.
for (const name of ['pageswap', 'pagereveal'])
  addEventListener(name, (event: Event & { viewTransition?: Transition | null }) => {
    const { viewTransition } = event
    viewTransition?.ready.catch(() => {})
    viewTransition?.finished.catch(() => {})
  })
