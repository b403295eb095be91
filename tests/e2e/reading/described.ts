// Read tests for the API description: openapi.json has every read route and every promised key.
import { describe, expect, test } from 'vitest'
import { REPOSITORY_SHAPE, SUMMARY_SHAPE } from '../../fixtures/repository-fields.ts'
import { LISTED_VERSION, TAG, USER, VARIABLE, VERSION_RECORD } from '../answers.ts'
import type { Reading } from './hub.ts'

export function described(hub: Reading): void {
  const { found } = hub

  describe('OpenAPI', () => {
    test('describes every read route with its parameters', async () => {
      const openapi = (await found('/api/v1/openapi.json')).json()
      expect(openapi.openapi).toMatch(/^3\.1\.\d+$/)
      expect(openapi.servers).toEqual([expect.objectContaining({ url: hub.base })])
      const paths = openapi.paths as Record<string, { get?: { parameters?: { name: string; in: string }[] } }>
      const parameters = (path: string) =>
        (paths[path]?.get?.parameters ?? []).map((parameter) => `${parameter.in} ${parameter.name}`).toSorted()
      const repository = ['header If-None-Match', 'path name', 'path owner']
      expect(parameters('/api/v1/repos')).toEqual([
        'header If-None-Match',
        'query kind',
        'query page',
        'query q',
        'query sort',
        'query tag',
      ])
      expect(parameters('/api/v1/repos/{owner}/{name}')).toEqual(repository)
      expect(parameters('/api/v1/repos/{owner}/{name}/versions')).toEqual([...repository, 'query page'])
      const single = Object.keys(paths).find((path) => /\/versions\/\{\w+\}$/.test(path)) ?? ''
      expect(parameters(single)).toEqual([...repository, 'path version'])
      expect(parameters('/api/v1/repos/{owner}/{name}/raw')).toEqual([
        ...repository,
        'query at',
        'query key',
        'query label',
        'query version',
      ])
      expect(paths['/api/v1/tags']?.get).toBeDefined()
      expect(parameters('/api/v1/users/{handle}')).toEqual(['header If-None-Match', 'path handle'])
      expect(paths['/api/v1/openapi.json']?.get).toBeDefined()
    })

    test('declares every promised key as required', async () => {
      const { components } = (await found('/api/v1/openapi.json')).json() as {
        components: { schemas: Record<string, { required: string[] }> }
      }
      const required = Object.values(components.schemas).map((schema) => new Set(schema.required ?? []))
      for (const shape of [SUMMARY_SHAPE, REPOSITORY_SHAPE, VARIABLE, LISTED_VERSION, VERSION_RECORD, TAG, USER]) {
        const keys = Object.keys(shape)
        expect(
          required.some((names) => keys.every((key) => names.has(key))),
          keys.join(', '),
        ).toBe(true)
      }
    })
  })
}
