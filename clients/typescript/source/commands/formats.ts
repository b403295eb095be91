// Loads the formats of other tools, which the npm package `prompt-hub` contains and the library does not.
import { HUB_URL } from '../address.ts'
import { PromptHubError } from '../trouble.ts'

/** What became of a prompt, or of a file without one. */
export interface Line {
  path: string
  name: string | null
  status: 'new' | 'changed' | 'updated' | 'unchanged' | 'refused' | 'lost'
  version: string | null
  lost: string[]
  reasons: string[]
}

/** What the hub has of a prompt: its versions by their numbers in the source, and its labels. */
export interface OnHub {
  versions: ReadonlyMap<string, string>
  labels: ReadonlySet<string>
}

/** A version to publish. */
export interface VersionToPublish {
  number: string | undefined
  labels: readonly string[]
  sha256: string | undefined
  changelog: string
  files: readonly { path: string; read(): Uint8Array<ArrayBuffer> }[]
  write(onHub: (index: number) => OnHub | undefined): { text: string; compose: boolean; kept: string[] }
}

/** A prompt to publish, with its versions, oldest first. */
export interface PromptToPublish {
  index: number
  line: Line
  versions: readonly VersionToPublish[]
}

/** The functions of packages/prompt-import. */
export interface Formats {
  readToPublish(
    paths: readonly string[],
    choices: { owner?: string; from?: string; license?: string; keepsText?: boolean },
  ): { owner: string; prompts: PromptToPublish[]; lines: Line[]; skipped: string[] }
  describeImport(lines: readonly Line[], skipped: readonly string[], owner: string, verb: string): string[]
  formatImport(lines: readonly Line[]): string
}

/** The package has it beside the modules, and the repository has its source. */
const PLACES = ['../formats.js', '../../../../packages/prompt-import/prompt-import.ts']

/** @throws PromptHubError `invalid_request` in the library's package */
export async function openFormats(): Promise<Formats> {
  for (const place of PLACES) {
    const url = new URL(place, import.meta.url).href
    try {
      return (await import(url)) as Formats
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }
  throw new PromptHubError(
    'invalid_request',
    `import is in the npm package prompt-hub, not in the library: npx ${HUB_URL}/clients/prompt-hub.tgz import …`,
  )
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
