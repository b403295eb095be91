// Parses the archive of a skill's folder as a publish.
import { readSkillFolder } from '../../packages/prompt-formats/source/skill-folder.ts'
import { allowInThreads } from '../concurrency/long-work.ts'
import { readPromptFile } from '../domain/publishing/prompt-file.ts'
import type { PublishInput } from '../domain/publishing/request.ts'
import { readArchive } from '../files/read-archive.ts'

/** Parses an archive, with its query parameters. @throws HubError `invalid_request`, `validation_failed`, `content_too_large` */
export function parseArchive(archive: Uint8Array<ArrayBuffer>, query: Readonly<Record<string, string>>): PublishInput {
  const { main, files, attestations, leftOut } = readArchive(archive)
  const input =
    main.name === 'SKILL.md' ? readSkillFolder(main.text, files, query) : readPromptFile(main.text, query, files)
  return { ...input, ...(attestations.length > 0 && { attestations }), ...(leftOut.length > 0 && { leftOut }) }
}

allowInThreads(import.meta.url, { parseArchive })
