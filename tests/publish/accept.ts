// Creates an accepted publish, for tests that run the publish decision without a hub.
import { parsePublishRequest } from '../../src/domain/publishing/request.ts'
import type { AcceptedPublish } from '../../src/server/publish/publish.ts'
import type { PublishHub } from '../../src/server/publish/publish-hub.ts'
import { makeHub } from '../hubs/make-hub.ts'

/** Returns a publish to acme/review; by default, an operator of acme sends it at the beginning of 1970. */
export function acceptPublish({
  body,
  ...given
}: Partial<Omit<AcceptedPublish, 'body'>> & { body?: Record<string, unknown> }): AcceptedPublish {
  return {
    owner: 'acme',
    name: 'review',
    bearer: {
      id: 'token:t',
      publisher: 'token:t',
      tokenId: 't',
      tokenName: undefined,
      login: undefined,
      isSignedIn: false,
      scope: 'acme/*',
      permissions: ['publish'],
      holder: { kind: 'operator' },
      provenance: undefined,
    },
    body: parsePublishRequest({ content: 'Review this.\n', ...body }),
    linesBefore: 0,
    idempotency: undefined,
    arrivedMs: 0,
    ...given,
  }
}

/** What a decision asks of a hub, which has only the version acme/code@1.0.0. */
export const DECIDING = {
  ...makeHub({
    siteFiles: {
      read: async (path) =>
        path === '/data/v1/repos/acme/code/versions/1.0.0.json' ? Buffer.from('{"data":{}}') : undefined,
    },
  }),
  issuer: 'https://token.actions.githubusercontent.com',
  listUsedNumbers: async () => [],
} as unknown as PublishHub
