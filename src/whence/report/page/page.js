"use strict";
{
  // Invariants:
  // 1. What comes from the program becomes text of a node; nothing here makes markup of it.
  // 2. `open`, `marks`, `here` and `step` are the whole state; `draw`, `show` and `showLink` make
  //    the page say it.
  // 3. Letters act only while the tree or the cause has the focus: elsewhere they are the user's.

  const data = JSON.parse(document.getElementById("data").textContent);
  const causes = new Map(data.causes.map((cause) => [cause.id, cause]));
  const byKey = new Map(data.causes.map((cause) => [cause.key, cause]));
  const sources = new Map(Object.entries(data.sources));
  const chain = data.chain || []; // of an explanation, as are the changes in `edits`
  const edits = data.edits || [];
  const tree = document.getElementById("tree");
  const steps = [...document.querySelectorAll("#chain button")];
  const detail = document.getElementById("detail");
  const help = document.getElementById("help");

  const AROUND = 8; // lines of source before and after each that is told
  const GAP = 30; // so many lines are rather shown than left out
  const MOST = 500; // lines that are added at once
  const LONGEST = 2000; // characters of a line
  const SMALL = 60; // causes that can all be unfolded at the start

  const open = new Set();
  const marks = new Map();
  let here = null; // the number of the selected cause
  let step = null; // that of the link that is shown, if it is not the cause
  let order = []; // the causes to be seen, from top to bottom

  // --- text and elements ---------------------------------------------------------------------

  const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;

  /** The text with a sign for each character that is none itself, as visible.py does it. */
  function visible(text) {
    return String(text).replace(UNSEEN, (char) => {
      const number = char.codePointAt(0);
      const hex = number.toString(16).toUpperCase();
      if (number === 9) return char;
      if (number < 0x20) return String.fromCodePoint(0x2400 + number);
      if (number >= 0xdc80 && number <= 0xdcff) return `⟨x${hex.slice(2)}⟩`;
      return `⟨U+${hex.padStart(4, "0")}⟩`;
    });
  }

  /** A new element; strings among its children become text. */
  function make(tag, className, ...children) {
    const element = document.createElement(tag);
    if (className) element.className = className;
    element.append(...children.map((child) => (child instanceof Node ? child : visible(child))));
    return element;
  }

  /** What a programmer wrote; a line is not broken inside an arrow. */
  function code(text) {
    const parts = text.split("->").flatMap((part, at) => [at ? make("span", "", "->") : "", part]);
    return make("code", "", ...parts);
  }

  /** Words, with code between backticks. */
  function sentence(text) {
    const parts = text.split("`");
    if (parts.length % 2 === 0) return [text]; // one is without its partner
    return parts.map((part, at) => (at % 2 ? code(part) : part));
  }

  function button(className, onClick, ...children) {
    const element = make("button", className, ...children);
    element.type = "button";
    element.addEventListener("click", onClick);
    return element;
  }

  function say(words) {
    document.getElementById("said").textContent = visible(words);
  }

  const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  const place = (of) => (of.file ? `${of.file}:${of.line}` : "");
  const listed = (values) =>
    Object.entries(values)
      .map(([name, value]) => `${name} = ${value}`)
      .join(", ");
  /** Such as `good: sum = 4, bad: sum = 1`, as explanation.py does it. */
  function both(passing, failing) {
    const sizes = [passing, failing].map((values) => Object.keys(values).length);
    const told = [];
    if (sizes[0]) told.push(`${data.passing}: ${listed(passing)}`);
    if (sizes[1]) told.push(`bad: ${listed(failing)}`);
    return told.join(Math.max(...sizes) > 1 ? "; " : ", ");
  }

  /** What a statement computed, and what it did in a passing run. */
  function computed(statement) {
    const other = Object.keys(statement.passing).length;
    const passing = other ? `(${data.passing}: ${listed(statement.passing)})` : "";
    return [listed(statement.values), passing].filter(Boolean).join(" ");
  }

  const was = (cause) => `${cause.predicate.text} was ${cause.predicate.outcome}`;

  // --- the tree ------------------------------------------------------------------------------

  const isBenign = (cause) => marks.get(cause.id) === "benign";
  const below = (cause) => children.get(cause.id);
  const isOpen = (cause) => open.has(cause.id) && !isBenign(cause);
  const item = (cause) => document.getElementById(`cause-${cause.id}`);
  const row = (cause) => document.getElementById(`row-${cause.id}`);

  // A predicate that bears on several causes is below one of them, its parent.
  const children = new Map(
    data.causes.map((cause) => [
      cause.id,
      (cause.children || [])
        .map((id) => causes.get(id))
        .filter((child) => child && child.parent === cause.id),
    ]),
  );

  /** The causes below some, in the order of the tree, as far as `enters` lets us go. */
  function walk(from, enters) {
    const found = [];
    const waiting = [...from].reverse();
    while (waiting.length) {
      const cause = waiting.pop();
      found.push(cause);
      if (enters(cause)) waiting.push(...[...below(cause)].reverse());
    }
    return found;
  }

  const tops = data.causes.filter((cause) => cause.parent === null);
  const everything = walk(tops, () => true);
  const sizes = new Map(); // how many causes are below each
  for (const cause of [...everything].reverse()) {
    sizes.set(
      cause.id,
      below(cause).reduce((sum, child) => sum + 1 + sizes.get(child.id), 0),
    );
  }

  /** Make a tree to walk in of the lists in the page. */
  function dress() {
    tree.setAttribute("role", "tree");
    tree.setAttribute("aria-label", "Causes");
    for (const group of tree.querySelectorAll("ul")) group.setAttribute("role", "group");
    const levels = new Map([[null, 0]]);
    for (const cause of everything) {
      const element = item(cause);
      levels.set(cause.id, levels.get(cause.parent) + 1);
      element.tabIndex = -1;
      element.setAttribute("role", "treeitem");
      element.setAttribute("aria-level", levels.get(cause.id));
      element.setAttribute("aria-labelledby", row(cause).id);
      element.setAttribute("aria-selected", "false");
      const twisty = make("span", "twisty");
      twisty.setAttribute("aria-hidden", "true");
      row(cause).prepend(twisty);
      row(cause).append(make("span", "mark"));
    }
    for (const siblings of [tops, ...children.values()]) {
      siblings.forEach((cause, at) => {
        item(cause).setAttribute("aria-posinset", at + 1);
        item(cause).setAttribute("aria-setsize", siblings.length);
      });
    }
  }

  /** Show what is unfolded and marked. */
  function draw() {
    order = walk(tops, isOpen);
    const seen = new Set(order);
    for (const cause of everything) {
      const element = item(cause);
      if (element.hidden === seen.has(cause)) element.hidden = !seen.has(cause);
      const look = `${marks.get(cause.id)} ${isOpen(cause)}`;
      if (seen.has(cause) && looks.get(cause) !== look) drawRow(cause);
      if (seen.has(cause)) looks.set(cause, look);
    }
    drawPaths();
  }

  const looks = new Map(); // what of a row was drawn last: most stay as they are

  function drawRow(cause) {
    const mark = marks.get(cause.id) || "";
    const size = sizes.get(cause.id);
    const folds = size > 0 && !isBenign(cause);
    if (folds) item(cause).setAttribute("aria-expanded", isOpen(cause));
    else item(cause).removeAttribute("aria-expanded");
    row(cause).dataset.mark = mark;
    row(cause).dataset.folds = folds ? (isOpen(cause) ? "open" : "closed") : "";
    const away = size > 0 && !isOpen(cause) ? `+${size}` : "";
    row(cause).lastChild.textContent = [mark, away].filter(Boolean).join(" ");
  }

  /** Make a cause the selected one, unfolding what it is under. */
  function select(cause, focus = true) {
    const above = path(cause).slice(1);
    const benign = above.find(isBenign);
    if (benign) return say(`cause ${cause.id} is below cause ${benign.id}, which is benign`);
    if (!above.every(isOpen)) {
      above.forEach((up) => open.add(up.id));
      draw();
    }
    if (here !== null) {
      item(causes.get(here)).tabIndex = -1;
      item(causes.get(here)).setAttribute("aria-selected", "false");
    }
    const changed = here !== cause.id || step !== null;
    here = cause.id;
    item(cause).tabIndex = 0;
    item(cause).setAttribute("aria-selected", "true");
    if (focus) {
      item(cause).focus({ preventScroll: true });
      row(cause).scrollIntoView({ block: "nearest" });
    }
    if (changed) show(cause);
  }

  function fold(cause, unfolds) {
    if (isBenign(cause)) return say("benign: what led to it is folded away; b takes that back");
    if (!sizes.get(cause.id)) {
      return say(
        cause.children === null ? "what led to it was not computed: --depth" : "nothing led to it",
      );
    }
    if (unfolds) open.add(cause.id);
    else open.delete(cause.id);
    draw();
    say(unfolds ? `${counted(below(cause).length, "cause")} unfolded` : "folded");
  }

  /** Set a mark, or take it back if it is set. */
  function mark(cause, what) {
    const isSet = marks.get(cause.id) !== what;
    if (isSet) marks.set(cause.id, what);
    else marks.delete(cause.id);
    const size = counted(sizes.get(cause.id), "cause");
    draw();
    for (const one of detail.querySelectorAll(".marker")) press(one, cause);
    keep();
    if (!isSet) say(`cause ${cause.id} is no longer marked ${what}`);
    else if (what === "root") say(`cause ${cause.id} is the root: ${travel(cause)}`);
    else say(`cause ${cause.id} is benign: ${size} below folded away`);
  }

  const moves = {
    __proto__: null,
    ArrowDown: (cause) => order[order.indexOf(cause) + 1],
    ArrowUp: (cause) => order[order.indexOf(cause) - 1],
    Home: () => order[0],
    End: () => order[order.length - 1],
  };
  moves.j = moves.ArrowDown;
  moves.k = moves.ArrowUp;

  const acts = {
    __proto__: null,
    ArrowRight(cause) {
      if (isOpen(cause) && below(cause).length) select(below(cause)[0]);
      else fold(cause, true);
    },
    ArrowLeft(cause) {
      if (isOpen(cause) && sizes.get(cause.id)) fold(cause, false);
      else if (cause.parent !== null) select(causes.get(cause.parent));
    },
    Enter() {
      (detail.querySelector(".statement") || detail).focus();
    },
    b: (cause) => mark(cause, "benign"),
    r: (cause) => mark(cause, "root"),
    "*"(cause) {
      const siblings = cause.parent === null ? tops : below(causes.get(cause.parent));
      siblings.filter((one) => sizes.get(one.id)).forEach((one) => open.add(one.id));
      draw();
      say("all unfolded that lead to the same cause");
    },
    "?"() {
      help.open = !help.open;
      if (help.open) help.querySelector("summary").focus();
    },
  };
  acts[" "] = (cause) => fold(cause, !isOpen(cause));

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const cause = causes.get(here);
    if (event.key in moves) {
      const next = moves[event.key](cause);
      if (next) select(next);
    } else if (event.key in acts) {
      acts[event.key](cause);
    } else {
      return;
    }
    event.preventDefault();
  }

  /** Keys beside the tree: back to it, and what is said of the selected cause. */
  function onKeyBeside(event) {
    if (event.key === "Escape") {
      help.open = false;
      if (step !== null) chooseLink(step);
      else if (tree) select(causes.get(here));
    } else if (tree && step === null && ["b", "r", "?"].includes(event.key)) {
      onKey(event);
    }
  }

  function onClick(event) {
    const element = event.target.closest("li");
    if (!element || !event.target.closest(".row")) return;
    const cause = causes.get(Number(element.id.slice("cause-".length)));
    select(cause);
    if (event.target.closest(".twisty") && sizes.get(cause.id)) fold(cause, !isOpen(cause));
  }

  // --- how the damage travels ----------------------------------------------------------------

  /** The causes from one up to the failure. */
  function path(cause) {
    const found = [];
    for (let up = cause; up; up = causes.get(up.parent)) found.push(up);
    return found;
  }

  const travel = (cause) => path(cause).map(was).join(" → ");

  function drawPaths() {
    const roots = everything.filter((cause) => marks.get(cause.id) === "root");
    document.getElementById("travels").hidden = !roots.length;
    document
      .getElementById("paths")
      .replaceChildren(...roots.map((root) => make("ol", "path", ...path(root).map(drawStep))));
  }

  function drawStep(cause) {
    const where = make("span", "place", place(cause.predicate));
    const how = data.bearing[cause.influence] + (cause.parent === null ? "" : ":");
    const step = button("step", () => select(cause), code(was(cause)), " ", where);
    return make("li", "", step, make("span", "how", how));
  }

  // --- the selected cause --------------------------------------------------------------------

  function show(cause) {
    const statements = statementsOf(cause);
    const predicate = cause.predicate;
    const told = statements.map((one) => ({ ...one, words: computed(one) }));
    const source = drawSources([...told, ...cause.missing.map(lost)], predicate);
    leaveChain();
    detail.replaceChildren(
      make(
        "div",
        "cause",
        make("h2", "", code(predicate.text), " was ", code(predicate.outcome)),
        make("p", "facts", ...facts(cause)),
        make("p", "because", ...sentence(cause.because)),
        make("p", "values", listed(predicate.values)),
        make("div", "marking", marker(cause, "benign", "b"), marker(cause, "root", "r")),
        listOf(statements, (statement) => goTo(source, statement, true)),
        ...cause.missing.map((one) =>
          make("p", "lost", `${place(one)} not run: `, code(one.statement.text)),
        ),
      ),
      source,
    );
    detail.hidden = false;
    goTo(source, predicate, false);
  }

  const lost = (missing) => ({ ...missing, text: missing.statement.text, isLost: true, words: "" });

  const statementsOf = (cause) => cause.statements.map((number) => data.statements[number]);

  function facts(cause) {
    const parent = causes.get(cause.parent);
    const told = [place(cause.predicate)];
    if (cause.predicate.function) told.push(` in ${cause.predicate.function}`);
    told.push(` · cause ${cause.id} · ${data.bearing[cause.influence]}`);
    if (parent) told.push(" (", link(parent), ")");
    for (const id of cause.also)
      if (causes.has(id)) told.push(", bears on ", link(causes.get(id)), " too");
    told.push(` · ${counted(cause.instances, "instruction")}`);
    const { passing, passing_text } = cause.predicate;
    if (passing !== null) told.push(` · ${data.passing}: ${passing_text || "it"} was ${passing}`);
    chain.forEach((one, at) => {
      if (one.cause === cause.id) told.push(" · ", button("link", () => chooseLink(at), `step ${at + 1}`));
    });
    if (cause.times > 1) told.push(` · stands for ${cause.times} turns of a loop`);
    if (!cause.is_proved) told.push(" · not proved: it may need fewer statements");
    return told;
  }

  const link = (cause) => button("link", () => select(cause), `cause ${cause.id}`);

  function marker(cause, what, key) {
    const element = button("marker", () => mark(cause, what), what, " ", make("kbd", "", key));
    element.dataset.act = what;
    press(element, cause);
    return element;
  }

  function press(element, cause) {
    element.setAttribute("aria-pressed", marks.get(cause.id) === element.dataset.act);
  }

  function listOf(statements, onChoose) {
    const list = make("ol", "statements");
    list.setAttribute("aria-label", "Its statements, in the order in which they ran");
    const longest = (texts) => Math.max(0, ...texts.map((text) => text.length));
    list.style.setProperty("--place", `${longest(statements.map(place))}ch`);
    list.style.setProperty("--code", `${longest(statements.map((one) => one.text))}ch`);
    statements.forEach((statement) => {
      const times = statement.instances > 1 ? ` ×${statement.instances}` : "";
      const choose = button(
        "statement",
        () => {
          list.querySelector("[aria-current]")?.removeAttribute("aria-current");
          choose.setAttribute("aria-current", "step");
          onChoose(statement);
        },
        make("span", "place", place(statement)),
        code(statement.text),
        make("span", "values", computed(statement), make("span", "times", times)),
      );
      list.append(make("li", "", choose));
    });
    return list;
  }

  // --- its source ----------------------------------------------------------------------------

  /** The files of what is told below each other, that of a predicate first.
   *
   * `told` has file, line and words, and isLost if it stands for a line that is not there, after
   * that one.  `onChoose` is called with the number of one that is chosen. */
  function drawSources(told, predicate, onChoose) {
    const box = make("div", "source");
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", "Source");
    const files = new Set([...(predicate ? [predicate] : []), ...told].map((of) => of.file));
    for (const file of files) {
      const lines = sources.get(file) || [];
      const changed = changesIn(file);
      const numbers = new Map(); // line -> the numbers of what is told of it
      told.forEach((one, at) => {
        if (one.file !== file) return;
        if (one.isLost) addLost(changed.lost, one, at);
        else numbers.set(one.line, [...(numbers.get(one.line) || []), at]);
      });
      const mine = predicate && predicate.file === file ? predicate.line : 0;
      const draw = (line) => [
        ...(line === 1 ? drawLost(changed.lost.get(0), told, onChoose) : []),
        drawLine(line, lines[line - 1], {
          ats: numbers.get(line) || [],
          told,
          onChoose,
          isPredicate: line === mine,
          isAdded: changed.added.has(line),
        }),
        ...drawLost(changed.lost.get(line), told, onChoose),
      ];
      const part = make("div", "lines");
      part.dataset.file = file;
      const shown = [...numbers.keys(), ...changed.lost.keys(), ...changed.first, mine];
      part.append(...excerpts(lines.length, shown, draw));
      if (file)
        box.append(
          make("h3", "", file),
          lines.length ? part : make("p", "none", "We do not have this file."),
        );
    }
    return box;
  }

  /** The lines of a file that are new, the first of each, and after which line others are lost. */
  function changesIn(file) {
    const [added, first, lost] = [new Set(), [], new Map()];
    for (const edit of edits.filter((one) => one.file === file)) {
      for (const { start, count, removed } of edit.hunks) {
        for (let line = start; line < start + count; line++) added.add(line);
        if (count) first.push(start);
        const after = count ? start - 1 : start;
        const before = lost.get(after) || [];
        if (removed.length)
          lost.set(after, [...before, ...removed.map((text) => ({ text, ats: [] }))]);
      }
    }
    return { added, first, lost };
  }

  /** Number the removed line that is told, or show it where it would have run. */
  function addLost(lost, one, at) {
    const same = [...lost.values()].flat().find((line) => line.text.trim() === one.text.trim());
    if (same) same.ats.push(at);
    else lost.set(one.line, [...(lost.get(one.line) || []), { text: one.text, ats: [at] }]);
  }

  function drawLost(lost, told, onChoose) {
    return (lost || []).map(({ text, ats }) =>
      drawLine("−", text, { ats, told, onChoose, isLost: true }),
    );
  }

  /** Scroll to a line, and point it out if the user chose it. */
  function goTo(box, to, isChosen) {
    const part = [...box.querySelectorAll(".lines")].find((one) => one.dataset.file === to.file);
    const one = to.at === undefined ? `[data-line="${to.line}"]` : `[data-told~="${to.at}"]`;
    const line = part && part.querySelector(one);
    if (!line) return isChosen && say(`${place(to)} is not in the source that we have`);
    box.querySelector(".now")?.classList.remove("now");
    if (isChosen) line.classList.add("now");
    const isCalm = !isChosen || matchMedia("(prefers-reduced-motion: reduce)").matches;
    const behavior = isCalm ? "auto" : "smooth";
    box.scrollTo({ top: line.offsetTop - (box.clientHeight - line.offsetHeight) / 2, behavior });
    if (isChosen) box.scrollIntoView({ block: "nearest", behavior });
  }

  /** Lines around those that are told; in the place of the others, buttons that show them. */
  function excerpts(length, told, draw) {
    const ranges = [];
    for (const line of told.filter((one) => one >= 1 && one <= length).sort((a, b) => a - b)) {
      const last = ranges[ranges.length - 1];
      const from = Math.max(line - AROUND, 1);
      const to = Math.min(line + AROUND, length);
      if (last && from - last.to <= GAP) last.to = to;
      else ranges.push({ from: from <= GAP ? 1 : from, to });
    }
    const parts = [];
    let next = 1; // the first line that is not drawn yet
    for (const { from, to } of ranges) {
      if (from > next) parts.push(gap(next, from - 1, draw));
      for (let line = from; line <= to; line++) parts.push(...draw(line));
      next = to + 1;
    }
    if (next <= length) parts.push(gap(next, length, draw));
    return parts;
  }

  function gap(from, to, draw) {
    const until = Math.min(to, from + MOST - 1);
    const onClick = (event) => {
      const drawn = [];
      for (let line = from; line <= until; line++) drawn.push(...draw(line));
      if (until < to) drawn.push(gap(until + 1, to, draw));
      event.target.closest(".source").focus();
      event.target.replaceWith(...drawn);
    };
    return button("gap", onClick, `⋯ ${counted(to - from + 1, "line")}`);
  }

  function drawLine(line, text, about) {
    const { ats, told, onChoose, isPredicate, isAdded, isLost } = about;
    const element = make("div", "line", make("span", "number", String(line)));
    if (!isLost) element.dataset.line = line;
    const cut =
      text.length > LONGEST
        ? `${text.slice(0, LONGEST)}… and ${text.length - LONGEST} more characters`
        : text;
    const label = make("span", "nth", ...drawNumbers(ats, onChoose));
    if (ats.length) label.prepend(make("span", "spoken", onChoose ? "step " : "statement "));
    if (isPredicate) label.append(make("span", "spoken", " the predicate"));
    if (isAdded) label.append(make("span", "spoken", " changed"));
    if (isLost) label.append(make("span", "spoken", " not there any more, or not run"));
    element.append(label, code(cut));
    if (ats.length) {
      element.classList.add("told");
      element.dataset.told = ats.join(" ");
      const { words } = told[ats[ats.length - 1]];
      if (words) element.append(make("span", "values", words));
    }
    if (isAdded) element.classList.add("added");
    if (isLost) element.classList.add("removed");
    if (isPredicate) element.classList.add("predicate");
    return element;
  }

  /** The numbers of what is told of a line: those of a chain lead back to it. */
  function drawNumbers(ats, onChoose) {
    const draw = (at) =>
      onChoose ? button("link", () => onChoose(at), String(at + 1)) : String(at + 1);
    return ats.flatMap((at, nth) => (nth ? [", ", draw(at)] : [draw(at)]));
  }

  /** On paper nothing can be selected: give every cause that can be seen its statements. */
  function addToPrint() {
    for (const cause of order.filter((one) => !isBenign(one))) {
      const list = listOf(statementsOf(cause), () => {});
      list.classList.add("printed");
      item(cause).querySelector(".because").after(list);
    }
  }

  // --- the chain -----------------------------------------------------------------------------

  const links = chain.map((one) => ({
    ...one,
    words: both(one.passing, one.failing),
    isLost: one.step === "missing",
  }));

  /** Show a link of the chain in the source, with all the others. */
  function chooseLink(at, focus = true) {
    leaveChain();
    step = at;
    steps[at].setAttribute("aria-current", "step");
    if (focus) {
      steps[at].focus({ preventScroll: true });
      steps[at].scrollIntoView({ block: "nearest" });
    }
    const one = links[at];
    const facts = [place(one), one.function ? ` in ${one.function}` : "", ` · step ${at + 1}`];
    if (causes.has(one.cause)) facts.push(" · ", link(causes.get(one.cause)));
    showInSource({ ...one, at }, focus, [
      make("h2", "", code(one.text)),
      make("p", "facts", ...facts),
      make("p", "because", ...sentence(one.says)),
      make("p", "values", one.words),
    ]);
  }

  /** Show a change in the source: by the link that tells of it, if there is one. */
  function chooseEdit(edit) {
    const at = chain.findIndex((one) => one.changes.some((id) => edit.ids.includes(id)));
    if (at >= 0) return chooseLink(at);
    leaveChain();
    showInSource(edit, true, [make("h2", "", edit.where)]);
  }

  function showInSource(to, isChosen, about) {
    const files = new Set(links.map((one) => one.file));
    const also = to.at === undefined && !files.has(to.file) ? { file: to.file, line: to.line } : null;
    const source = drawSources(links, also, chooseLink);
    detail.replaceChildren(make("div", "cause", ...about), source);
    detail.hidden = false;
    goTo(source, to, isChosen);
  }

  function leaveChain() {
    if (step !== null) steps[step].removeAttribute("aria-current");
    step = null;
  }

  function onKeyInChain(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = steps.indexOf(event.target);
    const last = steps.length - 1;
    const [next, before] = [at + 1, at - 1];
    const to = { __proto__: null, ArrowDown: next, j: next, ArrowUp: before, k: before };
    Object.assign(to, { Home: 0, End: last });
    if (event.key === "Enter" && step === at) {
      event.preventDefault(); // it is shown: go there
      return detail.querySelector(".source").focus();
    }
    if (!(event.key in to) || at < 0) return;
    event.preventDefault();
    if (to[event.key] in steps) chooseLink(to[event.key]);
  }

  // --- marks that stay -----------------------------------------------------------------------

  const shelf = `whence why ${data.point} ${tops.map((cause) => cause.key).join(" ")}`;
  const given = new Map(Object.entries(data.marks).map(([id, what]) => [Number(id), what]));

  const marked = () =>
    Object.fromEntries([...marks].map(([id, what]) => [causes.get(id).key, what]));

  /** Keep what differs from the marks that came with the page; where nothing is kept, do without. */
  function keep() {
    const differs = everything.filter((cause) => marks.get(cause.id) !== given.get(cause.id));
    const kept = differs.map((cause) => [cause.key, marks.get(cause.id) || null]);
    try {
      localStorage.setItem(shelf, JSON.stringify(Object.fromEntries(kept)));
    } catch {
      // such as a page from a file, in some browsers
    }
  }

  function recall() {
    for (const [id, what] of given) if (causes.has(id)) marks.set(id, what);
    let kept = {};
    try {
      kept = JSON.parse(localStorage.getItem(shelf)) || {};
    } catch {
      return;
    }
    for (const [key, what] of Object.entries(kept)) {
      if (!byKey.has(key)) continue;
      if (what === "benign" || what === "root") marks.set(byKey.get(key).id, what);
      else marks.delete(byKey.get(key).id);
    }
  }

  function save() {
    const text = JSON.stringify(marked(), null, 2);
    const anchor = make("a");
    anchor.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    anchor.download = "marks.json";
    anchor.click();
    say(`${counted(marks.size, "mark")} saved as marks.json`);
  }

  async function copy() {
    try {
      await navigator.clipboard.writeText(JSON.stringify(marked(), null, 2));
      say(`${counted(marks.size, "mark")} copied`);
    } catch {
      save(); // the browser does not let us copy
    }
  }

  // --- begin ---------------------------------------------------------------------------------

  document.documentElement.classList.add("live");
  document.getElementById("tools").hidden = !tree;
  document.getElementById("copy").addEventListener("click", copy);
  document.getElementById("save").addEventListener("click", save);
  if (tree) {
    dress();
    recall();
    const first = everything.length <= SMALL ? everything : tops;
    first.forEach((cause) => open.add(cause.id));
    draw();
    tree.addEventListener("keydown", onKey);
    tree.addEventListener("click", onClick);
    addEventListener("beforeprint", addToPrint);
    addEventListener("afterprint", () =>
      document.querySelectorAll(".printed").forEach((one) => one.remove()),
    );
    const isRoot = (cause) =>
      marks.get(cause.id) === "root" && !path(cause).slice(1).some(isBenign);
    select(everything.find(isRoot) || tops[0], false);
  }
  for (const part of [detail, help]) part.addEventListener("keydown", onKeyBeside);
  steps.forEach((one, at) => {
    one.addEventListener("click", () => chooseLink(at));
    one.addEventListener("keydown", onKeyInChain);
  });
  edits.forEach((edit, at) => {
    const choose = document.querySelector(`#change-${at} button`);
    choose.addEventListener("click", () => chooseEdit(edit));
  });
  if (steps.length) chooseLink(0, false);
}
