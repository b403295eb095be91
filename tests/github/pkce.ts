// Adds PKCE to the fake GitHub: emulate ignores it, but GitHub rejects a wrong verifier (S256 only).
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Handler } from './facade.ts'

const TokenRequest = z.object({ code: z.string().default(''), code_verifier: z.string().default('') })

/**
 * Adds PKCE to the sign-in URLs. A sign-in that started with a challenge must present the matching verifier. A sign-in
 * without a challenge, or with a method other than S256, is rejected immediately, because the hub always sends an S256
 * challenge.
 */
export function enforcePkce(next: Handler): Handler {
  const challengeOfState = new Map<string, string>()
  const challengeOfCode = new Map<string, string>()
  return async (request) => {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/login/oauth/authorize') {
      const challenge = searchParams.get('code_challenge') ?? ''
      if (!/^[\w-]{43}$/.test(challenge) || searchParams.get('code_challenge_method') !== 'S256')
        return new Response('expected code_challenge and code_challenge_method=S256', { status: 400 })
      challengeOfState.set(searchParams.get('state') ?? '', challenge)
    }
    const values = pathname === '/login/oauth/access_token' ? await readForm(request.clone()) : undefined
    if (values && challengeOfCode.get(values.code) !== s256(values.code_verifier))
      return Response.json({
        error: 'bad_verification_code',
        error_description: 'The code passed is incorrect or expired.',
      })
    const answer = await next(request)
    const location = pathname === '/login/oauth/callback' ? answer?.headers.get('location') : undefined
    if (location) {
      const { searchParams: back } = new URL(location)
      const challenge = challengeOfState.get(back.get('state') ?? '')
      if (challenge !== undefined) challengeOfCode.set(back.get('code') ?? '', challenge)
    }
    return answer
  }
}

async function readForm(request: Request): Promise<z.infer<typeof TokenRequest>> {
  const text = await request.text()
  const isJson = request.headers.get('content-type')?.includes('json')
  return TokenRequest.parse(isJson ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text)))
}

function s256(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}
