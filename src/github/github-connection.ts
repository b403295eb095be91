// Connects to GitHub with a token or a GitHub App, with a timeout for each call.
import type { Octokit } from '@octokit/rest'
import * as z from 'zod'
import { traceHeaders, traceNow } from '../log.ts'
import { Installation } from './github-queries.ts'

/** The repository, and the credential. */
export interface GitHubOptions {
  /** The repository that contains `content/`, as `owner/name`. */
  repository: string
  branch: string
  /** A token, or a GitHub App installed on the repository with only `contents: write`. */
  credential: { kind: 'token'; token: string } | { kind: 'app'; appId: string; privateKey: string }
  /** `https://api.github.com`, or the URL of a GitHub Enterprise Server, which may end with `/api/v3`. */
  apiUrl: string
  /** Timeout of a call; default: 8 seconds, because GitHub itself stops after 10. */
  callTimeoutMs?: number
}

/** What GitHub's last response said. */
export interface HostFacts {
  /** GitHub's time now, in milliseconds since 1970. */
  timeMs?: number | undefined
  /** When the token expires, if it does. */
  credentialExpiresMs?: number | undefined
}

/** An authenticated client. */
export type GitHubConnection = Octokit

/** Opens GitHub's own clock, from the `Date` header of its last response: a hub's clock may be wrong. */
function openHostClock() {
  let offsetMs: number | undefined
  return {
    note(headers: Headers): void {
      const dateMs = Date.parse(headers.get('date') ?? '')
      // Counted by the monotonic clock, so that setting this machine's clock changes nothing.
      if (Number.isFinite(dateMs)) offsetMs = dateMs - performance.now()
    },
    /** Returns the current time in milliseconds since 1970; undefined before the first response with a date. */
    now: () => (offsetMs === undefined ? undefined : Math.round(offsetMs + performance.now())),
  }
}

/** Adds the trace of the request that is being answered. */
function withTrace(init: RequestInit): RequestInit {
  const trace = traceNow()
  if (!trace) return init
  const headers = new Headers(init.headers)
  for (const [name, value] of Object.entries(traceHeaders(trace))) headers.set(name, value)
  return { ...init, headers }
}

/** Creates the client once. An App's installation is looked up by its JWT; auth-app then creates and renews the installation's token. */
export function connectGitHub({ repository, credential, apiUrl, callTimeoutMs = 8000 }: Omit<GitHubOptions, 'branch'>) {
  const [owner = '', repo = ''] = repository.split('/')
  const clock = openHostClock()
  let credentialExpiresMs: number | undefined
  const limitedFetch: typeof fetch = async (input, init) => {
    const limit = AbortSignal.timeout(callTimeoutMs)
    const signal = init?.signal ? AbortSignal.any([init.signal, limit]) : limit
    const response = await fetch(input, withTrace({ ...init, signal }))
    clock.note(response.headers)
    const expires = Date.parse(response.headers.get('github-authentication-token-expiration') ?? '')
    // The tokens of an App are renewed after an hour, and say nothing.
    if (Number.isFinite(expires)) credentialExpiresMs = expires
    return response
  }
  const silent = () => {}
  const common = {
    baseUrl: apiUrl.replace(/\/$/, ''),
    request: { fetch: limitedFetch },
    // octokit does not log failures, because the hub logs them as the causes of its own errors, without the request's content.
    log: { debug: silent, info: silent, warn: silent, error: silent },
  }
  let ready: Octokit | undefined
  const connect = async (signal: AbortSignal): Promise<GitHubConnection> => {
    if (ready) return ready
    // Imported here, because a rejected publish makes no call and top-level imports are loaded whenever the function starts.
    const { Octokit } = await import('@octokit/rest')
    if (credential.kind === 'token') {
      ready = new Octokit({ ...common, auth: credential.token })
      return ready
    }
    const { createAppAuth } = await import('@octokit/auth-app')
    const { appId, privateKey } = credential
    const app = new Octokit({ ...common, authStrategy: createAppAuth, auth: { appId, privateKey } })
    const { data } = await app.request('GET /repos/{owner}/{repo}/installation', {
      owner,
      repo,
      request: { signal },
    })
    const auth = { appId, privateKey, installationId: Installation.parse(data).id }
    ready = new Octokit({ ...common, authStrategy: createAppAuth, auth })
    return ready
  }
  const hostFacts = (): HostFacts => ({ timeMs: clock.now(), credentialExpiresMs })
  return { connect, hostTime: clock.now, hostFacts }
}

/** Returns the token for git over https. For an App, it is the installation's token, which is created and renewed on demand. */
export function createTokenSource(options: Omit<GitHubOptions, 'branch'>): (signal: AbortSignal) => Promise<string> {
  const { credential } = options
  if (credential.kind === 'token') return () => Promise.resolve(credential.token)
  const { connect } = connectGitHub(options)
  return async (signal) => MadeToken.parse(await (await connect(signal)).auth({ type: 'installation' })).token
}

const MadeToken = z.object({ token: z.string() })
