// Asks a store each question once per request, because on Netlify each question is a round trip over the network.

/**
 * Wraps a query: calls with the same arguments share one answer, even if it is an error. The answers are kept as long as the returned function.
 *
 * @param ask takes validated names, paths or versions, none of which contains a blank
 */
export function askOnce<Ask extends (...given: never) => Promise<unknown>>(ask: Ask): Ask {
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
