// Starts the prompt editor: fills in the form, shows variables and preview while somebody types, checks on a pause, and publishes what was checked.

import { recogniseFormat } from '../../../packages/prompt-formats/source/recognise.ts'
import { toName } from '../../../packages/prompt-formats/source/to-name.ts'
import type { CheckAnswer } from '../../catalogue/published/route-schemas.ts'
import { renderPreview } from '../../site/prompt/preview.ts'
import type { Suggestion } from '../form/suggestions.ts'
import { suggestCorrections } from '../form/suggestions.ts'
import { previewedOf } from '../form/version-form.ts'
import type { EditorStart } from '../views.ts'
import type { Outcome } from './api.ts'
import { openChecks } from './check.ts'
import { createCodeField } from './code-field.ts'
import { keepDraft, leaveDraft } from './draft.ts'
import { openEdited } from './edited.ts'
import { isField, readValues } from './fields.ts'
import { openFindings } from './findings.ts'
import { readPastedText } from './pasted.ts'
import { type NotPublished, propose, publish } from './publish.ts'
import { findTheirs, showTheirs } from './theirs.ts'

/** Delay between the last keystroke and the preview. */
const PREVIEWED_MS = 120

/** Starts the editor of a form. */
export function startEditor(form: HTMLFormElement): void {
  const start: EditorStart = JSON.parse(form.dataset.editor ?? '')
  const part = <Kind extends HTMLElement>(name: string) => document.querySelector<Kind>(`[data-${name}]`)
  const [preview, progress, publishButton] = [part('preview')!, part('progress')!, part<HTMLButtonElement>('publish')!]
  const proposeButton = part<HTMLButtonElement>('propose')!
  const signIn = part<HTMLAnchorElement>('sign-in')!
  const checkNow = () => {
    check().catch(reportError)
  }
  const code = createCodeField(form.querySelector('textarea[name="content"]')!, 'Prompt', checkNow)
  const edited = openEdited(form, code, start)
  let { login } = start
  /** What the last check answered about the very form that the page shows. */
  let checked: CheckAnswer | undefined
  let composed = (start.source ?? start.base) as Pick<CheckAnswer, 'composed'>['composed'] | undefined
  let derived = ''
  let previewing: number | undefined
  let isSending = false

  const say = (words: string) => {
    if (progress.textContent !== words) progress.textContent = words
  }
  const showPreview = () => {
    clearTimeout(previewing)
    previewing = window.setTimeout(() => {
      // `renderPreview` escapes all text.
      preview.innerHTML = renderPreview(previewedOf(edited.read(), composed))
    }, PREVIEWED_MS)
  }
  const changed = (field: string) => {
    const title = form.elements.namedItem('title')
    const name = form.elements.namedItem('name')
    if (field === 'title' && isField(title) && isField(name) && name.value === derived) {
      derived = toName(title.value)
      name.value = derived
      findings.mend('name')
    }
    findings.visit(field)
    findings.mend(field)
    edited.showVariables()
    showPreview()
    checked = undefined
    publishButton.textContent = 'Publish'
    publishButton.disabled = false
    proposeButton.disabled = false
    say('Checking …')
    checks.later()
  }
  const recognise = async (format: string) => {
    const { filled, said } = await readPastedText(edited.read().content, format)
    if (filled) edited.fillIn(filled, derived)
    const list = part('said')!
    list.replaceChildren(...said.map((words) => Object.assign(document.createElement('li'), { textContent: words })))
    list.hidden = said.length === 0
    changed('content')
  }
  const apply = ({ field, value, isFile }: Pick<Suggestion, 'field' | 'value' | 'isFile'>) => {
    if (isFile) return recognise('').catch(reportError)
    edited.set(field, value)
    if (field === 'bump') edited.set('allow_breaking', '')
    changed(field)
    if (field === 'content') code.focus()
    else document.getElementById(field)?.focus()
  }
  const findings = openFindings(form, code, apply)

  async function show(outcome: Outcome<CheckAnswer>): Promise<unknown> {
    const { data: answer, refusal } = outcome
    const { base } = start
    if (refusal?.title === 'version conflict' && base) {
      const theirs = await findTheirs(base)
      if (theirs && theirs.version !== base.version) {
        await showTheirs(base, theirs)
        edited.rebase(theirs)
        return checks.now()
      }
    }
    const problems = [...edited.findProblems(), ...edited.problemsOf(refusal)]
    const isAnswered = refusal === undefined || problems.length > 0
    checked = problems.length === 0 ? answer : undefined
    if (checked?.composed) composed = checked.composed
    showPreview()
    const changes = answer ? edited.listChanges() : []
    const few = await findings.show({
      problems,
      answer: checked,
      changes,
      variables: edited.read().variables.map(({ name }) => name),
      suggestions: suggestCorrections(edited.read()),
      compared: checked && base ? { from: base, to: edited.describe(base, checked) } : undefined,
    })
    const nothing = checked?.unchanged === true && changes.length === 0
    publishButton.disabled = nothing
    proposeButton.disabled = nothing
    publishButton.textContent =
      !checked || nothing ? 'Publish' : checked.unchanged ? 'Save the details' : `Publish ${checked.would_be}`
    if (!isAnswered) return say(refusal.detail)
    if (nothing) return say(`Nothing has changed since ${base?.version}.`)
    const verdict = checked?.breaking ? 'Breaking change' : checked ? 'Checked' : ''
    say([verdict, few].filter(Boolean).join(', ') || 'Not ready yet')
  }
  const checks = openChecks(edited.want, show)

  /** Checks now, and goes to the first problem, or to what publishing would do. */
  async function check(): Promise<void> {
    if (await checks.now()) findings.insist()
  }

  async function press(isProposal: boolean): Promise<void> {
    if (isSending) return
    if (!checked) {
      await check()
      if (checked) say(`Review what publishing does, then ${isProposal ? 'propose it' : 'publish'}.`)
      return
    }
    const details = Object.keys(edited.readDetails())
    if (isProposal && details.length > 0)
      return say(`A proposal cannot have ${details.join(' and ')}. Publish that, or undo it, then propose the rest.`)
    isSending = true
    signIn.hidden = true
    say(isProposal ? 'Proposing …' : 'Publishing …')
    try {
      if (isProposal) {
        const result = await propose(await edited.want(), login)
        if ('page' in result) {
          draft.forget()
          location.assign(result.page)
        } else await explain(result)
        return
      }
      const result = await publish(await edited.want(), checked, edited.readDetails(), login)
      if ('version' in result) {
        draft.forget()
        const { owner, name } = edited.read()
        location.assign(`/${owner}/${name}/edit?published=${result.version}`)
      } else await explain(result)
    } finally {
      isSending = false
    }
  }

  async function explain(result: NotPublished): Promise<unknown> {
    if (result.kind === 'signed-out') {
      signIn.hidden = false
      return say('Your session has ended, so nothing was published. Sign in in another tab, then publish again here.')
    }
    if (result.kind === 'other-person') {
      login = result.login
      return say(`Nothing was published. You are signed in as ${login} now; to publish as ${login}, publish again.`)
    }
    if (result.kind === 'changed') {
      await checks.now()
      return say('Something that this version depends on has changed. Review it, then publish.')
    }
    const { refusal, published } = result
    if (published !== undefined) {
      edited.expect(published)
      return say(`${published} was published, but not the readme and the license: ${refusal.detail}`)
    }
    // After a lost answer, the same version can be published again.
    if (edited.problemsOf(refusal).length === 0) return say(refusal.detail)
    await show({ refusal })
    if (refusal.status === 403 && part('fork')) part('fork')!.hidden = false
    if (refusal.problems.length > 0) return findings.insist()
    say(refusal.detail)
  }

  const draft = keepDraft(form, start.login)
  if (draft.earlier) {
    edited.restore(draft.earlier)
    part('draft-notice')!.hidden = false
    part('draft-discard')?.addEventListener('click', () => {
      draft.forget()
      location.assign(location.href)
    })
  }
  form.addEventListener('input', ({ target }) => {
    if (isField(target) && target.name !== '') changed(target.name)
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    checkNow()
  })
  publishButton.addEventListener('click', ({ detail }) => {
    // The second click of a double click is an accident.
    if (detail < 2) press(false).catch(reportError)
  })
  proposeButton.addEventListener('click', ({ detail }) => {
    if (detail < 2) press(true).catch(reportError)
  })
  for (const button of form.querySelectorAll<HTMLButtonElement>('[data-insert]'))
    button.addEventListener('click', () => code.addRole(button.dataset.insert!))
  part('recognise')?.addEventListener('click', () => {
    recognise(part<HTMLSelectElement>('source-format')?.value ?? '').catch(reportError)
  })
  const paste = part<HTMLButtonElement>('paste')
  if (paste && 'clipboard' in navigator) {
    paste.hidden = false
    paste.addEventListener('click', async () => {
      const text = await navigator.clipboard.readText().catch(() => '')
      code.insert(text)
      if (recogniseFormat(edited.read().content) !== undefined) await recognise('')
    })
  }
  part('fork')?.addEventListener('click', () => {
    const address = `/new?from=${start.base?.full_name}@${start.base?.version}`
    leaveDraft(start.login, address, readValues(form))
    draft.forget()
    location.assign(address)
  })
  edited.showVariables()
  showPreview()
  if (start.source || draft.earlier) checks.later()
}
