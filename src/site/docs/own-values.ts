// Fills in what the guides leave open with what a hub knows of itself.
import type { HubProfile } from '../rendering.ts'

/** The parts of a guide that only public hubs, or only hubs for readers, show. */
const PARTS = /<!-- (public|readers) -->\n?([\s\S]*?)<!-- \/\1 -->\n?/g
/** A `curl` that reads from the hub: what it sends no token with. The downloads need none. */
const READS =
  /\bcurl (?=(?:-(?!X)[\w-]+ (?:[\w./-]+ )?)*(?:['"]|&#39;|&quot;)?https:\/\/prompts\.example\.org\/(?!cli\/|clients\/))/g
/** The option of `curl` that sends a token. */
export const TOKEN_HEADER = '-H "Authorization: Bearer $HUB_TOKEN"'

/** Replaces the sample URL with this hub's URL, and the sample repositories and commit with those of this hub, as far as they are known. On a hub for readers, what reads sends a token. */
export function fillOwn(text: string, { baseUrl, sourceHost, code, isForReaders }: HubProfile): string {
  const { host, hostname } = new URL(baseUrl)
  const values: Record<string, string | undefined> = {
    'https://prompts.example.org': baseUrl,
    '//prompts.example.org': `//${host}`,
    'machine prompts.example.org': `machine ${hostname}`,
    'OWNER/catalogue': sourceHost?.repository,
    'OWNER/prompt-hub': code?.repository,
    '@COMMIT': code && `@${code.commit}`,
  }
  const kept = text.replace(PARTS, (_, who: string, part: string) => ((who === 'readers') === isForReaders ? part : ''))
  return (isForReaders ? kept.replace(READS, (read) => `${read}${TOKEN_HEADER} `) : kept).replace(
    SAMPLES,
    (sample) => values[sample] ?? sample,
  )
}

const SAMPLES = /(?:https:\/\/|\/\/|machine )prompts\.example\.org|OWNER\/catalogue|OWNER\/prompt-hub|@COMMIT\b/g
