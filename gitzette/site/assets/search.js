// Search without a server: every document has a line with its title and names and one with its sentences; months are
// loaded newest first, and what they have is shown at once. A question finds the documents that have all of its words,
// also inside of longer ones; whole names come first.
"use strict";
(() => {
  const list = document.getElementById("results");
  const status = document.getElementById("status");
  const field = document.getElementById("q");
  const say = list.dataset;
  const MOST = 40, MOST_WORDS = 8, LONGEST_TEXT = 220, WHOLE_NAME = 8, IN_TITLE = 4, IN_NAMES = 2, IN_SENTENCES = 1;

  // Parts of the index are scripts: a page that was opened from disk may load those.
  const loaded = new Map(), waiting = new Map();
  window.gitzetteIndex = (name, data) => { waiting.get(name)?.(data); };
  const load = (name) => {
    if (!loaded.has(name)) {
      const answer = new Promise((resolve, reject) => {
        waiting.set(name, resolve);
        const node = document.createElement("script");
        node.src = `${say.root}search/${name}.js`;
        node.addEventListener("error", () => { reject(new Error(name)); node.remove(); });
        node.addEventListener("load", () => node.remove());
        document.head.append(node);
      });
      // What failed once may be there the next time.
      answer.catch(() => loaded.delete(name));
      loaded.set(name, answer);
    }
    return loaded.get(name);
  };

  // What a word is worth in a line, whose parts are title and names: a whole name counts most.
  const NAME_CHARACTER = /[\p{L}\p{N}_.-]/u;
  const worth = (line, word, title) => {
    let value = 0;
    for (let at = line.indexOf(word); at >= 0; at = line.indexOf(word, at + 1)) {
      const isWhole = !NAME_CHARACTER.test(line[at - 1] || " ") && !NAME_CHARACTER.test(line[at + word.length] || " ");
      if (isWhole) return WHOLE_NAME + (at < title ? 1 : 0);
      value = Math.max(value, at < title ? IN_TITLE : IN_NAMES);
    }
    return value;
  };
  // Texts are taken apart once, when a question first leads to their day.
  const kept = new Map();
  const linesOf = (text) => {
    if (!kept.has(text)) kept.set(text, text.split("\n"));
    return kept.get(text);
  };
  // Finds the lines of a day that have all words, also in their sentences where these are given.
  const look = (day, text, sentences, words, answers) => {
    if (!words.every((word) => text.includes(word) || sentences.includes(word))) return;
    const lines = linesOf(text);
    const further = sentences ? linesOf(sentences) : [];
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at];
      const title = line.indexOf("\t");
      let value = 0;
      for (const word of words) {
        const found = worth(line, word, title) || (further[at]?.includes(word) ? IN_SENTENCES : 0);
        if (!found) { value = 0; break; }
        value += found;
      }
      if (value > 0) answers.push({ day, at, value });
    }
  };

  // Backticks mean code elsewhere; here they are left out.
  const marked = (written, words) => {
    const text = written.replaceAll("`", "");
    const node = document.createDocumentFragment();
    const shown = text.length > LONGEST_TEXT ? text.slice(0, LONGEST_TEXT) + "…" : text;
    const lower = shown.toLowerCase();
    let at = 0;
    while (at < shown.length) {
      let next = -1, length = 0;
      for (const word of words) {
        const place = lower.indexOf(word, at);
        if (place >= 0 && (next < 0 || place < next)) { next = place; length = word.length; }
      }
      if (next < 0) break;
      node.append(shown.slice(at, next));
      const mark = document.createElement("mark");
      mark.textContent = shown.slice(next, next + length);
      node.append(mark);
      at = next + length;
    }
    node.append(shown.slice(at));
    return node;
  };

  const tiers = { "act on": ["◆", 0], "worth knowing": ["●", 1], "also landed": ["○", 2] };
  const entry = (answer, [kind, anchor, repo, tier, title, ...written], words) => {
    const item = document.createElement("li");
    const about = document.createElement("p");
    about.className = "kicker";
    const name = kind === "i" ? say.issue : kind === "r" ? say.release : say.tiers.split("|")[(tiers[tier] || tiers["also landed"])[1]];
    const badge = document.createElement("span");
    badge.className = `badge ${kind === "c" && tier in tiers ? tier.replace(" ", "-") : "also-landed"}`;
    badge.textContent = `${kind === "c" ? (tiers[tier] || tiers["also landed"])[0] : "□"} ${name}`;
    const day = document.createElement("span");
    day.className = "whole";
    day.textContent = `· ${answer.day}`;
    about.append(badge, ` ${repo} `, day);
    const link = document.createElement("a");
    link.href = `${say.days}${answer.day}.html#${anchor}`;
    link.className = "title";
    const head = written[written.length / 2 + Number(say.at)];
    link.append(marked(head || title, words));
    item.append(about, link);
    if (head) {
      const original = document.createElement("p");
      original.className = "original";
      original.append(marked(title, words));
      item.append(original);
    }
    const text = written[Number(say.at)];
    if (text) {
      const lead = document.createElement("div");
      lead.className = "lead";
      lead.append(marked(text, words));
      item.append(lead);
    }
    return item;
  };

  const written = async (answers, words) => {
    // Of equals, the newest come first.
    const groups = [];
    for (const one of answers) (groups[one.value] ??= []).push(one);
    const best = groups.reverse().flat().slice(0, MOST);
    const documents = await Promise.all(best.map((one) => load(`docs/${one.day}`)));
    return best.map((one, at) => entry(one, documents[at][one.at], words));
  };

  const remember = (text) => {
    const address = new URL(location.href);
    if (text) address.searchParams.set("q", text); else address.searchParams.delete("q");
    history.replaceState(null, "", address);
  };

  let asked = 0;
  const search = async () => {
    const turn = ++asked;
    const began = performance.now();
    const text = field.value;
    const words = text.normalize("NFKC").toLowerCase().split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);
    if (!words.length) { list.replaceChildren(); status.textContent = ""; remember(text); return; }
    list.setAttribute("aria-busy", "true");
    delete list.dataset.ms;
    let answers = [];
    const show = async () => {
      const entries = await written(answers, words);
      if (turn !== asked) return;
      list.replaceChildren(...entries);
      list.dataset.ms ??= (performance.now() - began).toFixed(1);
    };
    try {
      const months = await load("index");
      months.forEach(load);
      const days = [];
      for (const month of months) {
        const loadedDays = await load(month);
        if (turn !== asked) return;
        days.push(...loadedDays.map(([day, lines]) => ({ month, day, lines })));
        for (const [day, lines] of loadedDays) look(day, lines, "", words, answers);
        // The newest at once, all of them at the end.
        if (answers.length && !("ms" in list.dataset)) await show();
      }
      // Then once more with the sentences, which are ten times as long.
      const sentences = new Map();
      for (const part of await Promise.all(months.map((month) => load(`${month}-words`)))) {
        for (const [day, lines] of part) sentences.set(day, lines);
      }
      if (turn !== asked) return;
      answers = [];
      for (const { day, lines } of days) look(day, lines, sentences.get(day) || "", words, answers);
      await show();
      if (turn === asked) status.textContent = answers.length ? say.found.replace("{}", String(answers.length)) : say.none;
    } catch {
      if (turn === asked) { list.replaceChildren(); status.textContent = say.failed; }
    }
    if (turn === asked) {
      list.removeAttribute("aria-busy");
      list.dataset.answered = text;
      remember(text);
    }
  };

  field.value = new URL(location.href).searchParams.get("q") || "";
  field.addEventListener("input", search);
  field.form.addEventListener("submit", (event) => { event.preventDefault(); search(); });
  field.focus();
  // What somebody is likely to need is there before the first question.
  if (field.value) search(); else load("index").then((months) => months.forEach(load), () => {});
})();
