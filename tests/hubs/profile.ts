// What pages show of a hub without settings, for tests that render pages.
import type { HubProfile } from '../../src/site/rendering.ts'

/** Creates a profile. @param given overrides for parts of the look */
export function makeProfile(baseUrl: string, given: Partial<HubProfile['look']> = {}): HubProfile {
  return {
    baseUrl,
    sourceHost: undefined,
    code: undefined,
    rateLimitPerMinute: 120,
    isForReaders: false,
    look: {
      name: 'Prompt Hub',
      tagline: 'A hub of tests',
      language: 'en',
      footer: [],
      examples: [],
      tasks: [],
      logoPath: undefined,
      stylePath: undefined,
      ...given,
    },
  }
}
