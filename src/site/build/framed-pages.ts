// Owns making the pages of which there are many: of prompts, versions and comparisons. Astro renders a frame for each kind once, and each page is that frame with its own things filled in, which takes much less time than asking Astro for each.
import type { VersionRecord } from '../../domain/api/schema.ts'
import type { CatalogueEntry } from '../../domain/catalogue/catalogue.ts'
import type { PageHead } from '../page-head.ts'
import type { Around } from './around.ts'
import { describePromptPage, type PromptPage } from './describe-prompt-page.ts'
import { type Comparison, describeComparison, drawComparison } from './draw-comparison.ts'
import { type FrameKind, fillFrame, listFrames, nameFrame, type PageFrame, parseFrame } from './page-frame.ts'
import { drawPromptMain } from './prompt-page/draw-prompt-main.ts'

/** Where the frames lie, as Astro names their page. */
export const FRAMES_PAGE = 'src/pages/assets/frames/[frame].astro'

/** A page in its parts. */
interface Parts {
  kind: FrameKind
  head: PageHead
  /** Draws its middle as HTML. */
  draw: () => string
}

type PartsOf<Props> = (props: Props) => Parts

const partsOfPrompt = (page: PromptPage): Parts => ({
  kind: 'prompt',
  head: describePromptPage(page),
  draw: () => drawPromptMain(page),
})

const recordOf = (entry: CatalogueEntry, wanted: string | null): VersionRecord | undefined =>
  entry.versions.find(({ summary: { version } }) => version === wanted)?.record

/** The pages with a frame, by their source file, and how their parts are made from the props that `getStaticPaths` gives them. */
const PARTS = {
  'src/pages/[owner]/[name].astro': ({ entry, around }: { entry: CatalogueEntry; around: Around }) =>
    partsOfPrompt({ entry, around, isMain: true, record: recordOf(entry, entry.summary.latest_version) }),
  'src/pages/[owner]/[name]/v/[version].astro': ({
    entry,
    version,
    around,
  }: {
    entry: CatalogueEntry
    version: string
    around: Around
  }) => partsOfPrompt({ entry, around, isMain: false, record: recordOf(entry, version) }),
  'src/pages/[owner]/[name]/compare/[pair].astro': (comparison: Comparison): Parts => ({
    kind: 'comparison',
    head: describeComparison(comparison),
    draw: () => drawComparison(comparison),
  }),
} as const

/** Whether a page has a frame. @param component its source file, as Astro names it */
export const isFramed = (component: string): boolean => Object.hasOwn(PARTS, component)

/** Makes the HTML of a page, of the catalogue that is in place. */
export type MakeFramed = (component: string, props: object) => string

/**
 * Renders the frames.
 *
 * @param renderFrame renders one by the last part of its address
 */
export async function openFrames(renderFrame: (name: string) => Promise<string>): Promise<MakeFramed> {
  const frames = new Map<string, PageFrame>()
  for (const { name } of listFrames()) frames.set(name, parseFrame(await renderFrame(name)))
  return (component, props) => {
    // The compiler cannot know which props these are: the page's own file says so, where it lists its paths.
    const { kind, head, draw } = (PARTS[component as keyof typeof PARTS] as PartsOf<object>)(props)
    const frame = frames.get(nameFrame(kind, head.isListed !== false))!
    return fillFrame(frame, head, draw())
  }
}
