// Opens a hub with an owner, `strict`, that accepts only versions with an attestation of its trusted workflow.
import { formatTrustedRootFile } from '../../src/domain/content/trusted-root-file.ts'
import { openHub } from '../hubs/publishing.ts'
import { openLocalWorld } from '../hubs/worlds.ts'
import { startSigstore } from './sigstore-services.ts'

const OWNER = `---
members: [octocat]
publishing: signed-only
trusted_publishers:
  - {repository: octo/prompts, repository_id: 1001, repository_owner_id: 2002, workflow: publish.yml}
---
`

/** @returns the hub, what signs for it, and a token for all prompts of the owner. The caller closes `sigstore`. */
export async function openStrictHub() {
  const sigstore = await startSigstore()
  const roots = formatTrustedRootFile({ renewed_at: '2026-11-26', roots: [sigstore.root] })
  const hub = await openHub(openLocalWorld({ 'content/strict/index.md': OWNER, 'content/trusted-root.json': roots }))
  await hub.build()
  return { hub, sigstore, token: await hub.makeToken({ scope: 'strict/*' }) }
}
