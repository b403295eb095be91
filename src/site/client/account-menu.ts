// Shows the menu of the signed-in user in the header. Visitors never load this file.
import type { ShownSession } from '../../domain/access/shown-session.ts'

const PAGES = [
  ['/settings', 'Prompts'],
  ['/settings/tokens', 'Tokens'],
  ['/settings/session', 'Session'],
] as const

/** Replaces the sign-in button with the menu. */
export function showAccountMenu(button: HTMLElement, { login, sign_out_csrf }: ShownSession): void {
  const menu = Object.assign(document.createElement('details'), { className: 'menu account' })
  const summary = Object.assign(document.createElement('summary'), { title: `Signed in as ${login}` })
  const name = Object.assign(document.createElement('span'), { textContent: login })
  name.dataset.account = ''
  summary.append(name)
  const links = PAGES.map(([href, textContent]) => Object.assign(document.createElement('a'), { href, textContent }))
  const form = Object.assign(document.createElement('form'), { method: 'post', action: '/auth/sign-out' })
  form.append(
    Object.assign(document.createElement('input'), { type: 'hidden', name: 'csrf', value: sign_out_csrf }),
    Object.assign(document.createElement('button'), { textContent: 'Sign out' }),
  )
  const list = document.createElement('div')
  list.append(...links, form)
  menu.append(summary, list)
  button.replaceWith(menu)
}
