// Connect everything once the page is loaded.

document.documentElement.classList.add("live");
document.getElementById("tools").hidden = !tree;
document.getElementById("copy").addEventListener("click", copyMarks);
document.getElementById("save").addEventListener("click", downloadMarks);
if (tree) {
  makeTree();
  loadMarks();
  const first = everything.length <= MAX_UNFOLDED ? everything : tops;
  first.forEach((cause) => open.add(cause.id));
  draw();
  tree.addEventListener("keydown", onKey);
  tree.addEventListener("click", onClick);
  addEventListener("beforeprint", addStatements);
  addEventListener("afterprint", () =>
    document.querySelectorAll(".printed").forEach((each) => each.remove()),
  );
  const isRoot = (cause) =>
    marks.get(cause.id) === "root" && !path(cause).slice(1).some(isBenign);
  select(everything.find(isRoot) || tops[0], false);
}
for (const part of [detail, help]) part.addEventListener("keydown", onKeyOutside);
steps.forEach((each, at) => {
  each.addEventListener("click", () => chooseLink(at));
  each.addEventListener("keydown", onKeyInChain);
});
edits.forEach((edit, at) => {
  const choose = document.querySelector(`#change-${at} button`);
  choose.addEventListener("click", () => chooseEdit(edit));
});
if (steps.length) chooseLink(0, false);
