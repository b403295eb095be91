// Lets the reader choose the colours; client/theme.js applies them on each page. Without a choice, they follow the system.
const choice = document.querySelector<HTMLSelectElement>('[data-theme-choice]')
if (choice) {
  choice.value = document.documentElement.dataset.theme ?? ''
  if (choice.selectedIndex < 0) choice.value = ''
  choice.addEventListener('change', () => {
    document.documentElement.dataset.theme = choice.value
    try {
      localStorage.theme = choice.value
    } catch {
      // Without storage, the choice lasts as long as the page.
    }
  })
}
