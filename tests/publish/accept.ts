// Creates an accepted publish, for tests that run the publish decision without a hub.
import { parsePublishRequest } from '../../src/domain/publishing/request.ts'
import { measure } from '../../src/files/measure.ts'
import type { AcceptedPublish } from '../../src/server/publish/publish.ts'

const NOTHING = { prompts: 0, bytes: 0 }

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
    body: parsePublishRequest({ content: 'Review this.\n', ...body }, measure),
    linesBefore: 0,
    idempotency: undefined,
    arrivedMs: 0,
    baseUrl: 'https://hub.example',
    issuer: 'https://token.actions.githubusercontent.com',
    verify: async () => [],
    listRuns: async () => new Set(),
    noteIncluded: async () => {},
    listUsed: async () => [],
    judgeMove: async () => false,
    judgeNewVersion: async () => {},
    warnOfNear: async () => [],
    listSince: async () => new Map(),
    lookAround: async () => ({ isOriginKnown: true, usage: NOTHING, quota: NOTHING }),
    isUnseen: async () => false,
    ...given,
  }
}
