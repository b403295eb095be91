// The jobs of pages on somebody's text. On Netlify, they are in the bundle of the pages, not in the function.
import type { TextJobTable } from '../ports/text-work.ts'

/** The jobs that pages need. */
export const PAGE_JOBS = {
  async renderMarkdown(text, place) {
    const { renderMarkdown } = await import('../site/markdown.ts')
    return renderMarkdown(text, place)
  },
  async renderTexts(texts, variables) {
    const [{ renderContent }, { countHidden }] = await Promise.all([
      import('../site/prompt/prompt-text.ts'),
      import('../domain/content/hidden-characters.ts'),
    ])
    return {
      html: texts.map((text) => renderContent(text, variables, { isLinked: true })),
      hidden: texts.reduce((sum, text) => sum + countHidden(text), 0),
    }
  },
  async renderComparison(from, to) {
    const [{ renderCallerImpact, renderDifferenceLines }, { compareForCallers }] = await Promise.all([
      import('../site/prompt/render-difference.ts'),
      import('../domain/catalogue/difference.ts'),
    ])
    return { impact: renderCallerImpact(compareForCallers(from, to)), lines: renderDifferenceLines(from, to) }
  },
} satisfies Partial<TextJobTable>
