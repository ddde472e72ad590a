// The state of the page.  Invariants:
// 1. Text from the program becomes text nodes, never markup.
// 2. `open`, `marks`, `selected` and `shownLink` are the whole state; `draw`, `show` and
//    `chooseLink` bring the page up to date with it.
// 3. Letter keys act only while the tree or the detail has the focus; elsewhere the browser's own
//    shortcuts work.
// All files of the script share one scope: html.py puts them into one block, in a fixed order.

const data = JSON.parse(document.getElementById("data").textContent);
const causes = new Map(data.causes.map((cause) => [cause.id, cause]));
const byKey = new Map(data.causes.map((cause) => [cause.key, cause]));
const sources = new Map(Object.entries(data.sources));
const chain = data.chain || []; // only an explanation has a chain and edits
const edits = data.edits || [];
const tree = document.getElementById("tree");
const steps = [...document.querySelectorAll("#chain button")];
const detail = document.getElementById("detail");
const help = document.getElementById("help");

// Guessed limits:
const AROUND = 8; // lines of source shown before and after each line of interest
const GAP = 30; // shorter gaps between shown lines are filled
const MAX_ADDED = 500; // lines that one click adds
const MAX_CHARACTERS = 2000; // shown of a line
const MAX_UNFOLDED = 60; // larger trees are folded at the start

const open = new Set();
const marks = new Map();
let selected = null; // number of the selected cause
let shownLink = null; // number of the link that is shown instead of the cause, if any
let visibleCauses = []; // from top to bottom
