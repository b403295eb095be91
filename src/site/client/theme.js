// Applies the chosen theme before anything is shown.
try {
  document.documentElement.dataset.theme = localStorage.theme ?? ''
} catch {}
