// Asks, and shows what comes as it comes. Whatever the server sends is put in as text: no markup is ever read.
"use strict";
(() => {
  const home = document.getElementById("ask");
  const say = (name) => home.getAttribute(`data-say-${name.replaceAll("_", "-")}`);
  const at = (id) => document.getElementById(id);
  const [form, input, send, stop, turns, reading, evidence] =
    ["form", "question", "send", "stop", "turns", "reading", "evidence"].map(at);
  let thread = "";
  let running = null;

  const make = (name, text, kind) => {
    const node = document.createElement(name);
    if (text) node.textContent = text;
    if (kind) node.className = kind;
    return node;
  };

  // ---------------------------------------------------------------- threads

  const fresh = () => {
    const digits = crypto.getRandomValues(new Uint8Array(4));
    return "live-" + Array.from(digits, (one) => one.toString(16).padStart(2, "0")).join("");
  };
  const enter = (name, keep) => {
    thread = name;
    at("thread").textContent = name;
    try { sessionStorage.setItem("gitzette-thread", name); } catch { /* It lasts as long as the page then. */ }
    if (!keep) { turns.replaceChildren(); evidence.replaceChildren(make("p", say("choose"), "quiet")); }
  };
  at("fresh").addEventListener("click", () => { if (!running) { enter(fresh()); input.focus(); } });

  // ---------------------------------------------------------------- answers

  const piece = (one, turn) => {
    if (one.cite !== undefined && one.cite !== null) {
      const button = make("button", one.text, "cite");
      button.type = "button";
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => look(turn, one.cite, button));
      return button;
    }
    let node = one.code ? make("code", one.text) : one.bold ? make("b", one.text) : document.createTextNode(one.text);
    if (one.url && /^https?:\/\//.test(one.url)) {
      const link = make("a");
      link.href = one.url;
      link.rel = "noreferrer noopener";
      link.append(node);
      node = link;
    }
    return node;
  };
  const block = (one, turn) => {
    if (one.kind === "code") return make("pre", one.pieces.map((part) => part.text).join(""));
    const kinds = new Map([["heading", "h3"], ["quote", "blockquote"]]);
    const node = make(kinds.get(one.kind) || "p", "", one.kind === "item" ? (one.level > 1 ? "item deep" : "item") : one.kind);
    node.append(...one.pieces.map((part) => piece(part, turn)));
    return node;
  };

  const events = {
    reading(data) {
      const id = `r-${data.repo}`;
      let line = Array.from(reading.children).find((one) => one.dataset.of === id);
      if (!line) { line = make("li"); line.dataset.of = id; reading.append(line); }
      line.textContent = `${data.repo}: ${data.what}${data.total ? ` ${data.done}/${data.total}` : ""}`;
      reading.hidden = false;
    },
    blocks(data, turn) {
      turn.body.replaceChildren(...data.blocks.map((one) => block(one, turn)));
    },
    done(data, turn) {
      turn.cites = data.cites;
      turn.quotes = data.quotes;
      turn.words = data.words;
      if (data.abstained) turn.body.append(make("p", say("abstained"), "notice"));
      const first = turn.body.querySelector("button.cite");
      if (first && matchMedia("(min-width: 52.01rem)").matches) first.click();
    },
    failed(data, turn) { turn.body.append(make("p", `${say("failed")} ${data.message}`, "failed")); },
  };

  const handle = (text, turn) => {
    const found = /^event: (\w+)\ndata: (.*)$/.exec(text);
    if (found && Object.hasOwn(events, found[1])) events[found[1]](JSON.parse(found[2]), turn);
  };

  const asked = async (question) => {
    const turn = { body: make("div"), cites: [], quotes: {}, words: {} };
    const node = make("article", "", "turn");
    node.append(make("h2", question), turn.body);
    turns.append(node);
    const body = JSON.stringify({ question, thread });
    const answer = await fetch("../api/ask", {
      method: "POST", body, headers: { "Content-Type": "application/json" }, signal: running.signal,
    });
    if (!answer.ok) return events.failed({ message: (await answer.text()).slice(0, 300) }, turn);
    const stream = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let held = "";
    for (;;) {
      const { value, done } = await stream.read();
      if (done) return undefined;
      const parts = (held + value).split("\n\n");
      held = parts.pop();
      for (const part of parts) handle(part, turn);
    }
  };

  const busy = (on) => {
    send.disabled = on;
    stop.hidden = !on;
    home.setAttribute("aria-busy", String(on));
    if (!on) { reading.replaceChildren(); reading.hidden = true; }
  };
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const question = input.value.trim();
    if (!question || running) return;
    running = new AbortController();
    busy(true);
    input.value = ""; // At once: what is typed while the answer comes is the next question, and is kept.
    try {
      await asked(question);
    } catch (error) {
      input.value = input.value || question;
      const told = error.name === "AbortError" ? make("p", say("stopped"), "quiet") : make("p", say("failed"), "failed");
      turns.lastChild.append(told);
    } finally {
      running = null;
      busy(false);
      input.focus();
    }
  });
  stop.addEventListener("click", () => running?.abort());

  // ---------------------------------------------------------------- evidence

  const look = async (turn, number, button) => {
    for (const other of turns.querySelectorAll('button.cite[aria-pressed="true"]')) other.setAttribute("aria-pressed", "false");
    button.setAttribute("aria-pressed", "true");
    const cite = turn.cites[number];
    if (!cite) return;
    const marks = new Set((turn.quotes[cite.id] || []).map((line) => line.trim()).filter(Boolean));
    const words = turn.words[cite.id] || [];
    const body = JSON.stringify({ cite: cite.id });
    const answer = await fetch("../api/evidence", { method: "POST", body, headers: { "Content-Type": "application/json" } });
    if (!answer.ok) { evidence.replaceChildren(make("p", await answer.text(), "failed")); return; }
    // A line shows the answer if the answer quotes it, or if it is a changed line that has what the answer names.
    const changed = (line) => /^[+-]/.test(line) && !/^(---|\+\+\+) /.test(line);
    const shows = (line) => marks.has(line.trim()) || (changed(line) && words.some((word) => line.includes(word)));
    show(cite, (await answer.json()).lines, shows);
    if (matchMedia("(max-width: 52rem)").matches) evidence.scrollIntoView();
  };
  const show = (cite, lines, shows) => {
    const link = make("a", say("open_there"));
    if (/^https?:\/\//.test(cite.url)) { link.href = cite.url; link.rel = "noreferrer noopener"; }
    const pre = make("pre");
    let patch = false;
    lines.forEach((text) => {
      const head = /^(---|\+\+\+) /.test(text);
      patch = patch || head;
      const kind = !patch || head ? "" : text.startsWith("+") ? " added" : text.startsWith("-") ? " gone" : "";
      pre.append(make("span", text || " ", `line${kind}${shows(text) ? " marked" : ""}`));
    });
    const way = make("p", "", "ways");
    way.append(link);
    evidence.replaceChildren(make("p", cite.title, "what"), way, pre);
    pre.querySelector(".marked")?.scrollIntoView({ block: "nearest" });
  };

  let known = "";
  try { known = sessionStorage.getItem("gitzette-thread") || ""; } catch { /* A new one then. */ }
  const resumed = /^[A-Za-z0-9][A-Za-z0-9.-]{0,63}$/.test(known);
  enter(resumed ? known : fresh(), true);
})();
