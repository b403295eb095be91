// Owns making the pages of which there are many: of prompts, versions and comparisons. Astro renders a frame for each kind once, and each page is that frame with its own things filled in, which takes much less time than asking Astro for each.
import type { CatalogueEntry } from '../../domain/catalogue/entry.ts'
import { NEWEST_COMPARED } from '../links.ts'
import type { PageHead } from '../page-head.ts'
import { type Around, lookAround } from './around.ts'
import { describePromptPage, type PromptPage } from './describe-prompt-page.ts'
import { type Comparison, describeComparison, drawComparison } from './draw-comparison.ts'
import { getCatalogue } from './loaded-catalogue.ts'
import { type FrameKind, fillFrame, listFrames, nameFrame, type PageFrame, parseFrame } from './page-frame.ts'
import { drawPromptMain } from './prompt-page/draw-prompt-main.ts'
import type { SiteFile } from './site-writer.ts'

/** Where the frames lie, as Astro names their page. */
export const FRAMES_PAGE = 'src/pages/assets/frames/[frame].astro'

/** A page as Astro's `getStaticPaths` lists it: the parts of its address by name, and what it shows. */
interface Listed<Props> {
  params: Record<string, string>
  props: Props
}

/** Lists the pages of one kind that a prompt has. */
type ListPages<Props> = (entry: CatalogueEntry, around: Around) => Listed<Props>[]

/** The page of a prompt: its latest version. */
export const listPromptPages: ListPages<PromptPage> = (entry, around) => {
  const { owner, name, latest_version } = entry.summary
  const record = entry.versions.find(({ summary }) => summary.version === latest_version)?.record
  return [{ params: { owner, name }, props: { entry, around, isMain: true, record } }]
}

/** The pages of its versions. */
export const listVersionPages: ListPages<PromptPage> = (entry, around) => {
  const { owner, name } = entry.summary
  return entry.versions.map(({ record }) => ({
    params: { owner, name, version: record.version },
    props: { entry, around, isMain: false, record },
  }))
}

/** The pages that compare neighbours among its newest versions. */
export const listComparisonPages: ListPages<Comparison> = (entry) =>
  entry.versions.slice(0, NEWEST_COMPARED).flatMap(({ record: { owner, name, version } }, index) => {
    const before = entry.versions[index + 1]?.record.version
    return before === undefined
      ? []
      : [{ params: { owner, name, pair: `${before}...${version}` }, props: { entry, index } }]
  })

/** The pages of one kind of every prompt in the catalogue that is in place. */
export function listForAll<Props>(list: ListPages<Props>): Listed<Props>[] {
  const catalogue = getCatalogue()
  return [...catalogue.entries.values()].flatMap((entry) => list(entry, lookAround(catalogue, entry)))
}

/** A page in its parts. */
interface Parts {
  params: Record<string, string>
  kind: FrameKind
  head: PageHead
  /** Draws its middle as HTML. */
  draw: () => string
}

const partsOfPrompt = ({ params, props }: Listed<PromptPage>): Parts => ({
  ...{ params, kind: 'prompt', head: describePromptPage(props) },
  draw: () => drawPromptMain(props),
})

const partsOfComparison = ({ params, props }: Listed<Comparison>): Parts => ({
  ...{ params, kind: 'comparison', head: describeComparison(props) },
  draw: () => drawComparison(props),
})

/** The pages with a frame that a prompt has, by their source file. */
const FRAMED: Readonly<Record<string, (entry: CatalogueEntry, around: Around) => Parts[]>> = {
  'src/pages/[owner]/[name].astro': (entry, around) => listPromptPages(entry, around).map(partsOfPrompt),
  'src/pages/[owner]/[name]/v/[version].astro': (entry, around) => listVersionPages(entry, around).map(partsOfPrompt),
  'src/pages/[owner]/[name]/compare/[pair].astro': (entry, around) =>
    listComparisonPages(entry, around).map(partsOfComparison),
}

/** Whether a page has a frame. @param component its source file, as Astro names it */
export const isFramed = (component: string): boolean => Object.hasOwn(FRAMED, component)

/** Makes every page with a frame that a prompt of the catalogue in place has, each when it is asked for. */
export type MakeFramed = (entry: CatalogueEntry, around: Around) => Iterable<SiteFile>

/**
 * Renders the frames.
 *
 * @param renderFrame renders one by the last part of its address
 */
export async function openFrames(renderFrame: (name: string) => Promise<string>): Promise<MakeFramed> {
  const frames = new Map<string, PageFrame>()
  for (const { name } of listFrames()) frames.set(name, parseFrame(await renderFrame(name)))
  return function* (entry, around) {
    for (const [component, list] of Object.entries(FRAMED))
      for (const { params, kind, head, draw } of list(entry, around)) {
        const frame = frames.get(nameFrame(kind, head.isListed !== false))!
        yield [fileOf(component, params), fillFrame(frame, head, draw())]
      }
  }
}

/** Where Astro puts a page. */
function fileOf(component: string, params: Record<string, string>): string {
  const path = component.slice('src/pages'.length, -'.astro'.length)
  return `${path.replace(/\[(\w+)\]/g, (_, name) => params[name]!)}/index.html`
}
