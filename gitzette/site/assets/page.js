// What every page adds where scripts run: the colour switch, keys, filters, citations that close themselves.
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

  // j and k go from card to card; Enter opens what the headline leads to.
  const step = (direction) => {
    const cards = [...document.querySelectorAll("main :is(article.commit, .report-day, .story, .results > li)")]
      .filter((card) => card.offsetParent && card.querySelector("a"));
    const current = cards.findIndex((card) => card.contains(document.activeElement));
    let next = cards[current + direction];
    if (current < 0) {
      const below = cards.findIndex((card) => card.getBoundingClientRect().top >= 0);
      next = cards[below < 0 ? cards.length - 1 : below];
    }
    if (!next) return;
    next.querySelector("a").focus({ preventScroll: true });
    next.scrollIntoView();
  };

  const typing = (node) => node.closest("input, textarea, select, [contenteditable]");
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !typing(event.target)) {
      event.preventDefault();
      const field = document.getElementById("q");
      if (field && field.offsetParent) field.focus(); else document.querySelector('.masthead nav a[href$="search.html"]').click();
    }
    if ((event.key === "j" || event.key === "k") && !event.ctrlKey && !event.metaKey && !event.altKey && !typing(event.target)) {
      step(event.key === "j" ? 1 : -1);
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
  document.addEventListener("toggle", place, true);  // However it was opened

  // Show one repository, or only what breaks. The choice stands in the address, and counts follow it.
  const filter = document.getElementById("filter");
  if (filter) {
    const buttons = [...filter.querySelectorAll("button")];
    const entries = [...document.querySelectorAll("main [data-commits]")];
    // A short row leads to a commit that has its card elsewhere.
    const cards = entries.filter((entry) => !("again" in entry.dataset));
    const holders = [...document.querySelectorAll("main [data-repo]:not([data-commits])")];
    const offered = (name, value) => buttons.some((button) => button.dataset[name] === value) ? value : "";
    const asked = new URL(location.href).searchParams;
    const chosen = { of: offered("of", asked.get("repo")), show: offered("show", asked.get("show")) };

    const matches = (entry, { of, show }) => (!of || entry.dataset.repo === of) && (!show || "breaking" in entry.dataset);
    // Of commits that share a card, only those that break something count as breaking.
    const commits = (listed, { show }) => listed.reduce(
      (sum, entry) => sum + Number(show ? entry.dataset.breaking : entry.dataset.commits), 0);
    const counted = (choice) => commits(cards.filter((entry) => matches(entry, choice)), choice);

    const apply = () => {
      for (const entry of entries) entry.hidden = !matches(entry, chosen);
      for (const member of document.querySelectorAll("main .member")) {
        member.hidden = Boolean(chosen.show) && !("breaking" in member.dataset);
      }
      for (const holder of holders) {
        const inside = entries.filter((entry) => holder.contains(entry));
        const isOther = chosen.of && holder.dataset.repo !== chosen.of;
        const isHarmless = chosen.show && !("breaks" in holder.dataset);
        holder.hidden = inside.length ? inside.every((entry) => entry.hidden) : Boolean(isOther || isHarmless);
      }
      const releases = document.getElementById("releases");
      if (releases) releases.hidden = [...releases.querySelectorAll("article")].every((card) => card.hidden);
      for (const section of document.querySelectorAll("main section.tier:not(#releases)")) {
        const inside = entries.filter((entry) => !entry.hidden && section.contains(entry));
        const total = commits(cards.filter((entry) => inside.includes(entry)), chosen);
        section.hidden = !inside.length;
        const shown = section.querySelector("h2 .count");
        shown.textContent = total ? shown.dataset.words.replace("{}", total) : "";
        const badge = document.querySelector(`[data-counts="${section.id}"]`);
        if (badge) badge.textContent = badge.dataset.words.replace("{}", String(total));
      }
      for (const button of buttons) {
        const { of, show } = button.dataset;
        const isAll = "all" in button.dataset;
        const isPressed = isAll ? !chosen.of && !chosen.show : of ? chosen.of === of : chosen.show === show;
        button.setAttribute("aria-pressed", String(isPressed));
        const choice = isAll ? {} : of ? { of, show: chosen.show } : { of: chosen.of, show };
        button.querySelector(".count").textContent = String(counted(choice));
      }
      if (chosen.show) for (const entry of entries) {
        if (entry.hidden) continue;
        for (let fold = entry.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
      }
    };
    const remember = () => {
      const address = new URL(location.href);
      for (const [name, value] of [["repo", chosen.of], ["show", chosen.show]]) {
        if (value) address.searchParams.set(name, value); else address.searchParams.delete(name);
      }
      history.replaceState(null, "", address);
    };
    filter.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      const { of, show } = button.dataset;
      if ("all" in button.dataset) { chosen.of = ""; chosen.show = ""; }
      if (of) chosen.of = chosen.of === of ? "" : of;
      if (show) chosen.show = chosen.show === show ? "" : show;
      remember();
      apply();
    });
    filter.hidden = false;
    apply();
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
