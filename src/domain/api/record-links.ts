// Builds the absolute URLs in records.

/** Returns functions that build the URLs of a hub. @param baseUrl without a trailing slash */
export function addressesBelow(baseUrl: string) {
  const api = `${baseUrl}/api/v1`
  return {
    repository(owner: string, name: string) {
      const url = `${api}/repos/${owner}/${name}`
      return { url, html_url: `${baseUrl}/${owner}/${name}`, raw_url: `${url}/raw` }
    },
    version(owner: string, name: string, version: string) {
      const url = `${api}/repos/${owner}/${name}`
      return { url: `${url}/versions/${version}`, raw_url: `${url}/raw?version=${version}` }
    },
    file: (owner: string, name: string, version: string, path: string) =>
      `${api}/repos/${owner}/${name}/versions/${version}/files/${path}`,
    attestation: (owner: string, name: string, version: string, file: string) =>
      `${api}/repos/${owner}/${name}/versions/${version}/attestations/${file}`,
    versionPage: (owner: string, name: string, version: string) => `${baseUrl}/${owner}/${name}/v/${version}`,
    tag: (tag: string) => `${api}/repos?tag=${tag}`,
    userPage: (handle: string) => `${baseUrl}/${handle}`,
  }
}

/** The functions that build a hub's URLs. */
export type Addresses = ReturnType<typeof addressesBelow>
