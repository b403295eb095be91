// Owns the functions by which components draw the middle of pages, handed from the bundle of the pages to the build that loaded it.

/** Pages are bundled apart from the build, so they share nothing with it but the process. */
const PLACE = Symbol.for('prompt-hub.main-drawers')

/** Draws the middle of a page as HTML, with the props of its component. */
type DrawMain = (props: object) => Promise<string>

/** Keeps what draws the middle of a kind of page. */
export function setMainDrawer(kind: string, draw: DrawMain): void {
  drawers().set(kind, draw)
}

/** What draws the middle of a kind of page. @throws Error when its frame was not rendered in this process */
export function getMainDrawer(kind: string): DrawMain {
  const draw = drawers().get(kind)
  if (!draw) throw new Error(`Nothing draws the middle of pages of the kind ${kind}.`)
  return draw
}

function drawers(): Map<string, DrawMain> {
  const known: Map<string, DrawMain> = Reflect.get(globalThis, PLACE) ?? new Map()
  Reflect.set(globalThis, PLACE, known)
  return known
}
