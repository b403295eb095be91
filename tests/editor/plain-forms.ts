// Reads pages of a hub and sends their forms, as a browser without JavaScript does.
import type { BuiltHub } from '../hubs/built-hub.ts'

/** A page, without what somebody who reads it does not see. */
interface PlainPage {
  status: number
  html: string
  text: string
}

/** Values that somebody types, by the names of their fields; null clears a checkbox. */
type Typed = Readonly<Record<string, string | readonly string[] | null>>

/** Somebody who is signed in. */
export interface Plain {
  cookie(): string
  open(path: string): Promise<PlainPage>
  /** Sends the form that contains these words, with what it contains already. @returns the page that follows */
  send(page: PlainPage, words: string, typed?: Typed): Promise<PlainPage>
}

const decode = (text: string) =>
  text.replace(/&(?:#(\d+)|(quot|lt|gt|amp));/g, (_, code, name: 'quot' | 'lt' | 'gt' | 'amp') =>
    code ? String.fromCodePoint(Number(code)) : { quot: '"', lt: '<', gt: '>', amp: '&' }[name],
  )
const attribute = (tag: string, name: string) => {
  const found = RegExp(`\\s${name}(?:="([^"]*)"|(?=[\\s>]))`).exec(tag)
  return found ? decode(found[1] ?? '') : undefined
}

/** Returns what a form sends before somebody types. */
function fieldsOf(form: string): [string, string][] {
  const fields: [string, string][] = []
  for (const [tag, kind, options = '', , text = ''] of form.matchAll(
    /<input\s[^>]*>|<(select)\s[^>]*>(.*?)<\/select>|<(textarea)\s[^>]*>\n?(.*?)<\/textarea>/gs,
  )) {
    const name = attribute(tag, 'name')
    const isBox = /^(?:checkbox|radio)$/.test(attribute(tag, 'type') ?? '')
    if (name === undefined || (isBox && attribute(tag, 'checked') === undefined)) continue
    const chosen = /<option[^>]*\sselected[^>]*>/.exec(options)?.[0] ?? /<option[^>]*>/.exec(options)?.[0] ?? ''
    const value = kind
      ? attribute(chosen, 'value')
      : tag.startsWith('<textarea')
        ? decode(text)
        : attribute(tag, 'value')
    fields.push([name, value ?? ''])
  }
  return fields
}

/** @param login the username of local sign-in */
export async function signInPlainly(hub: BuiltHub, login: string): Promise<Plain> {
  const cookies = new Map<string, string>()
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const ask = async (path: string, body?: URLSearchParams): Promise<PlainPage> => {
    const answer = await fetch(new URL(path, hub.url), {
      ...(body && { method: 'POST', body }),
      headers: { accept: 'text/html', cookie: cookie(), ...(body && { origin: hub.url }) },
      redirect: 'manual',
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const html = await answer.text()
    const next = answer.headers.get('location')
    if (next !== null) return ask(next)
    const text = decode(
      html.replace(/<(?:head|script|style)\b.*?<\/(?:head|script|style)>/gs, ' ').replace(/<[^>]*>/g, ''),
    )
    return { status: answer.status, html, text }
  }
  const plain: Plain = {
    cookie,
    open: (path) => ask(path),
    send(page, words, typed = {}) {
      const form = page.html.match(/<form\s.*?<\/form>/gs)?.find((one) => one.includes(words))
      if (!form) throw new Error(`no form with ${words}: ${page.text}`)
      const body = new URLSearchParams(fieldsOf(form).filter(([name]) => !(name in typed)))
      for (const [name, value] of Object.entries(typed))
        for (const one of value === null ? [] : [value].flat()) body.append(name, one)
      return ask(attribute(form, 'action') ?? '', body)
    },
  }
  await plain.send(await plain.open(hub.signInLink()), 'action="/auth/local"', { handle: login })
  return plain
}
