import { type FillableVariable, type Values } from './filling.ts';
/** One message, in the format of OpenAI's SDK and LangChain. A type and not an interface: LangChain accepts any key, which interfaces do not guarantee. */
export type ChatMessage = {
    role: 'system' | 'user' | 'assistant';
    content: string;
};
/** A message, or the position of the caller's earlier messages. */
export type ChatPart = ChatMessage | {
    type: 'history';
};
/** Splits a prompt's text at its role lines; empty if other text comes before the first one. */
export declare function splitChat(content: string): ChatPart[];
/**
 * The messages of a chat prompt with their variables filled in, separately for each message: a value never creates a message.
 *
 * @param history inserted unchanged at `{{history}}`
 * @throws PromptHubError `invalid_values`, also if the prompt is not a chat prompt, or has no `{{history}}` line for the history
 */
export declare function fillChat<History extends object = never>(content: string, variables: readonly FillableVariable[], values: Values, history?: readonly History[]): (ChatMessage | History)[];
/** Parameters of Anthropic's `messages.create`, where the system text is separate. */
export interface AnthropicChat {
    /** All system messages, separated by an empty line; absent without any. */
    system?: string;
    messages: {
        role: 'user' | 'assistant';
        content: string;
    }[];
}
/** Messages in the format of Anthropic's SDK: `client.messages.create({ model, max_tokens, ...forAnthropic(messages) })`. */
export declare function forAnthropic(messages: readonly ChatMessage[]): AnthropicChat;
/** Parameters of Gemini's `generateContent`. */
export interface GeminiChat {
    /** All system messages, separated by an empty line; absent without any. In `@google/genai` it belongs in `config`. */
    systemInstruction?: {
        parts: {
            text: string;
        }[];
    };
    contents: {
        role: 'user' | 'model';
        parts: {
            text: string;
        }[];
    }[];
}
/** Messages in the format of Gemini's API, where the assistant is called model. */
export declare function forGemini(messages: readonly ChatMessage[]): GeminiChat;
