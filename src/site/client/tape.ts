// Shows what the ticks of a version tape say, under the pointer and with the keyboard.
for (const tape of document.querySelectorAll<HTMLElement>('[data-tape]')) {
  const ticks = [...tape.querySelectorAll<SVGAElement>('a')]
  const words = Object.assign(document.createElement('p'), { className: 'tape-words', hidden: true })
  words.setAttribute('aria-hidden', 'true')
  tape.append(words)
  for (const tick of ticks) {
    // The browser's own tooltip would cover these words.
    const title = tick.querySelector('title')
    tick.setAttribute('aria-label', title?.textContent ?? '')
    title?.remove()
  }
  const tickOf = ({ target }: Event) => (target instanceof Element ? target.closest<SVGAElement>('a') : null)
  const show = (tick: SVGAElement | null) => {
    words.hidden = tick === null
    words.textContent = tick?.getAttribute('aria-label') ?? ''
  }
  tape.addEventListener('pointerover', (event) => show(tickOf(event)))
  tape.addEventListener('pointerleave', () => show(null))
  tape.addEventListener('focusin', (event) => show(tickOf(event)))
  tape.addEventListener('focusout', () => show(null))
  tape.addEventListener('keydown', (event) => {
    const at = ticks.indexOf(document.activeElement as unknown as SVGAElement)
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: ticks.length - 1 }[event.key]
    const tick = to === undefined ? undefined : ticks[to]
    if (at < 0 || !tick) return
    event.preventDefault()
    ticks[at]?.setAttribute('tabindex', '-1')
    tick.setAttribute('tabindex', '0')
    tick.focus()
  })
}
