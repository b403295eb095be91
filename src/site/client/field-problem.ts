// Shows what is wrong with a field beside it, on prompt pages and in the editor.

/** Shows words in the element that follows a field, and marks the field. @param id of the field @param words empty if nothing is wrong */
export function showProblem(id: string, words: string): void {
  const place = document.getElementById(`${id}-wrong`)
  if (!place) return
  place.hidden = words === ''
  const sentence = words.charAt(0).toUpperCase() + words.slice(1)
  if (place.textContent !== sentence) place.textContent = sentence
  const field = document.getElementById(id)
  if (field) field.ariaInvalid = words === '' ? null : 'true'
}
