// Asks a store each question once per request, because on Netlify each question is a round trip over the network.

/**
 * Wraps a query: calls with the same arguments share one answer, even if it is an error. The answers are kept as long as the returned function.
 *
 * @param ask takes validated names, paths or versions, none of which contains a blank
 */
export function askOnce<Given extends string[], Value>(
  ask: (...given: Given) => Promise<Value>,
): (...given: Given) => Promise<Value> {
  const answers = new Map<string, Promise<Value>>()
  return (...given) => {
    const key = given.join(' ')
    const answer = answers.get(key) ?? ask(...given)
    answers.set(key, answer)
    return answer
  }
}
