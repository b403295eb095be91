// Sets, lists and removes the webhooks of an owner, which are in the state store and not in git.

import { type ListEnvelope, onlyPage } from '../../domain/api/envelope.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { PathParameters } from '../../domain/api/routes.ts'
import { LIMITS } from '../../domain/limits.ts'
import { readWebhookBody, type WebhookRecord, type WebhookRequest } from '../../domain/managing/webhook-request.ts'
import { readOwner } from '../../domain/publishing/repository-state.ts'
import { invalidField } from '../../domain/publishing/request.ts'
import { isTag } from '../../domain/values/names.ts'
import { logAudit } from '../../log.ts'
import { UNCACHED_JSON } from '../respond.ts'
import { type Clock, readOwnerIndex } from './attempts.ts'
import { requireOwnerRights } from './authenticate.ts'
import type { OwnerWebhooks, PublishHub } from './publish-hub.ts'
import type { OpenWrite, Sending } from './write-to-git.ts'

type WebhookId = 'listWebhooks' | 'setWebhook' | 'removeWebhook'

/** Opens a call about webhooks. @throws HubError `not_found` for a malformed name */
export function openWebhook(routeId: WebhookId, { webhook: id = '' }: PathParameters): OpenWrite {
  if (routeId !== 'listWebhooks' && !isTag(id))
    throw new HubError(
      'not_found',
      'No webhook can have this name. Names are lower-case words joined by single hyphens, at most 36 characters.',
    )
  return {
    async parse(body) {
      const wish = routeId === 'setWebhook' ? readWebhookBody(String(body)) : undefined
      return {
        needed: 'maintain',
        async carryOut(sending, deps, time) {
          const { webhooks } = deps
          if (!webhooks)
            throw new HubError(
              'not_found',
              `This hub sends no webhooks. Use those of its git host: ${deps.baseUrl}/docs/webhooks#on-netlify has a recipe.`,
            )
          await requireMaintainer(sending, deps, time)
          if (routeId === 'listWebhooks') return respond(onlyPage(await webhooks.list(sending.owner)))
          if (wish) return setWebhook(id, wish, sending, webhooks, new Date(time.now()))
          const wasThere = await webhooks.remove({ owner: sending.owner, id })
          if (wasThere) logChange('webhook_removed', id, sending)
          return respond({ data: { id, unchanged: !wasThere } })
        },
      }
    },
  }
}

/** @throws HubError `forbidden` */
async function requireMaintainer(sending: Sending, { git }: PublishHub, time: Clock): Promise<void> {
  const { owner, bearer } = sending
  requireOwnerRights(bearer, owner, readOwner(owner, await readOwnerIndex(git, { ...sending, name: undefined }, time)))
}

async function setWebhook(
  id: string,
  wish: WebhookRequest,
  sending: Sending,
  webhooks: OwnerWebhooks,
  now: Date,
): Promise<Response> {
  const { owner, bearer } = sending
  const problem = await webhooks.findAddressProblem(wish.url)
  if (problem !== undefined) throw invalidField('url', problem)
  const ids = await webhooks.idsOf(owner)
  if (!ids.includes(id) && ids.length >= LIMITS.webhooksPerOwner)
    throw new HubError(
      'validation_failed',
      `${owner} has ${LIMITS.webhooksPerOwner} webhooks, the most that an owner may have: ${ids.join(', ')}. Remove one first.`,
    )
  const { webhook, secret } = await webhooks.set({ owner, id }, wish, { by: bearer.login ?? null, now })
  logChange('webhook_set', id, sending)
  return respond({ data: { ...webhook, secret } }, secret === null ? 200 : 201)
}

function logChange(event: 'webhook_set' | 'webhook_removed', webhook: string, { owner, bearer }: Sending): void {
  const by = bearer.isSignedIn ? {} : { token_id: bearer.tokenId }
  logAudit(event, { owner, webhook, login: bearer.login ?? null, ...by })
}

function respond(body: { data: object } | ListEnvelope<WebhookRecord>, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: UNCACHED_JSON })
}
