// Loads the rules of the API into the browser when the first check needs them.
import { config } from 'zod'

/** Returns the function that judges a form, exactly as the server does. */
export async function loadJudge() {
  // Otherwise zod compiles its parsers with `eval`, which the Content-Security-Policy blocks.
  config({ jitless: true })
  return (await import('../form/judge-form.ts')).judgeForm
}
