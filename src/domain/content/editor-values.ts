// Finds what Copilot's editor fills in from its own state, such as `${file}`, or asks for, such as `${input:name:What to call it}`.

export const EDITOR_VALUE = /\$\{(?:input:[^{}\r\n]*|[A-Za-z][\w:./-]*)\}|#file:[^\s)]*[^\s).,;:]/g
