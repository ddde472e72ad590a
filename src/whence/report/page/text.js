// Text and elements.

const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;

/** Return the text with a visible sign for each invisible character, as visible.py does. */
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

/** Return a new element; strings among its children become text. */
function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children.map((child) => (child instanceof Node ? child : visible(child))));
  return element;
}

/** Return source code as an element; no line break can divide an arrow. */
function code(text) {
  const parts = text.split("->").flatMap((part, at) => [at ? make("span", "", "->") : "", part]);
  return make("code", "", ...parts);
}

/** Return words as children of an element, with code between backticks. */
function sentence(text) {
  const parts = text.split("`");
  if (parts.length % 2 === 0) return [text]; // a backtick without a partner
  return parts.map((part, at) => (at % 2 ? code(part) : part));
}

function button(className, onClick, ...children) {
  const element = make("button", className, ...children);
  element.type = "button";
  element.addEventListener("click", onClick);
  return element;
}

function say(words) {
  document.getElementById("status").textContent = visible(words);
}

const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
const place = (of) => (of.file ? `${of.file}:${of.line}` : "");
const listed = (values) =>
  Object.entries(values)
    .map(([name, value]) => `${name} = ${value}`)
    .join(", ");
/** Return such as `fixed: sum = 4, failing: sum = 1`, as explanation.py does. */
function both(passing, failing) {
  const sizes = [passing, failing].map((values) => Object.keys(values).length);
  const parts = [];
  if (sizes[0]) parts.push(`${data.label}: ${listed(passing)}`);
  if (sizes[1]) parts.push(`failing: ${listed(failing)}`);
  return parts.join(Math.max(...sizes) > 1 ? "; " : ", ");
}

/** Return the values of a statement, and those of the passing run if they differ. */
function computed(statement) {
  const other = Object.keys(statement.passing).length;
  const passing = other ? `(${data.label}: ${listed(statement.passing)})` : "";
  return [listed(statement.values), passing].filter(Boolean).join(" ");
}

const was = (cause) => `${cause.predicate.text} was ${cause.predicate.outcome}`;
