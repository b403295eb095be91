// Asks a store each question once per request, because on Netlify each question is a round trip over the network.

import type { SiteFiles } from '../built/site-files.ts'
import type { FreshCopies } from '../state/fresh-copies.ts'

/** The sources from which the records of one request are read. */
interface AskedSources {
  siteFiles: SiteFiles
  fresh: Pick<FreshCopies, 'find' | 'held' | 'listNames'>
}

/** Wraps the sources for one request: each file and each copy is read once, so that all parts of a response agree. */
export function askEachOnce({ siteFiles, fresh }: AskedSources): AskedSources {
  return {
    siteFiles: { read: askOnce(siteFiles.read) },
    fresh: { ...fresh, find: askOnce(fresh.find) },
  }
}

/**
 * Wraps a query: calls with the same arguments share one answer, even if it is an error. The answers are kept as long as the returned function.
 *
 * @param ask takes validated names, paths or versions, none of which contains a blank
 */
function askOnce<Ask extends (...given: never) => Promise<unknown>>(ask: Ask): Ask {
  const answers = new Map<string, Promise<unknown>>()
  const once = (...given: never) => {
    const key = (given as readonly string[]).join(' ')
    const answer = answers.get(key) ?? ask(...given)
    answers.set(key, answer)
    return answer
  }
  // The answers to one question have one type, which may depend on the question.
  return once as Ask
}
