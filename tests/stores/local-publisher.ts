// Publishes one version to a content folder, in a process that a test kills.
import { openLocalGit } from '../../src/git/git-store-local.ts'
import { publish } from './local-repository.ts'

const [contentDir = ''] = process.argv.slice(2)
const text = 'killed 1\n'
await publish(openLocalGit({ contentDir, environment: process.env }), {
  version: { version: '1.0.0', text },
  index: text,
})
