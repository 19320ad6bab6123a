// What every page adds where scripts run: the colour switch, the key for search, citations that close themselves.
"use strict";
(() => {
  const root = document.documentElement;
  const states = ["system", "light", "dark"];
  const button = document.getElementById("theme");

  const show = () => {
    const state = states.indexOf(root.dataset.theme || "system");
    button.textContent = ["◐", "○", "●"][state];
    const name = `${button.dataset.label}: ${button.dataset.states.split("|")[state]}`;
    button.setAttribute("aria-label", name);
    button.title = name;
  };
  button.addEventListener("click", () => {
    const next = states[(states.indexOf(root.dataset.theme || "system") + 1) % states.length];
    if (next === "system") delete root.dataset.theme; else root.dataset.theme = next;
    try { localStorage.setItem("gitzette-theme", next); } catch { /* It holds for this page then. */ }
    show();
  });
  button.hidden = false;
  show();

  // The same place of the page in the other language.
  for (const link of document.querySelectorAll('[data-switch="lang"]')) {
    link.addEventListener("click", () => { link.href = link.href.split(/[?#]/)[0] + location.search + location.hash; });
  }

  const typing = (node) => node.closest("input, textarea, select, [contenteditable]");
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !typing(event.target)) {
      event.preventDefault();
      const field = document.getElementById("q");
      if (field && field.offsetParent) field.focus(); else document.querySelector('.masthead nav a[href$="search.html"]').click();
    }
    if (event.key === "Escape") {
      const open = document.querySelector("details.cite[open]");
      if (open) { open.open = false; open.querySelector("summary").focus(); }
    }
  });

  const closeOthers = (kept) => {
    for (const open of document.querySelectorAll("details.cite[open]")) if (open !== kept) open.open = false;
  };
  document.addEventListener("click", (event) => closeOthers(event.target.closest("details.cite")));
  // Evidence near the right edge opens to the left.
  const place = (event) => {
    const cite = event.target.closest?.("details.cite");
    if (cite) cite.classList.toggle("left", cite.getBoundingClientRect().left > root.clientWidth / 2);
  };
  document.addEventListener("pointerover", place);
  document.addEventListener("focusin", place);

  // Show one repository, or only what breaks something.
  const filter = document.getElementById("filter");
  if (filter) {
    const choose = (chosen) => {
      for (const one of filter.children) one.setAttribute("aria-pressed", String(one === chosen));
      const { of, only } = chosen.dataset;
      for (const one of document.querySelectorAll("main [data-repo]")) {
        const breaks = one.matches("[data-breaking]") || one.querySelector("[data-breaking]");
        one.hidden = Boolean((of && one.dataset.repo !== of) || (only && !breaks));
      }
      if (only) for (const one of document.querySelectorAll("main [data-breaking]")) {
        for (let fold = one.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
      }
    };
    filter.addEventListener("click", (event) => { if (event.target.matches("button")) choose(event.target); });
    filter.hidden = false;
  }

  // What is linked to may lie in a folded part.
  const unfold = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    let opened = false;
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) {
      opened = opened || !fold.open;
      fold.open = true;
    }
    if (opened) target.scrollIntoView();
  };
  window.addEventListener("hashchange", unfold);
  unfold();
})();
