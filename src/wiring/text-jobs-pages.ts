// The jobs of pages on somebody's text. On Netlify, they are in the bundle of the pages, not in the function.
import { jobIn, type TextJobTable } from '../ports/text-work.ts'

/** The code of these jobs, each module loaded on first use. */
export const PAGE_CODE = {
  differences: () => import('../domain/catalogue/difference.ts'),
  hiddenCharacters: () => import('../domain/content/hidden-characters.ts'),
  markdown: () => import('../site/markdown.ts'),
  preview: () => import('../site/prompt/preview.ts'),
  promptText: () => import('../site/prompt/prompt-text.ts'),
  renderDifference: () => import('../site/prompt/render-difference.ts'),
  renderParts: () => import('../site/prompt/render-parts.ts'),
}

/** Maximum number of lines of a file that a page shows. */
const MAX_FILE_LINES = 200

/** The jobs that pages need. */
export const PAGE_JOBS = {
  renderMarkdown: jobIn(PAGE_CODE.markdown, (code) => code.renderMarkdown),
  renderPreview: jobIn(PAGE_CODE.preview, (code) => code.renderPreview),
  async renderTexts(texts, variables) {
    const [{ renderContent }, { countHidden }] = await Promise.all([
      PAGE_CODE.promptText(),
      PAGE_CODE.hiddenCharacters(),
    ])
    return {
      html: texts.map((text) => renderContent(text, variables, { isLinked: true })),
      hidden: texts.reduce((sum, text) => sum + countHidden(text), 0),
    }
  },
  renderFiles: jobIn(PAGE_CODE.promptText, ({ renderLines }) => (texts) => {
    return texts.map((text) => renderLines(text, MAX_FILE_LINES))
  }),
  async renderComparison(from, to, texts = []) {
    const [{ renderCallerImpact, renderDifferenceLines, renderFileChanges }, { renderPartChanges }, differences] =
      await Promise.all([PAGE_CODE.renderDifference(), PAGE_CODE.renderParts(), PAGE_CODE.differences()])
    const difference = differences.compareForCallers(from, to)
    return {
      impact: renderCallerImpact(difference) + renderPartChanges(from, to),
      lines: renderDifferenceLines(from, to),
      files: renderFileChanges(difference, from.files, to.files, texts),
    }
  },
} satisfies Partial<TextJobTable>
