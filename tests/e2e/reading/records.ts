// Read tests for records: each repository, version and owner matches the content folder.

import { describe, expect, test } from 'vitest'
import { pointing } from '../../fixtures/labels.ts'
import { expectError } from '../answers.ts'
import type { Json } from '../client.ts'
import { data, type List, meta, type Reading } from './hub.ts'

export function records(hub: Reading): void {
  const { content, listed, looked, get, found, each, record, versionRecord, expectVariables, expectBytes } = hub

  describe('repositories', () => {
    test.each(looked.map((one) => [one.full_name, one] as const))('%s', async (fullName, repository) => {
      const { latest } = repository
      const detail = data(await found(`/api/v1/repos/${fullName}`))
      expect(detail).toMatchObject({
        ...record(repository),
        content: latest?.text ?? null,
        content_sha256: latest?.sha256 ?? null,
        size_bytes: latest?.bytes.length ?? null,
        labels: pointing(repository.labels),
        versions: repository.active.map(({ version }) => version),
      })
      // Only content is kept byte for byte; the text of a page may lose surrounding whitespace.
      expect(String(detail.readme).trim()).toBe(repository.readme.trim())
      expect(detail.parameters).toEqual(latest?.parameters ?? {})
      if (latest) expectVariables(detail.variables, latest, fullName)
      else expect(detail.variables).toEqual([])
      const raw = await get(`/api/v1/repos/${fullName}/raw`)
      if (!latest) return void expectError(raw, 404)
      expect(raw.status).toBe(200)
      expectBytes(raw, latest.bytes)
      expect(raw.headers['x-prompt-version']).toBe(latest.version)
    })

    test.each(looked.map((one) => [one.full_name, one] as const))(
      '%s: lists its versions',
      async (fullName, repository) => {
        const answer = (await found(`/api/v1/repos/${fullName}/versions`)).json() as List
        expect(answer.meta).toEqual({ page: 1, pages: 1, total: repository.versions.length })
        expect(answer.data).toHaveLength(repository.versions.length)
        expect(answer.data).toMatchObject(
          repository.versions.map((version) => ({
            version: version.version,
            changelog: version.changelog,
            published_at: version.published_at,
            published_by: version.published_by,
            content_sha256: version.sha256,
            size_bytes: version.bytes.length,
            yanked: version.yank_reason !== null,
            yank_reason: version.yank_reason,
            url: versionRecord(repository, version).url,
            raw_url: versionRecord(repository, version).raw_url,
          })),
        )
        await each(repository.versions, async (version) => {
          const where = `${fullName} ${version.version}`
          const single = data(await found(`/api/v1/repos/${fullName}/versions/${version.version}`))
          expect(single, where).toMatchObject(versionRecord(repository, version))
          expect(single, 'the single record never changes').not.toHaveProperty('yanked')
          expectVariables(single.variables, version, where)
          const raw = await found(`/api/v1/repos/${fullName}/raw?version=${version.version}`)
          expectBytes(raw, version.bytes)
          const digest = `sha-256=:${Buffer.from(version.sha256, 'hex').toString('base64')}:`
          expect(raw.headers['unencoded-digest']).toBe(digest)
          // An intermediary may compress the response, which changes the digest.
          if (raw.headers['content-encoding'] === undefined) expect(raw.headers['repr-digest']).toBe(digest)
          expect(raw.headers['x-prompt-yanked']).toBe(version.yank_reason === null ? undefined : 'true')
          expect(raw.headers['x-prompt-version']).toBe(version.version)
        })
      },
    )
  })

  describe('users', () => {
    const owners = content.owners.filter(({ handle }) => listed.some((one) => one.owner === handle))

    test.each(owners.map((owner) => [owner.handle, owner] as const))('%s', async (handle, owner) => {
      const user = data(await found(`/api/v1/users/${handle}`))
      const theirs = listed.filter((one) => one.owner === handle)
      expect(user).toMatchObject({
        handle,
        name: owner.name,
        website: owner.website,
        avatar_url: owner.avatar_url,
        bio: owner.bio === null ? null : expect.any(String),
        html_url: `${hub.base}/${handle}`,
        repos_count: theirs.length,
      })
      expect(String(user.bio ?? '').trim()).toBe((owner.bio ?? '').trim())
      const repos = user.repos as Json[]
      expect(repos.map((one) => one.full_name).toSorted()).toEqual(theirs.map((one) => one.full_name).toSorted())
      const updates = repos.map((one) => Date.parse(String(one.updated_at)))
      expect(updates, 'newest update first').toEqual(updates.toSorted((a, b) => b - a))
      for (const repository of theirs) expect(repos).toContainEqual(expect.objectContaining(record(repository)))
    })
  })

  test('the URLs in records are absolute and resolve, and openapi.json has the hub’s own', async () => {
    const { servers } = (await found('/api/v1/openapi.json')).json()
    expect(servers).toEqual([expect.objectContaining({ url: hub.base })])
    const resolve = async (address: unknown) => {
      const url = new URL(String(address))
      expect(url.origin).toBe(new URL(hub.base).origin)
      return found(url.pathname + url.search)
    }
    const list = (await found('/api/v1/repos?page=2')).json() as List
    for (const one of list.data) {
      expect(data(await resolve(one.url)).full_name).toBe(one.full_name)
      expect((await resolve(one.raw_url)).headers['x-prompt-version']).toBe(one.latest_version)
      const versions = (await found(`/api/v1/repos/${one.full_name}/versions`)).json() as List
      for (const version of versions.data) {
        expect(data(await resolve(version.url)).version).toBe(version.version)
        expect((await resolve(version.raw_url)).headers['x-prompt-version']).toBe(version.version)
      }
    }
    const tagged = (await found('/api/v1/tags')).json() as List
    for (const tag of tagged.data.slice(0, 3)) expect(meta(await resolve(tag.url)).total).toBe(tag.count)
  })
}
