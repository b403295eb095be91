// Owns comparing two versions that no page was built for: both records are read, and drawn as the build draws its pairs.
import type { VersionRecord } from '../../domain/api/schema.ts'
import { compareForCallers } from '../../domain/catalogue/difference.ts'
import { drawForCallers, drawLines } from '../draw-difference.ts'
import { ROUTES_LIST } from '../links.ts'

const place = document.querySelector<HTMLElement>('[data-compare]')
if (place) compare(place).catch(reportError)

async function compare(place: HTMLElement): Promise<void> {
  const { compare: fullName = '', from = '', to = '' } = place.dataset
  try {
    const [before, after] = await Promise.all([from, to].map((version) => read(fullName, version)))
    // Everything in it is escaped where it is drawn.
    place.innerHTML = drawForCallers(compareForCallers(before!, after!)) + drawLines(before!, after!)
  } catch (error) {
    place.textContent = `The versions could not be read: ${error instanceof Error ? error.message : String(error)}`
  }
}

async function read(fullName: string, version: string): Promise<VersionRecord> {
  const response = await fetch(`${ROUTES_LIST}/${fullName}/versions/${version}`)
  const body = await response.json()
  if (!response.ok) throw new Error(body.error?.message ?? String(response.status))
  return body.data
}
