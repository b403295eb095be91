// The job that exports a version. On Netlify, a function contains only the code of its own jobs.
import { jobIn, type TextJobTable } from '../ports/text-work.ts'

/** The code of these jobs, each module loaded on first use. */
export const EXPORT_CODE = {
  formats: () => import('../../packages/formats/formats.ts'),
}

/** The job that exports need. */
export const EXPORT_JOBS = {
  exportVersion: jobIn(EXPORT_CODE.formats, ({ toExported, WRITERS }) => (format, repository, record) => {
    return WRITERS[format](toExported(repository, record, repository))
  }),
} satisfies Partial<TextJobTable>
