// Shows a textarea as a code editor with line numbers and highlighted placeholders. The textarea stays in the form, with the same text.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
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

/** A line to mark. */
interface MarkedLine {
  line: number
  /** Otherwise, a warning. */
  isProblem: boolean
}

/** The editor of a textarea. */
export interface CodeField {
  focus(line?: number): void
  setText(text: string): void
  /** Puts a text in the place of the selection. */
  insert(text: string): void
  /** Adds a role line, with the cursor below it. */
  addRole(line: string): void
  /** Says what is wrong with the text; an empty string if nothing is. */
  setProblem(words: string): void
  /** Marks lines with a problem or a warning, until they are edited. */
  mark(lines: readonly MarkedLine[]): void
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
  // As high as the textarea before it, and as the preview beside it, so that nothing moves.
  '.cm-scroller': { height: 'var(--text-height)', fontFamily: 'var(--mono)', lineHeight: '1.6' },
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
  '.cm-wrong, .cm-warned': { boxShadow: 'inset 3px 0 var(--wrong)' },
  '.cm-warned': { boxShadow: 'inset 3px 0 var(--quiet)' },
  '.cm-specialChar': { color: 'var(--wrong)' },
})

const setMarks = StateEffect.define<readonly MarkedLine[]>()
/** The marked lines. */
const MARKS = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { effects, newDoc, changes }) {
    for (const effect of effects)
      if (effect.is(setMarks))
        return Decoration.set(
          effect.value
            .filter(({ line }) => line <= newDoc.lines)
            .map(({ line, isProblem }) =>
              Decoration.line({ class: isProblem ? 'cm-wrong' : 'cm-warned' }).range(newDoc.line(line).from),
            ),
          true,
        )
    return marks.map(changes)
  },
  provide: (field) => EditorView.decorations.from(field),
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
  const hint = document.getElementById(`${textarea.id}-hint`)?.textContent ?? ''
  let problem = ''
  const description = Object.assign(document.createElement('p'), { id: 'description', hidden: true })
  description.textContent = hint
  root.append(description)
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: textarea.value,
      extensions: [
        ...[history(), lineNumbers(), highlightSpecialChars(), EditorView.lineWrapping, THEME],
        EditorView.perLineTextDirection.of(true),
        ...[highlight(PLACEHOLDER, 'cm-variable'), highlight(ROLE_LINE, 'cm-role'), MARKS],
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
    setText(text) {
      const { length } = view.state.doc
      const anchor = Math.min(view.state.selection.main.anchor, text.length)
      view.dispatch({ changes: { from: 0, to: length, insert: text }, selection: { anchor } })
    },
    insert(text) {
      view.dispatch(view.state.replaceSelection(text))
      view.focus()
    },
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
    mark: (lines) => view.dispatch({ effects: setMarks.of(lines) }),
  }
}
