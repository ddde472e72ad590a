// The tree of causes: what is visible, selected, folded and marked.

const isBenign = (cause) => marks.get(cause.id) === "benign";
const below = (cause) => children.get(cause.id);
const isOpen = (cause) => open.has(cause.id) && !isBenign(cause);
const item = (cause) => document.getElementById(`cause-${cause.id}`);
const row = (cause) => document.getElementById(`row-${cause.id}`);

// A predicate that bears on several causes is shown below one of them, its parent.
const children = new Map(
  data.causes.map((cause) => [
    cause.id,
    (cause.children || [])
      .map((id) => causes.get(id))
      .filter((child) => child && child.parent === cause.id),
  ]),
);

/** Return these causes and those below them, in tree order, but nothing below a cause that
 * `enters` refuses. */
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
const sizes = new Map(); // by cause, the number of causes below it
for (const cause of [...everything].reverse()) {
  sizes.set(
    cause.id,
    below(cause).reduce((sum, child) => sum + 1 + sizes.get(child.id), 0),
  );
}

/** Turn the lists of the page into a tree for the keyboard and for screen readers. */
function makeTree() {
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

/** Bring the tree up to date with `open` and `marks`. */
function draw() {
  visibleCauses = walk(tops, isOpen);
  const seen = new Set(visibleCauses);
  for (const cause of everything) {
    const element = item(cause);
    if (element.hidden === seen.has(cause)) element.hidden = !seen.has(cause);
    const look = `${marks.get(cause.id)} ${isOpen(cause)}`;
    if (seen.has(cause) && looks.get(cause) !== look) drawRow(cause);
    if (seen.has(cause)) looks.set(cause, look);
  }
  drawPaths();
}

const looks = new Map(); // by cause, what its row showed last; most rows do not change

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

/** Select a cause, and unfold the causes above it. */
function select(cause, focus = true) {
  const above = path(cause).slice(1);
  const benign = above.find(isBenign);
  if (benign) return say(`cause ${cause.id} is below cause ${benign.id}, which is benign`);
  if (!above.every(isOpen)) {
    above.forEach((up) => open.add(up.id));
    draw();
  }
  if (selected !== null) {
    item(causes.get(selected)).tabIndex = -1;
    item(causes.get(selected)).setAttribute("aria-selected", "false");
  }
  const changed = selected !== cause.id || shownLink !== null;
  selected = cause.id;
  item(cause).tabIndex = 0;
  item(cause).setAttribute("aria-selected", "true");
  if (focus) {
    item(cause).focus({ preventScroll: true });
    row(cause).scrollIntoView({ block: "nearest" });
  }
  if (changed) show(cause);
}

function fold(cause, unfolds) {
  if (isBenign(cause)) return say("benign: the causes below are folded; b removes the mark");
  if (!sizes.get(cause.id)) {
    return say(
      cause.children === null
        ? "the causes below were not computed; use a larger --depth"
        : "there are no causes below",
    );
  }
  if (unfolds) open.add(cause.id);
  else open.delete(cause.id);
  draw();
  say(unfolds ? `${counted(below(cause).length, "cause")} unfolded` : "folded");
}

/** Set a mark, or remove it if it is set. */
function mark(cause, what) {
  const isSet = marks.get(cause.id) !== what;
  if (isSet) marks.set(cause.id, what);
  else marks.delete(cause.id);
  const size = counted(sizes.get(cause.id), "cause");
  draw();
  for (const marker of detail.querySelectorAll(".marker")) press(marker, cause);
  saveMarks();
  if (!isSet) say(`cause ${cause.id} is no longer marked ${what}`);
  else if (what === "root") say(`cause ${cause.id} is the root: ${pathText(cause)}`);
  else say(`cause ${cause.id} is benign: ${size} below it folded`);
}

const moves = {
  __proto__: null,
  ArrowDown: (cause) => visibleCauses[visibleCauses.indexOf(cause) + 1],
  ArrowUp: (cause) => visibleCauses[visibleCauses.indexOf(cause) - 1],
  Home: () => visibleCauses[0],
  End: () => visibleCauses[visibleCauses.length - 1],
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
    siblings.filter((each) => sizes.get(each.id)).forEach((each) => open.add(each.id));
    draw();
    say("all causes with the same parent unfolded");
  },
  "?"() {
    help.open = !help.open;
    if (help.open) help.querySelector("summary").focus();
  },
};
acts[" "] = (cause) => fold(cause, !isOpen(cause));

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const cause = causes.get(selected);
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

/** Handle a key outside the tree: Escape returns to it, letters mark the selected cause. */
function onKeyOutside(event) {
  if (event.key === "Escape") {
    help.open = false;
    if (shownLink !== null) chooseLink(shownLink);
    else if (tree) select(causes.get(selected));
  } else if (tree && shownLink === null && ["b", "r", "?"].includes(event.key)) {
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
