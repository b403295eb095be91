// Fills in what the guides leave open with what a hub knows of itself.
import type { HubProfile } from '../rendering.ts'

/** Replaces the sample URL with this hub's URL, and the sample repositories and commit with those of this hub, as far as they are known. */
export function fillOwn(text: string, { baseUrl, sourceHost, code }: HubProfile): string {
  const values: Record<string, string | undefined> = {
    'https://prompts.example.org': baseUrl,
    'OWNER/catalogue': sourceHost?.repository,
    'OWNER/prompt-hub': code?.repository,
    '@COMMIT': code && `@${code.commit}`,
  }
  return text.replace(SAMPLES, (sample) => values[sample] ?? sample)
}

const SAMPLES = /https:\/\/prompts\.example\.org|OWNER\/catalogue|OWNER\/prompt-hub|@COMMIT\b/g
