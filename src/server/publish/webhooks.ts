// Sets, lists and removes the webhooks of an owner, which are in the state store and not in git.

import { onlyPage } from '../../domain/api/envelope.ts'
import { HubError } from '../../domain/api/errors.ts'
import type { PathParameters } from '../../domain/api/routes.ts'
import { LIMITS } from '../../domain/limits.ts'
import { readWebhookBody, type WebhookRequest } from '../../domain/managing/webhook-request.ts'
import { invalidField } from '../../domain/publishing/request.ts'
import { isTag } from '../../domain/values/names.ts'
import { logAudit } from '../../log.ts'
import { respondWithRecord, UNCACHED_JSON } from '../respond.ts'
import { requireOwnerRights } from './authenticate.ts'
import type { OwnerWebhooks, PublishHub } from './publish-hub.ts'
import { type Clock, type ParseWrite, readOwnerFile, type Sending } from './write-to-git.ts'

type WebhookId = 'listWebhooks' | 'setWebhook' | 'removeWebhook'

/** Opens a call about webhooks. @throws HubError `not_found` for a malformed name */
export function openWebhook(routeId: WebhookId, { webhook: id = '' }: PathParameters): ParseWrite {
  if (routeId !== 'listWebhooks' && !isTag(id))
    throw new HubError(
      'not_found',
      'No webhook can have this name. Names are lower-case words joined by single hyphens, at most 36 characters.',
    )
  return async (body) => {
    const wish = routeId === 'setWebhook' ? readWebhookBody(String(body)) : undefined
    return {
      needed: 'maintain',
      async carryOut(sending, deps, time) {
        if (!deps.webhooks)
          throw new HubError(
            'not_found',
            `This hub sends no webhooks. Use those of its git host: ${deps.baseUrl}/docs/webhooks#on-netlify has a recipe.`,
          )
        await requireMaintainer(sending, deps, time)
        const webhooks = await deps.webhooks()
        if (routeId === 'listWebhooks')
          return new Response(JSON.stringify(onlyPage(await webhooks.list(sending.owner))), {
            headers: UNCACHED_JSON,
          })
        if (wish) return setWebhook(id, wish, sending, webhooks, new Date(time.now()))
        const wasThere = await webhooks.remove({ owner: sending.owner, id })
        if (wasThere) logChange('webhook_removed', id, sending)
        return respondWithRecord({ id, unchanged: !wasThere })
      },
    }
  }
}

/** @throws HubError `forbidden` */
async function requireMaintainer(sending: Sending, { git }: PublishHub, time: Clock): Promise<void> {
  const { owner, bearer } = sending
  requireOwnerRights(bearer, owner, await readOwnerFile(git, { ...sending, name: undefined }, time))
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
  return respondWithRecord({ ...webhook, secret }, secret === null ? 200 : 201)
}

function logChange(event: 'webhook_set' | 'webhook_removed', webhook: string, { owner, bearer }: Sending): void {
  const by = bearer.isSignedIn ? {} : { token_id: bearer.tokenId }
  logAudit(event, { owner, webhook, login: bearer.login ?? null, ...by })
}
