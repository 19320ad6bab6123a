// The chosen colours, known before the first paint.
"use strict";
(() => {
  try {
    const chosen = localStorage.getItem("gitzette-theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch { /* A browser that keeps nothing shows the system's colours. */ }
})();
