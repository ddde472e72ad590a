// Marks that are kept by the browser, downloaded or copied.

const storageKey = `whence why ${data.point} ${tops.map((cause) => cause.key).join(" ")}`;
const given = new Map(Object.entries(data.marks).map(([id, what]) => [Number(id), what]));

const marked = () =>
  Object.fromEntries([...marks].map(([id, what]) => [causes.get(id).key, what]));

/** Save the marks that differ from those of the page, if the browser lets us. */
function saveMarks() {
  const differs = everything.filter((cause) => marks.get(cause.id) !== given.get(cause.id));
  const kept = differs.map((cause) => [cause.key, marks.get(cause.id) || null]);
  try {
    localStorage.setItem(storageKey, JSON.stringify(Object.fromEntries(kept)));
  } catch {
    // for example a page opened from a file, in some browsers
  }
}

/** Set the marks of the page, changed by those saved earlier. */
function loadMarks() {
  for (const [id, what] of given) if (causes.has(id)) marks.set(id, what);
  let kept = {};
  try {
    kept = JSON.parse(localStorage.getItem(storageKey)) || {};
  } catch {
    return;
  }
  for (const [key, what] of Object.entries(kept)) {
    if (!byKey.has(key)) continue;
    if (what === "benign" || what === "root") marks.set(byKey.get(key).id, what);
    else marks.delete(byKey.get(key).id);
  }
}

function downloadMarks() {
  const text = JSON.stringify(marked(), null, 2);
  const anchor = make("a");
  anchor.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  anchor.download = "marks.json";
  anchor.click();
  say(`${counted(marks.size, "mark")} saved as marks.json`);
}

async function copyMarks() {
  try {
    await navigator.clipboard.writeText(JSON.stringify(marked(), null, 2));
    say(`${counted(marks.size, "mark")} copied`);
  } catch {
    downloadMarks(); // the browser forbids copying
  }
}
