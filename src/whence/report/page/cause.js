// The detail of the selected cause.

function show(cause) {
  const statements = statementsOf(cause);
  const predicate = cause.predicate;
  const items = statements.map((each) => ({ ...each, words: computed(each) }));
  const source = drawSources([...items, ...cause.missing.map(missingItem)], predicate);
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
      ...cause.missing.map((each) =>
        make("p", "missing", `${place(each)} not run: `, code(each.statement.text)),
      ),
    ),
    source,
  );
  detail.hidden = false;
  goTo(source, predicate, false);
}

const missingItem = (missing) => ({
  ...missing,
  text: missing.statement.text,
  isMissing: true,
  words: "",
});

const statementsOf = (cause) => cause.statements.map((number) => data.statements[number]);

function facts(cause) {
  const parent = causes.get(cause.parent);
  const words = [place(cause.predicate)];
  if (cause.predicate.function) words.push(` in ${cause.predicate.function}`);
  words.push(` · cause ${cause.id} · ${data.bearing[cause.influence]}`);
  if (parent) words.push(" (", link(parent), ")");
  for (const id of cause.also)
    if (causes.has(id)) words.push(", also bears on ", link(causes.get(id)));
  words.push(` · ${counted(cause.instances, "instruction")}`);
  const { passing, passing_text } = cause.predicate;
  if (passing !== null) words.push(` · ${data.label}: ${passing_text || "it"} was ${passing}`);
  chain.forEach((each, at) => {
    if (each.cause !== cause.id) return;
    words.push(" · ", button("link", () => chooseLink(at), `step ${at + 1}`));
  });
  if (cause.times > 1) words.push(` · stands for ${cause.times} iterations of a loop`);
  if (!cause.is_proved) words.push(" · not proved: it may need fewer statements");
  if (cause.is_cut) words.push(" · cut: it has more statements");
  return words;
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
  list.setAttribute("aria-label", "Statements of the cause, in the order in which they ran");
  const longest = (texts) => Math.max(0, ...texts.map((text) => text.length));
  list.style.setProperty("--place", `${longest(statements.map(place))}ch`);
  list.style.setProperty("--code", `${longest(statements.map((each) => each.text))}ch`);
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
