// Shows a textarea as a code editor with line numbers and highlighted placeholders. The textarea stays in the form, with the same text.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { EditorState, type Extension } from '@codemirror/state'
import {
  Decoration,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'
import { PLACEHOLDER } from '../../domain/content/placeholders.ts'
import { CHAT_ROLES, findRoleLine } from '../../domain/values/chat.ts'

/** The editor of a textarea. */
interface CodeField {
  focus(line?: number): void
  setText(text: string): void
  /** Adds a role line, with the cursor below it. */
  addRole(line: string): void
  /** Says what is wrong with the text; an empty string if nothing is. */
  setProblem(words: string): void
}

/** A role line or the history, alone on its line. */
const ROLE_LINE = new RegExp(`^[ \\t]*\\{\\{(?:role "(?:${CHAT_ROLES.join('|')})"|history)\\}\\}[ \\t]*$`, 'g')

const THEME = EditorView.theme({
  '&': {
    border: '1px solid var(--edge)',
    borderRadius: 'var(--radius)',
    overflow: 'hidden',
    background: 'var(--surface)',
    color: 'var(--text)',
    fontSize: 'var(--text-s)',
  },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '2px' },
  '&:has([aria-invalid])': { borderColor: 'var(--wrong)' },
  '.cm-scroller': { minHeight: '20rem', maxHeight: '70vh', fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-content': { padding: '0.75rem 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 0.75rem', unicodeBidi: 'plaintext' },
  '.cm-gutters': { border: 'none', background: 'var(--sunken)', color: 'var(--quiet)' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '2.25rem', padding: '0 0.5rem' },
  '.cm-variable': {
    borderRadius: '0.25rem',
    background: 'var(--open-soft)',
    color: 'var(--open)',
    boxShadow: '0 0 0 1px var(--open-line)',
  },
  '.cm-role': { color: 'var(--accent)', fontWeight: '600' },
  '.cm-specialChar': { color: 'var(--wrong)' },
})

/** Marks all matches in the visible part of the text. */
function highlight(regexp: RegExp, name: string): Extension {
  const matcher = new MatchDecorator({ regexp, decoration: Decoration.mark({ class: name }) })
  return ViewPlugin.define(
    (view) => {
      const plugin = {
        marks: matcher.createDeco(view),
        update(update: ViewUpdate) {
          plugin.marks = matcher.updateDeco(update, plugin.marks)
        },
      }
      return plugin
    },
    { decorations: ({ marks }) => marks },
  )
}

/** Replaces a textarea with a code editor. @param submit is called for Ctrl+Enter */
export function createCodeField(textarea: HTMLTextAreaElement, label: string, submit: () => void): CodeField {
  const host = Object.assign(document.createElement('div'), { className: 'code-field' })
  // In a shadow root, CodeMirror's styles are a constructed style sheet, which the Content-Security-Policy allows.
  const root = host.attachShadow({ mode: 'open' })
  // References by ID do not leave a shadow root, so the description is repeated in it.
  const wordsOf = (part: string) => document.getElementById(`${textarea.id}-${part}`)?.textContent ?? ''
  const hint = wordsOf('hint')
  let problem = wordsOf('wrong')
  const description = Object.assign(document.createElement('p'), { id: 'description', hidden: true })
  description.textContent = `${problem} ${hint}`
  root.append(description)
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: textarea.value,
      extensions: [
        ...[history(), lineNumbers(), highlightSpecialChars(), EditorView.lineWrapping, THEME],
        EditorView.perLineTextDirection.of(true),
        ...[highlight(PLACEHOLDER, 'cm-variable'), highlight(ROLE_LINE, 'cm-role')],
        // Tab is not bound, so that it leaves the field.
        keymap.of([
          {
            key: 'Mod-Enter',
            run: () => {
              submit()
              return true
            },
          },
          ...[...defaultKeymap, ...historyKeymap],
        ]),
        EditorView.contentAttributes.of(() => ({
          'aria-label': label,
          'aria-describedby': description.id,
          spellcheck: 'true',
          autocorrect: 'on',
          // Then accessibility checkers see that the keyboard can scroll it.
          tabindex: '0',
          ...(problem !== '' && { 'aria-invalid': 'true' }),
        })),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (!docChanged) return
          textarea.value = state.doc.toString()
          textarea.dispatchEvent(new Event('input', { bubbles: true }))
        }),
        EditorView.domEventHandlers({
          blur: () => {
            textarea.dispatchEvent(new Event('change', { bubbles: true }))
          },
        }),
      ],
    }),
  })
  textarea.after(host)
  textarea.hidden = true
  for (const one of textarea.labels) one.addEventListener('click', () => view.focus())
  const replace = (from: number, to: number, insert: string, cursor = from + insert.length) =>
    view.dispatch({ changes: { from, to, insert }, selection: { anchor: cursor }, scrollIntoView: true })
  return {
    focus(line) {
      const { doc } = view.state
      if (line !== undefined && line <= doc.lines)
        view.dispatch({ selection: { anchor: doc.line(line).from }, scrollIntoView: true })
      view.focus()
    },
    setText: (text) => replace(0, view.state.doc.length, text),
    addRole(line) {
      const { doc } = view.state
      const text = doc.toString()
      // Text before the first role line belongs to no message, so it becomes the text of the first one.
      if (text.trim() !== '' && findRoleLine(text) === undefined)
        replace(0, 0, `${line}\n`, doc.length + line.length + 1)
      else replace(text.trimEnd().length, doc.length, `${text.trim() === '' ? '' : '\n\n'}${line}\n`)
      view.focus()
    },
    setProblem(words) {
      problem = words
      description.textContent = `${words} ${hint}`
      view.dispatch({})
    },
  }
}
