// Connects the MCP SDK's own client to a private hub with OAuth, as an agent does it: it finds the provider, registers, and signs a person in.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { SITE_URL } from './members-hub.ts'

interface OAuthClientOptions {
  port: number
  /** Where the client receives the code. */
  callback: string
  /** Signs in at the provider. @returns the callback URL with the code */
  signIn: (address: URL) => Promise<URL>
}

type Provider = NonNullable<NonNullable<ConstructorParameters<typeof StreamableHTTPClientTransport>[1]>['authProvider']>

/** Signs in, and returns the access token and the connected client. */
export async function openOAuthClient({ port, callback, signIn }: OAuthClientOptions) {
  const kept: { client?: unknown; tokens?: { access_token: string }; verifier?: string; address?: URL } = {}
  const authProvider = {
    redirectUrl: callback,
    clientMetadata: {
      client_name: 'A test',
      redirect_uris: [callback],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => kept.client,
    saveClientInformation: (client: unknown) => {
      kept.client = client
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens: { access_token: string }) => {
      kept.tokens = tokens
    },
    redirectToAuthorization: (address: URL) => {
      kept.address = address
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier ?? '',
  } as Provider
  const ask = (given: string | URL, init?: RequestInit) => {
    const { host, pathname, search } = new URL(given)
    return fetch(host === new URL(SITE_URL).host ? `http://127.0.0.1:${port}${pathname}${search}` : given, init)
  }
  const open = () => new StreamableHTTPClientTransport(new URL(`${SITE_URL}/mcp`), { authProvider, fetch: ask })
  const first = open()
  await new Client({ name: 'test', version: '1' }).connect(first).then(
    () => {
      throw new Error('expected to be asked to sign in')
    },
    () => {},
  )
  if (!kept.address) throw new Error('expected the client to find the provider')
  const back = await signIn(kept.address)
  await first.finishAuth(back.searchParams.get('code') ?? '')
  return {
    token: kept.tokens?.access_token ?? '',
    async listTools(): Promise<string[]> {
      const client = new Client({ name: 'test', version: '1' })
      await client.connect(open())
      const { tools } = await client.listTools()
      await client.close()
      return tools.map(({ name }) => name)
    },
  }
}
