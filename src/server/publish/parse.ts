// Parses the texts of publishes.

import { allowInThreads } from '../../concurrency/long-work.ts'
import { readPromptFile } from '../../domain/publishing/prompt-file.ts'
import { type PublishInput, readPublishBody } from '../../domain/publishing/request.ts'
import { measure } from '../../files/measure.ts'

/** Parses the JSON of a publish. @throws HubError `invalid_request`, `validation_failed`, `content_too_large` */
export const parsePublish = (body: string): PublishInput => readPublishBody(body, measure)

/** Parses a prompt file to publish, with its query parameters. @throws HubError `validation_failed`, `content_too_large` */
export const parsePromptFile = (file: string, query: Readonly<Record<string, string>>): PublishInput =>
  readPromptFile(file, query, measure)

allowInThreads(import.meta.url, { parsePublish, parsePromptFile })
