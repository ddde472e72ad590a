// The chain from the changes to the failure.

const links = chain.map((each) => ({
  ...each,
  words: both(each.passing, each.failing),
  isMissing: each.step === "missing",
}));

/** Show a link of the chain in the source, with all other links. */
function chooseLink(at, focus = true) {
  leaveChain();
  shownLink = at;
  steps[at].setAttribute("aria-current", "step");
  if (focus) {
    steps[at].focus({ preventScroll: true });
    steps[at].scrollIntoView({ block: "nearest" });
  }
  const shown = links[at];
  const facts = [place(shown), shown.function ? ` in ${shown.function}` : "", ` · step ${at + 1}`];
  if (causes.has(shown.cause)) facts.push(" · ", link(causes.get(shown.cause)));
  showInSource({ ...shown, at }, focus, [
    make("h2", "", code(shown.text)),
    make("p", "facts", ...facts),
    make("p", "because", ...sentence(shown.says)),
    make("p", "values", shown.words),
  ]);
}

/** Show a change in the source: as its link of the chain, if it has one. */
function chooseEdit(edit) {
  const at = chain.findIndex((each) => each.changes.some((id) => edit.ids.includes(id)));
  if (at >= 0) return chooseLink(at);
  leaveChain();
  showInSource(edit, true, [make("h2", "", edit.where)]);
}

function showInSource(to, isChosen, about) {
  const files = new Set(links.map((each) => each.file));
  const also = to.at === undefined && !files.has(to.file) ? { file: to.file, line: to.line } : null;
  const source = drawSources(links, also, chooseLink);
  detail.replaceChildren(make("div", "cause", ...about), source);
  detail.hidden = false;
  goTo(source, to, isChosen);
}

function leaveChain() {
  if (shownLink !== null) steps[shownLink].removeAttribute("aria-current");
  shownLink = null;
}

function onKeyInChain(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const at = steps.indexOf(event.target);
  const last = steps.length - 1;
  const [next, before] = [at + 1, at - 1];
  const to = { __proto__: null, ArrowDown: next, j: next, ArrowUp: before, k: before };
  Object.assign(to, { Home: 0, End: last });
  if (event.key === "Enter" && shownLink === at) {
    event.preventDefault(); // the link is shown already: go to the source
    return detail.querySelector(".source").focus();
  }
  if (!(event.key in to) || at < 0) return;
  event.preventDefault();
  if (to[event.key] in steps) chooseLink(to[event.key]);
}
