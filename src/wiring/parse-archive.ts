// Parses the archive of a skill's folder as a publish.
import { readSkillFolder } from '../../packages/formats/skill-folder.ts'
import { readPromptFile } from '../domain/publishing/prompt-file.ts'
import type { PublishInput } from '../domain/publishing/request.ts'
import { allowInThreads } from '../ports/long-work.ts'
import { measure } from '../ports/measure.ts'
import { readArchive } from '../ports/read-archive.ts'

/** Parses an archive, with its query parameters. @throws HubError `invalid_request`, `validation_failed`, `content_too_large` */
export function parseArchive(archive: Uint8Array<ArrayBuffer>, query: Readonly<Record<string, string>>): PublishInput {
  const { main, files, attestations } = readArchive(archive)
  const input =
    main.name === 'SKILL.md'
      ? readSkillFolder(main.text, files, query, measure)
      : readPromptFile(main.text, query, measure, files)
  return attestations.length === 0 ? input : { ...input, attestations }
}

allowInThreads(import.meta.url, { parseArchive })
