// Search without a server: words are looked up in shards that are loaded on demand; answers are written as text only.
// Chinese is found by pairs of characters, identifiers whole and by their parts, a last word by its beginning.
"use strict";
(() => {
  const list = document.getElementById("results");
  const status = document.getElementById("status");
  const field = document.getElementById("q");
  const say = list.dataset;
  const FIRST = 5, MOST = 40, MOST_WORDS = 8, LONGEST_WORD = 120, LONGEST_TEXT = 220;
  const HAN = "\\u3005-\\u3007\\u3041-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff\\u{20000}-\\u{3ffff}";
  const RUN = new RegExp(`([${HAN}]+)|((?:(?![${HAN}])[\\p{L}\\p{N}_])+)`, "gu");
  const PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\P{L}A-Za-z]+/gu;
  const HASH = /^(?=[a-f]*\d)[0-9a-f]{7,64}$/;
  const EVERYWHERE = /^(?:an?|and|are|as|at|be|by|for|from|in|is|its?|of|on|or|that|the|this|to|was|with)$/i;

  // The signs of numbers in the index: those above the backslash say that more follow.
  const LAST = 35, BACKSLASH = 92, MORE = 93, BASE = 34;

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
      }).then((data) => typeof data === "string" ? data.split("!").slice(1) : data);
      // What failed once may be there the next time.
      answer.catch(() => loaded.delete(name));
      loaded.set(name, answer);
    }
    return loaded.get(name);
  };

  // The same signs as above; an expression would have to be prepared, which takes longer.
  const HANS = [[0x3005, 0x3007], [0x3041, 0x30ff], [0x3400, 0x4dbf], [0x4e00, 0x9fff], [0xac00, 0xd7af], [0xf900, 0xfaff],
    [0x20000, 0x3ffff]];
  const isHan = (sign) => HANS.some(([from, to]) => from <= sign && sign <= to);
  const shardOf = (word, shards) => {
    const [first, second] = [...word].map((sign) => sign.codePointAt(0));
    const beside = isHan(first) || second === undefined ? 0 : second;
    return String((first * 31 + beside) % shards).padStart(3, "0");
  };

  const parts = (word) => {
    if (HASH.test(word)) return [];
    const found = (word.slice(0, LONGEST_WORD).match(PART) || []).map((one) => one.toLowerCase());
    return found.length > 1 ? found : [];
  };

  // Each wish is met by any of its ways; a way needs all of its words.
  const runsOf = (text) => [...text.normalize("NFKC").matchAll(RUN)].map((found) => ({ han: found[1], word: found[2] }));
  const wishes = (runs) => {
    const telling = runs.filter((run) => run.han || !EVERYWHERE.test(run.word));
    return (telling.length ? telling : runs).slice(0, MOST_WORDS).map(({ han, word }) => {
      if (han) {
        const signs = [...han];
        if (signs.length === 1) return [[{ word: han, begins: true }]];
        return [signs.slice(1).map((sign, at) => ({ word: signs[at] + sign, begins: false }))];
      }
      const whole = word.slice(0, LONGEST_WORD).toLowerCase();
      const split = parts(word);
      const ways = [[{ word: whole, begins: whole.length >= 2 }]];
      if (split.length) ways.push(split.map((part, at) => ({ word: part, begins: at === split.length - 1 && part.length > 1 })));
      return ways;
    });
  };

  // Notes how well each document of a month has a word, by the steps from one to the next; titles count more.
  const note = (found, before, gaps, from, to, worth) => {
    let number = before - 1;
    for (let at = from, step = 0, scale = 1; at < to; at++) {
      const code = gaps.charCodeAt(at);
      if (code > BACKSLASH) { step += (code - MORE) * scale; scale *= BASE; continue; }
      step += (code - LAST) * scale;
      number += step >> 1;
      const value = step & 1 ? worth * 4 : worth;
      if (found[number] < value) found[number] = value;
      step = 0; scale = 1;
    }
  };

  // How well each document has a word: one number each, nothing is 0. Whole words count more.
  const having = (lines, { firsts, size }, { word, begins }) => {
    const found = new Uint16Array(size);
    const beginning = "\n" + word + (begins ? "" : " ");
    lines.forEach((month, at) => {
      for (let line = month.indexOf(beginning); line >= 0; line = month.indexOf(beginning, line + 1)) {
        const space = month.indexOf(" ", line), end = month.indexOf("\n", space);
        note(found, firsts[at], month, space + 1, end, space - line - 1 === word.length ? 2 : 1);
      }
    });
    return found;
  };

  const both = (one, other) => {
    for (let at = 0; at < one.length; at++) one[at] = one[at] && other[at] && one[at] + other[at];
    return one;
  };
  const either = (one, other) => {
    for (let at = 0; at < one.length; at++) if (one[at] < other[at]) one[at] = other[at];
    return one;
  };

  const valued = async (wanted, index) => {
    const wanting = await Promise.all(wanted.map(async (ways) => {
      const met = await Promise.all(ways.map(async (way) => {
        const sets = await Promise.all(way.map(async (one) =>
          having(await load(`words/${shardOf(one.word, index.shards)}`), index, one)));
        return sets.reduce(both);
      }));
      return met.reduce(either);
    }));
    return wanting.reduce(both);
  };

  // The best, and among equals the newest; to sort all that was found would take longer than to find it.
  const best = (values, days) => {
    const counts = new Uint32Array(65536);
    for (let at = 0; at < values.length; at++) counts[values[at]]++;
    let least = counts.length, enough = 0;
    while (enough < MOST && least > 1) enough += counts[--least];
    const answers = [];
    let equals = MOST - (enough - counts[least]);
    for (const { day, first, end } of days) for (let at = first; at < end; at++) {
      if (values[at] > least || (values[at] === least && equals-- > 0)) answers.push({ day, at: at - first, value: values[at] });
    }
    // Sorting keeps the order of equals.
    answers.sort((one, other) => other.value - one.value);
    return { count: values.length - counts[0], answers };
  };

  // Documents are numbered from the first day on; here the newest day comes first.
  const arranged = ({ shards, months }) => {
    const days = [], firsts = [];
    let size = 0;
    for (const month of months) {
      firsts.push(size);
      for (const [day, count] of month) { days.push({ day, first: size, end: size + count }); size += count; }
    }
    return { shards, days: days.reverse(), firsts, size };
  };

  const marked = (text, words) => {
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
  const entry = (answer, [kind, anchor, repo, tier, title, english, chinese, headline, chineseHeadline], words) => {
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
    const head = say.lang === "zh" ? chineseHeadline : headline;
    link.append(marked(head || title, words));
    item.append(about, link);
    if (head) {
      const original = document.createElement("p");
      original.className = "original";
      original.append(marked(title, words));
      item.append(original);
    }
    const text = say.lang === "zh" ? chinese : english;
    if (text) {
      const lead = document.createElement("div");
      lead.className = "lead";
      lead.append(marked(text, words));
      item.append(lead);
    }
    return item;
  };

  const overview = async () => arranged(await load("index"));

  const remember = (text) => {
    const address = new URL(location.href);
    if (text) address.searchParams.set("q", text); else address.searchParams.delete("q");
    history.replaceState(null, "", address);
  };

  let asked = 0;
  const search = async () => {
    const turn = ++asked;
    const began = performance.now();
    const text = field.value, runs = runsOf(text), wanted = wishes(runs);
    if (!wanted.length) { list.replaceChildren(); status.textContent = ""; remember(text); return; }
    list.setAttribute("aria-busy", "true");
    try {
      const index = await overview();
      const { count, answers } = best(await valued(wanted, index), index.days);
      if (turn !== asked) return;
      const words = runs.map((run) => (run.han || run.word).toLowerCase());
      const written = async (some) => {
        const documents = await Promise.all(some.map((one) => load(`docs/${one.day}`)));
        return some.map((one, at) => entry(one, documents[at][one.at], words));
      };
      const first = await written(answers.slice(0, FIRST));
      if (turn !== asked) return;
      list.replaceChildren(...first);
      status.textContent = count ? say.found.replace("{}", String(count)) : say.none;
      list.dataset.ms = (performance.now() - began).toFixed(1);
      const further = await written(answers.slice(FIRST));
      if (turn !== asked) return;
      list.append(...further);
    } catch {
      if (turn === asked) { list.replaceChildren(); status.textContent = say.failed; }
    }
    if (turn === asked) {
      list.removeAttribute("aria-busy");
      list.dataset.answered = text;
      // Last: to change the address takes a browser longer than to write the answers.
      remember(text);
    }
  };

  // A browser prepares code while it runs for the first times; that need not be when somebody waits for an answer.
  const practise = (index) => {
    const month = `\nab ${"%".repeat(index.size)}\n`;
    for (let turn = 0; turn < 2; turn++) {
      wishes(runsOf("maxNum_tokens 默认"));
      const [one, other] = [0, 1].map(() => having([month], { firsts: [0], size: index.size }, { word: "ab", begins: true }));
      best(both(one, other), index.days);
    }
  };
  field.value = new URL(location.href).searchParams.get("q") || "";
  field.addEventListener("input", search);
  field.form.addEventListener("submit", (event) => { event.preventDefault(); search(); });
  field.focus();
  if (field.value) search(); else overview().then(practise, () => {});
})();
