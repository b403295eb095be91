import type { AnswerSource } from './cache.ts';
import { type ChatMessage } from './chat.ts';
import { type Values } from './filling.ts';
import type { Advisory, Variable, VersionRecord } from './records.ts';
/**
 * Where a prompt came from:
 *
 * - `memory`, `disk`: a cached response that is still fresh.
 * - `network`: the hub, just now.
 * - `stale`: an older response, used while it is revalidated, or because the hub could not be reached.
 * - `lock`: the vendored file.
 * - `fallback`: the caller's fallback text.
 */
export type Source = AnswerSource | 'lock' | 'fallback';
/** The current notices about a prompt, as far as known. */
export interface Standing {
    /** Why it is deprecated, or null. */
    deprecated: string | null;
    /** Why this version was yanked, or null. */
    yanked: string | null;
    /** Advisories for this version. */
    advisories: Advisory[];
}
/** A prompt's metadata. */
export interface PromptFacts {
    /** `owner/name`. */
    name: string;
    /** The version, or null for a fallback. */
    version: string | null;
    /** The text, byte for byte. */
    content: string;
    /** SHA-256 of the text, in hex; null for a fallback. */
    sha256: string | null;
    /** The declared variables. */
    variables: readonly Variable[];
    /** Model settings of its author, exactly as published. They are not applied. */
    parameters: Readonly<Record<string, unknown>>;
    source: Source;
    /** Time since the hub confirmed it, in milliseconds; 0 when it cannot change. */
    ageMs: number;
    /** Undefined until the hub's records have been read. */
    standing: Standing | undefined;
}
/** A prompt. */
export interface Prompt<Given extends object = Values> extends PromptFacts {
    /**
     * The text with its variables filled in: one pass, values are inserted literally.
     *
     * @throws PromptHubError `invalid_values` naming every missing, unknown or invalid variable
     */
    fill(values: Given): string;
    /**
     * The messages of a chat prompt with their variables filled in, in the format of OpenAI's SDK; `forAnthropic` and `forGemini` convert them for SDKs with a separate system text. Messages are filled separately: a value never creates a message.
     *
     * @param options `history`: the caller's earlier messages, inserted unchanged at `{{history}}`
     * @throws PromptHubError `invalid_values`, also if the prompt is not a chat prompt, or has no `{{history}}` line for the history
     */
    messages<History extends object = ChatMessage>(values: Given, options?: {
        history?: readonly History[];
    }): (ChatMessage | History)[];
}
/** Creates a prompt from its metadata. */
export declare function makePrompt<Given extends object>(facts: PromptFacts): Prompt<Given>;
/** The metadata from a version's record. */
export declare function factsOf(record: VersionRecord): Omit<PromptFacts, 'source' | 'ageMs' | 'standing'>;
/** The metadata of the caller's fallback text. */
export declare function fallbackFacts(name: string, content: string): PromptFacts;
/** The source of a prompt that was read from two responses: the more distant one. */
export declare function slower(a: AnswerSource, b: AnswerSource): AnswerSource;
