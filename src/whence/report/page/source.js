// The source around statements of a cause, or around links of the chain.

/** Return the source files of some items, that of the predicate first.
 *
 * An item is a statement or a link: it has file, line and words.  If isMissing, its text is not in
 * the file, and belongs after its line.  `onChoose` is called with the number of a chosen item. */
function drawSources(items, predicate, onChoose) {
  const box = make("div", "source");
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", "Source");
  const files = new Set([...(predicate ? [predicate] : []), ...items].map((each) => each.file));
  for (const file of files) {
    const lines = sources.get(file) || [];
    const changed = changesIn(file);
    const numbers = new Map(); // line -> the numbers of its items
    items.forEach((each, at) => {
      if (each.file !== file) return;
      if (each.isMissing) addMissing(changed.missing, each, at);
      else numbers.set(each.line, [...(numbers.get(each.line) || []), at]);
    });
    const predicateLine = predicate && predicate.file === file ? predicate.line : 0;
    const draw = (line) => [
      ...(line === 1 ? drawMissing(changed.missing.get(0), items, onChoose) : []),
      drawLine(line, lines[line - 1], {
        ats: numbers.get(line) || [],
        items,
        onChoose,
        isPredicate: line === predicateLine,
        isAdded: changed.added.has(line),
      }),
      ...drawMissing(changed.missing.get(line), items, onChoose),
    ];
    const part = make("div", "lines");
    part.dataset.file = file;
    const cited = [...numbers.keys(), ...changed.missing.keys(), ...changed.first, predicateLine];
    part.append(...excerpts(lines.length, cited, draw));
    if (file)
      box.append(
        make("h3", "", file),
        lines.length ? part : make("p", "none", "This file is not available."),
      );
  }
  return box;
}

/** Return the added lines of a file, the first line of each change, and the removed lines by the
 * line that they followed. */
function changesIn(file) {
  const [added, first, missing] = [new Set(), [], new Map()];
  for (const edit of edits.filter((each) => each.file === file)) {
    for (const { start, count, removed } of edit.hunks) {
      for (let line = start; line < start + count; line++) added.add(line);
      if (count) first.push(start);
      const after = count ? start - 1 : start;
      const before = missing.get(after) || [];
      if (removed.length)
        missing.set(after, [...before, ...removed.map((text) => ({ text, ats: [] }))]);
    }
  }
  return { added, first, missing };
}

/** Add a missing item to the removed line that it is, or else after the line of the item. */
function addMissing(missing, item, at) {
  const same = [...missing.values()].flat().find((line) => line.text.trim() === item.text.trim());
  if (same) same.ats.push(at);
  else missing.set(item.line, [...(missing.get(item.line) || []), { text: item.text, ats: [at] }]);
}

function drawMissing(missing, items, onChoose) {
  return (missing || []).map(({ text, ats }) =>
    drawLine("−", text, { ats, items, onChoose, isMissing: true }),
  );
}

/** Scroll to a line, and highlight it if the user chose it. */
function goTo(box, to, isChosen) {
  const part = [...box.querySelectorAll(".lines")].find((each) => each.dataset.file === to.file);
  const query = to.at === undefined ? `[data-line="${to.line}"]` : `[data-items~="${to.at}"]`;
  const line = part && part.querySelector(query);
  if (!line) return isChosen && say(`${place(to)} is not in the available source`);
  box.querySelector(".now")?.classList.remove("now");
  if (isChosen) line.classList.add("now");
  const isCalm = !isChosen || matchMedia("(prefers-reduced-motion: reduce)").matches;
  const behavior = isCalm ? "auto" : "smooth";
  box.scrollTo({ top: line.offsetTop - (box.clientHeight - line.offsetHeight) / 2, behavior });
  if (isChosen) box.scrollIntoView({ block: "nearest", behavior });
}

/** Return the lines around the cited ones, with buttons in place of the others. */
function excerpts(length, cited, draw) {
  const ranges = [];
  for (const line of cited.filter((each) => each >= 1 && each <= length).sort((a, b) => a - b)) {
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
  const until = Math.min(to, from + MAX_ADDED - 1);
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
  const { ats, items, onChoose, isPredicate, isAdded, isMissing } = about;
  const element = make("div", "line", make("span", "number", String(line)));
  if (!isMissing) element.dataset.line = line;
  const cut =
    text.length > MAX_CHARACTERS
      ? `${text.slice(0, MAX_CHARACTERS)}… and ${text.length - MAX_CHARACTERS} more characters`
      : text;
  const label = make("span", "nth", ...drawNumbers(ats, onChoose));
  if (ats.length) label.prepend(make("span", "spoken", onChoose ? "step " : "statement "));
  if (isPredicate) label.append(make("span", "spoken", " the predicate"));
  if (isAdded) label.append(make("span", "spoken", " changed"));
  if (isMissing) label.append(make("span", "spoken", " removed, or not run"));
  element.append(label, code(cut));
  if (ats.length) {
    element.classList.add("cited");
    element.dataset.items = ats.join(" ");
    const { words } = items[ats[ats.length - 1]];
    if (words) element.append(make("span", "values", words));
  }
  if (isAdded) element.classList.add("added");
  if (isMissing) element.classList.add("removed");
  if (isPredicate) element.classList.add("predicate");
  return element;
}

/** Return the numbers of the items of a line; those of links are buttons. */
function drawNumbers(ats, onChoose) {
  const draw = (at) =>
    onChoose ? button("link", () => onChoose(at), String(at + 1)) : String(at + 1);
  return ats.flatMap((at, nth) => (nth ? [", ", draw(at)] : [draw(at)]));
}

/** Add to every visible cause its statements: on paper nothing can be selected. */
function addStatements() {
  for (const cause of visibleCauses.filter((each) => !isBenign(each))) {
    const list = listOf(statementsOf(cause), () => {});
    list.classList.add("printed");
    item(cause).querySelector(".because").after(list);
  }
}
