// What the editor's pages show, as plain values: a handler decides on them, and the components in src/editor/pages render them.

import type { FieldNotes } from '../account/field-notes.ts'
import type { View } from '../account/views.ts'
import type { Said } from '../account/words-for-people.ts'
import type { Person } from '../domain/access/person.ts'
import type { Proposal, ProposalSummary } from '../domain/api/proposal.ts'
import type { Repository, VersionRecord, VersionRow } from '../domain/api/schema.ts'
import type { OwnerFile } from '../domain/content/prompt-file.ts'
import type { EditedPrompt } from './form/composed-form.ts'

/** What the editor begins with. */
export interface EditorStart {
  /** Who writes. */
  login: string
  /** The owners to choose from; omitted for the next version of an existing prompt. */
  owners?: readonly string[]
  /** The prompt of the version that the form is filled in with; undefined for an empty form. */
  prompt?: EditedPrompt
  /** The latest version of the prompt that is edited; undefined for a new prompt. */
  base?: VersionRecord
  /** Another version that the form is filled in with: an earlier one, or one to fork. */
  source?: VersionRecord
}

/** The page for writing a version. */
export type VersionView = View<
  'version',
  {
    start: EditorStart
    /** Whether the writer is no member of the owner, and is offered a fork with the typed text. */
    isStranger: boolean
    /** The URL where somebody who is no member can suggest a change. */
    suggestion: string | undefined
  }
>

/** What was published, and where to go on. */
export type PublishedView = View<
  'published',
  {
    repository: Repository
    /** Undefined if only details were saved. */
    record: VersionRecord | undefined
  }
>

/** The page for changing a prompt's labels, versions, status, readme and metadata. */
/** A target of a label without its salt. */
export interface ReviewedTarget {
  version: string
  split: { version: string; percent: number } | null
}

/** What moving or removing a label does. */
export interface LabelReview {
  label: string
  /** What it points at now, if anything. */
  from: ReviewedTarget | undefined
  /** What it is to point at; undefined if it is to be removed. */
  to: ReviewedTarget | undefined
  isBreaking: boolean
  /** What changes for callers, such as `adds required variable topic`. */
  changes: readonly string[]
}

export type ManageView = View<
  'manage',
  {
    csrf: string
    repository: Repository
    versions: readonly VersionRow[]
    /** The open proposals, which only members see. */
    proposals: readonly ProposalSummary[]
    /** The username of somebody who is not a member of the owner, and to whom the page shows no forms. */
    stranger?: string | undefined
    notice?: string | undefined
    problem?: Said | undefined
    /** The submitted values, if the form was rejected. */
    typed?: URLSearchParams | undefined
    /** A move or removal of a label to confirm. */
    review?: LabelReview | undefined
    now: Date
  }
>

/** A rejected form. */
export interface RejectedForm {
  form: URLSearchParams
  /** What is wrong at its fields. */
  notes: FieldNotes
  /** What is wrong with the form as a whole. */
  sentences: readonly string[]
}

/** An owner's settings. */
export type OwnerSettingsView = View<
  'owner-settings',
  {
    /** Who opened them. */
    person: Person
    csrf: string
    owner: string
    file: OwnerFile
    /** The commit that last changed the file; null if there is none. */
    commit: string | null
    notice?: string | undefined
    /** The rejected form. */
    rejected?: RejectedForm | undefined
  }
>

/** A proposal. */
export type ProposalView = View<
  'proposal',
  {
    owner: string
    name: string
    proposal: Proposal
    /** What accepting it would publish now; undefined if it is closed or would be refused. */
    record: VersionRecord | undefined
    /** The latest version; undefined for a new prompt. */
    base: VersionRecord | undefined
    /** What the page shows, in a few characters: an acceptance of anything else is refused. */
    seen: string
    /** Who is signed in. */
    person: { login: string; csrf: string; isMember: boolean } | undefined
    canSignIn: boolean
    problem?: Said | undefined
  }
>

/** Every page that this package renders. */
export type EditorPageView = ProposalView | VersionView | PublishedView | ManageView | OwnerSettingsView
