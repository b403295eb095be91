// What the editor's pages show, as plain values: a handler decides on them, and the components in src/editor/pages render them.

import type { FieldNotes } from '../account/field-notes.ts'
import type { View } from '../account/views.ts'
import type { Said } from '../account/words-for-people.ts'
import type { Person } from '../domain/access/person.ts'
import type { Repository, VersionRecord, VersionRow, Warning } from '../domain/api/schema.ts'
import type { OwnerFile } from '../domain/content/prompt-file.ts'
import type { KnownParts, VersionForm } from './form/version-form.ts'

/** What publishing the form would do. */
export interface Review {
  /** The version number that will be assigned; undefined if only details change. */
  version: string | undefined
  warnings: readonly Warning[]
  /** The changed details. */
  changes: readonly { label: string; from: string; to: string }[]
  /** The impact on callers and the changed lines, as HTML; undefined for a new prompt. */
  comparison: string | undefined
  /** The digest of what was checked. */
  checked: string
}

/** The page for writing a version. */
export type VersionView = View<
  'version',
  {
    /** Who writes. */
    login: string
    /** Proves that the form is from this session. */
    csrf: string
    form: VersionForm
    /** The included texts that the form knows. */
    parts: KnownParts
    /** The preview as HTML. */
    preview: string
    /** The owners to choose from; omitted for the next version of an existing prompt. */
    owners?: readonly string[] | undefined
    /** The version that the form was opened with; undefined for a new prompt. */
    base?: VersionRecord | undefined
    /** The version whose content the form was filled in with, to publish it again; undefined if it is the latest. */
    revertTo?: VersionRecord | undefined
    review?: Review | undefined
    notes: FieldNotes
    /** Why the form was rejected as a whole. */
    problem?: Said | undefined
    /** Whether the user may not publish this prompt, and is offered a fork with the typed text. */
    mayOnlyFork?: boolean | undefined
    /** The URL where users without publish permission can suggest the change. */
    suggestion?: string | undefined
    /** The version that someone else published in the meantime, and how it differs, as HTML. */
    theirs?: { record: VersionRecord; comparison: string } | undefined
    /** What happened: what was recognised, and what was lost. */
    said?: readonly string[] | undefined
    /** Whether the form has been submitted, so that it contains unpublished text. */
    isSent?: boolean
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
/** What moving or removing a label does. */
export interface LabelReview {
  label: string
  /** The version that it points at now, if any. */
  from: string | undefined
  /** The version that it is to point at; undefined if it is to be removed. */
  to: string | undefined
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

/** Every page that this package renders. */
export type EditorPageView = VersionView | PublishedView | ManageView | OwnerSettingsView
