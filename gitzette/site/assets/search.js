// Search without a server: words are looked up in shards that are loaded on demand; answers are written as text only.
// Chinese is found by pairs of characters, identifiers whole and by their parts, a last word by its beginning.
"use strict";
(() => {
  const list = document.getElementById("results");
  const status = document.getElementById("status");
  const field = document.getElementById("q");
  const say = list.dataset;
  const FIRST = 10, MOST = 40, MOST_WORDS = 8, LONGEST_WORD = 120, LONGEST_TEXT = 220;
  const HAN = "\\u3005-\\u3007\\u3041-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7af\\uf900-\\ufaff\\u{20000}-\\u{3ffff}";
  const RUN = new RegExp(`([${HAN}]+)|((?:(?![${HAN}])[\\p{L}\\p{N}_])+)`, "gu");
  const IS_HAN = new RegExp(`^[${HAN}]`, "u");
  const PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\P{L}A-Za-z]+/gu;
  const HASH = /^(?=[a-f]*\d)[0-9a-f]{7,64}$/;
  const EVERYWHERE = /^(?:an?|and|are|as|at|be|by|for|from|in|is|its?|of|on|or|that|the|this|to|was|with)$/i;

  const loaded = new Map();
  const load = (path) => {
    if (!loaded.has(path)) {
      loaded.set(path, fetch(say.root + "search/" + path).then((answer) => {
        if (!answer.ok) throw new Error(String(answer.status));
        return answer.json();
      }));
    }
    return loaded.get(path);
  };

  const shardOf = (word, shards) => {
    const [first, second] = [...word].map((sign) => sign.codePointAt(0));
    const beside = IS_HAN.test(word) || second === undefined ? 0 : second;
    return String((first * 31 + beside) % shards).padStart(2, "0");
  };

  const parts = (word) => {
    if (HASH.test(word)) return [];
    const found = (word.slice(0, LONGEST_WORD).match(PART) || []).map((one) => one.toLowerCase());
    return found.length > 1 ? found : [];
  };

  // Each wish is met by any of its ways; a way needs all of its words.
  const wishes = (text) => {
    const runs = [...text.normalize("NFKC").matchAll(RUN)].map((found) => ({ han: found[1], word: found[2] }));
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

  // Documents that have a word, with how well: whole words and titles count more.
  const having = (shard, { word, begins }) => {
    const found = new Map();
    const take = (gaps, worth) => {
      let number = -1;
      for (const gap of gaps) {
        number += gap >> 1;
        const value = worth * (gap & 1 ? 4 : 1);
        if (!(found.get(number) >= value)) found.set(number, value);
      }
    };
    if (Object.hasOwn(shard, word)) take(shard[word], 2);
    if (begins) for (const other of Object.keys(shard)) if (other.startsWith(word) && other !== word) take(shard[other], 1);
    return found;
  };

  const both = (one, other) => {
    const found = new Map();
    for (const [number, value] of one) if (other.has(number)) found.set(number, value + other.get(number));
    return found;
  };
  const either = (one, other) => {
    const found = new Map(one);
    for (const [number, value] of other) found.set(number, Math.max(value, found.get(number) || 0));
    return found;
  };

  const searchMonth = async (month, wanted, shards) => {
    const wanting = await Promise.all(wanted.map(async (ways) => {
      const met = await Promise.all(ways.map(async (way) => {
        const sets = await Promise.all(way.map(async (one) =>
          having(await load(`${month.month}/${shardOf(one.word, shards)}.json`), one)));
        return sets.reduce(both);
      }));
      return met.reduce(either);
    }));
    const found = wanting.reduce(both);
    const answers = [];
    let first = 0;
    for (const [day, count] of month.days) {
      for (let at = 0; at < count; at++) {
        const value = found.get(first + at);
        if (value !== undefined) answers.push({ day, at, value });
      }
      first += count;
    }
    return answers;
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

  const tiers = { high: ["◆", 0], mid: ["●", 1], low: ["○", 2], noise: ["·", 3] };
  const entry = (answer, [kind, anchor, repo, tier, title, english, chinese], words) => {
    const item = document.createElement("li");
    const about = document.createElement("p");
    about.className = "kicker";
    const name = kind === "i" ? say.issues : kind === "r" ? say.releases : say.tiers.split("|")[(tiers[tier] || tiers.low)[1]];
    const badge = document.createElement("span");
    badge.className = `badge ${kind === "c" && tier in tiers ? tier : "low"}`;
    badge.textContent = `${kind === "c" ? (tiers[tier] || tiers.low)[0] : "□"} ${name}`;
    about.append(badge, ` ${repo} · ${answer.day}`);
    const link = document.createElement("a");
    link.href = `${say.days}${answer.day}.html#${anchor}`;
    link.className = "title";
    link.append(marked(title, words));
    item.append(about, link);
    const text = say.lang === "zh" ? chinese : english;
    if (text) {
      const lead = document.createElement("div");
      lead.className = "lead";
      lead.append(marked(text, words));
      item.append(lead);
    }
    return item;
  };

  let asked = 0;
  const search = async () => {
    const turn = ++asked;
    const wanted = wishes(field.value);
    if (!wanted.length) { list.replaceChildren(); status.textContent = ""; return; }
    const began = performance.now();
    list.setAttribute("aria-busy", "true");
    try {
      const { shards, months } = await load("index.json");
      const found = (await Promise.all(months.map((month) => searchMonth(month, wanted, shards)))).flat();
      if (turn !== asked) return;
      found.sort((one, other) => other.value - one.value || (one.day < other.day ? 1 : one.day > other.day ? -1 : one.at - other.at));
      const words = [...field.value.normalize("NFKC").matchAll(RUN)].map((run) => run[0].toLowerCase());
      const written = async (answers) => {
        const documents = await Promise.all(answers.map((one) => load(`docs/${one.day}.json`)));
        return answers.map((one, at) => entry(one, documents[at][one.at], words));
      };
      const first = await written(found.slice(0, FIRST));
      if (turn !== asked) return;
      list.replaceChildren(...first);
      status.textContent = found.length ? say.found.replace("{}", String(found.length)) : say.none;
      list.dataset.ms = (performance.now() - began).toFixed(1);
      const further = await written(found.slice(FIRST, MOST));
      if (turn !== asked) return;
      list.append(...further);
    } catch {
      if (turn === asked) { list.replaceChildren(); status.textContent = say.failed; }
    }
    if (turn === asked) {
      list.removeAttribute("aria-busy");
      list.dataset.answered = field.value;
    }
  };

  const remember = () => {
    const address = new URL(location.href);
    if (field.value) address.searchParams.set("q", field.value); else address.searchParams.delete("q");
    history.replaceState(null, "", address);
  };
  field.value = new URL(location.href).searchParams.get("q") || "";
  field.addEventListener("input", () => { search(); remember(); });
  field.form.addEventListener("submit", (event) => { event.preventDefault(); search(); remember(); });
  field.focus();
  if (field.value) search();
})();
