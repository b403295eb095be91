// The routes of sign-in, settings and tokens.
import { handleAccount } from '../account/handle-account.ts'
import type { AccountDeps } from '../account/visit.ts'
import { ACCOUNT_ADDRESSES } from '../catalogue/published/addresses.ts'
import type { Opens, RouteGroup } from './app.ts'

/** Adds the routes of accounts. */
export const accounts =
  <Place>({ account }: { account: Opens<AccountDeps, Place> }): RouteGroup<Place> =>
  (add) => {
    for (const path of [...Object.keys(ACCOUNT_ADDRESSES), '/settings/*', '/auth', '/auth/*'])
      add('all', path, (request, _, place) => handleAccount(request, () => account(request, place)))
  }
