import type { AnswerSource } from './cache.ts';
import { type Values } from './filling.ts';
import type { Advisory, Variable, VersionRecord } from './records.ts';
/** Where a prompt came from. `stale`: the hub has not vouched for it lately; `fallback`: the text that the caller gave. */
export type Source = AnswerSource | 'lock' | 'fallback';
/** What its owner says of a prompt now, as far as it is known. */
export interface Standing {
    /** Why it is deprecated, or null. */
    deprecated: string | null;
    /** Why this version was yanked, or null. */
    yanked: string | null;
    /** Warnings of a maintainer about this version. */
    advisories: Advisory[];
}
/** A prompt's facts. */
export interface PromptFacts {
    /** `owner/name`. */
    name: string;
    /** The version, or null for a fallback. */
    version: string | null;
    /** The text, byte for byte. */
    content: string;
    /** SHA-256 of the text, in hex; null for a fallback. */
    sha256: string | null;
    variables: readonly Variable[];
    /** Model settings of its author, exactly as published. Nothing here applies them. */
    parameters: Readonly<Record<string, unknown>>;
    source: Source;
    /** How long ago the hub vouched for it, in milliseconds; 0 when it cannot change. */
    ageMs: number;
    /** Undefined while the hub was not asked. */
    standing: Standing | undefined;
}
/** A prompt. */
export interface Prompt<Given extends object = Values> extends PromptFacts {
    /**
     * The text with its variables filled in: one pass, values are taken literally.
     *
     * @throws PromptHubError `invalid_values` that names every variable that is missing, unknown or of the wrong kind
     */
    fill(values: Given): string;
}
/** Makes a prompt of its facts. */
export declare function makePrompt<Given extends object>(facts: PromptFacts): Prompt<Given>;
/** The facts that stand in a version's record. */
export declare function factsOf(record: VersionRecord): Omit<PromptFacts, 'source' | 'ageMs' | 'standing'>;
/** The facts of a text that the caller gave in case of need. */
export declare function fallbackFacts(name: string, content: string): PromptFacts;
/** Of two steps, the one that had to go farther says where a prompt came from. */
export declare function slower(a: AnswerSource, b: AnswerSource): AnswerSource;
