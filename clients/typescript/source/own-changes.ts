// Notes what this process has changed on a hub, so that it uses no response from before the change.

/** When a prompt, or an owner's labels, were last changed, in milliseconds since 1970, by URL. */
const changes = new Map<string, number>()
/** Maximum number of changes that are remembered; beyond that, the oldest is forgotten. */
const MAX_CHANGES = 10_000

/** @param hub the hub's URL, without a trailing slash @param name `owner/name` */
export function noteChange(hub: string, name: string): void {
  const [owner = ''] = name.split('/')
  for (const key of [`${hub}/repos/${name}`, `${hub}/users/${owner}`]) {
    changes.delete(key)
    changes.set(key, Date.now())
    if (changes.size > MAX_CHANGES) changes.delete(changes.keys().next().value!)
  }
}

/** Returns when what a URL responds with was last changed by this process; 0 if it was not. */
export function lastChange(url: string): number {
  const [, hub, what] = /^(.*)\/(?:api|data)\/v1\/(repos\/[^/]+\/[^/.]+|users\/[^/.]+)/.exec(url) ?? []
  return changes.get(`${hub}/${what}`) ?? 0
}
