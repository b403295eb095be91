// The text jobs for results of test suites.
import type { TextJobTable } from '../ports/text-work.ts'

/** The code of the jobs below, which a function loads on first use. */
export const RESULT_CODE = {
  resultFile: () => import('../domain/content/result-file.ts'),
  resultRequest: () => import('../domain/managing/result-request.ts'),
  resultDecision: () => import('../domain/managing/result-decision.ts'),
  listedVersion: () => import('../domain/publishing/repository-state.ts'),
  measuring: () => import('../ports/measure.ts'),
}

/** The jobs. */
export const RESULT_JOBS = {
  async parseResult(body) {
    const { readResultBody } = await RESULT_CODE.resultRequest()
    return readResultBody(body)
  },
  async decideResult(sent, fullName, tested, nowMs) {
    const { decideResult } = await RESULT_CODE.resultDecision()
    return decideResult(sent, fullName, tested, nowMs)
  },
  async parseResults(files) {
    const { parseResultFile } = await RESULT_CODE.resultFile()
    return files.flatMap(([suite, text]): [string, ReturnType<typeof parseResultFile>['value'] & object][] => {
      const { value } = parseResultFile(text)
      return value ? [[suite, value]] : []
    })
  },
  async formatResults(files) {
    if (files.length === 0) return []
    const { formatResultFile } = await RESULT_CODE.resultFile()
    return files.map(([suite, file]): [string, string] => [suite, formatResultFile(file)])
  },
  async digestVersion(place, version, text) {
    const [{ readListedVersion }, { measure }] = await Promise.all([
      RESULT_CODE.listedVersion(),
      RESULT_CODE.measuring(),
    ])
    return measure(readListedVersion(place, version, text).content).content_sha256
  },
} satisfies Partial<TextJobTable>
