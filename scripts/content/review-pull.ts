// Reviews a pull request's content for its workflow: reads the two commits and the author from the environment, and writes outputs for the next steps to $GITHUB_OUTPUT.
import { randomUUID } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { reviewPull } from '../../src/review/review-pull.ts'
import { runCommand } from '../run-command.ts'

await runCommand({ help: 'Usage: node scripts/content/review-pull.ts' }, async () => {
  const { report, problems, waits, changed } = await reviewPull('.', process.env)
  write({ report, problems: String(problems), owner: waits ? 'waits' : 'agrees' })
  console.log(
    `${changed} files changed, ${problems} problems, ${waits ? 'owner approval pending' : 'no owner approval pending'}.`,
  )
})

/** Writes step outputs, with unpredictable delimiters for multi-line values. @see https://docs.github.com/actions/reference/workflow-commands-for-github-actions */
function write(outputs: Readonly<Record<string, string>>): void {
  const { GITHUB_OUTPUT } = process.env
  for (const [name, value] of Object.entries(outputs)) {
    const end = `end-${randomUUID()}`
    if (GITHUB_OUTPUT) appendFileSync(GITHUB_OUTPUT, `${name}<<${end}\n${value}\n${end}\n`)
    else console.log(`${name}: ${value}`)
  }
}
