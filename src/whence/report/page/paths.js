// The paths from causes marked as root to the failure.

/** Return the causes from `cause` up to that of the failure. */
function path(cause) {
  const found = [];
  for (let up = cause; up; up = causes.get(up.parent)) found.push(up);
  return found;
}

const pathText = (cause) => path(cause).map(was).join(" → ");

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
  const choose = button("step", () => select(cause), code(was(cause)), " ", where);
  return make("li", "", choose, make("span", "how", how));
}
