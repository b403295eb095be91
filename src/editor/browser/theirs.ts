// Shows the version that somebody else has published while the form was open.
import type { VersionRecord } from '../../domain/api/schema.ts'

/** Finds the latest version of a prompt now. @returns undefined if it cannot be read */
export async function findTheirs({ full_name }: VersionRecord): Promise<VersionRecord | undefined> {
  try {
    const read = async (path: string) =>
      (await (await fetch(`/api/v1/repos/${path}`, { cache: 'no-store' })).json()).data
    const { latest_version } = await read(full_name)
    return await read(`${full_name}/versions/${latest_version}`)
  } catch {
    return undefined
  }
}

/** Shows it, and how it differs. */
export async function showTheirs(base: VersionRecord, theirs: VersionRecord): Promise<void> {
  const place = document.querySelector<HTMLElement>('[data-theirs]')!
  const [title, changelog, comparison] = ['#theirs-title', '[data-theirs-changelog]', '[data-theirs-comparison]'].map(
    (part) => place.querySelector<HTMLElement>(part)!,
  )
  title!.textContent = `Published meanwhile: ${theirs.version}`
  changelog!.textContent = `${theirs.published_by}: ${theirs.changelog || 'No changelog.'}`
  const { renderDifferenceLines } = await import('../../site/prompt/render-difference.ts')
  // `renderDifferenceLines` escapes all text.
  comparison!.innerHTML = renderDifferenceLines(base, theirs)
  place.hidden = false
  title!.focus()
}
