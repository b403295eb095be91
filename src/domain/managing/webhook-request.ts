// Parses requests to set a webhook. src/pages/docs/webhooks.md
import * as z from 'zod'
import { EVENT_TYPES } from '../events/event.ts'
import { LIMITS } from '../limits.ts'
import { boundsOf, parseBody } from '../publishing/request.ts'
import { parseFields } from './request.ts'

const events = z
  .array(z.enum(EVENT_TYPES))
  .min(1, 'expected at least one type, or no such field')
  .max(EVENT_TYPES.length)
  .refine((types) => new Set(types).size === types.length, 'expected each type once')
  .default([...EVENT_TYPES])
  .describe('The types of events that it receives; if omitted, all.')

/** The body that sets a webhook. */
export const WebhookRequest = z
  .strictObject({
    url: z
      .url('expected an https URL')
      .max(LIMITS.addressCharacters, `expected at most ${LIMITS.addressCharacters} characters`)
      .describe('Where events are sent: the https URL of a public server, without credentials.'),
    events,
  })
  .meta({ id: 'WebhookRequest', description: 'Where the events of an owner are sent.' })
export type WebhookRequest = z.infer<typeof WebhookRequest>

/** A webhook. */
export const WebhookRecord = z
  .object({
    id: z.string().describe('Its name.'),
    url: z.string().describe('Where events are sent.'),
    events: z.array(z.enum(EVENT_TYPES)).describe('The types of events that it receives.'),
    created_at: z.string().describe('When it was set first.'),
    created_by: z.string().nullable().describe('The login of the member who set it first, or null.'),
    pending: z.int().describe('The number of events that wait for their delivery.'),
    last_delivered_at: z.string().nullable().describe('When an event was last accepted, or null.'),
    last_problem: z
      .object({ at: z.string(), message: z.string() })
      .nullable()
      .describe('Why a delivery failed since then, or null.'),
  })
  .meta({ id: 'Webhook', description: 'Where the events of an owner are sent, and whether they arrive.' })
export type WebhookRecord = z.infer<typeof WebhookRecord>

/** Parses the body of a webhook. @throws HubError `invalid_request`, `validation_failed` */
export function readWebhookBody(text: string): WebhookRequest {
  return parseFields(WebhookRequest, parseBody(text, boundsOf(WebhookRequest, { keys: 10, values: 20, depth: 2 })))
}
