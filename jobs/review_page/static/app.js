// One proposal at a time: what is shown, what each key does, and no step ahead before the server has confirmed.

import { BoxEditor } from "./box.js";
import { ask, askName, help } from "./dialogs.js";
import { deliver, moment, undelivered } from "./delivery.js";
import { showPictures, warm } from "./pictures.js";

const $ = (id) => document.getElementById(id);
const WORDS = { accept: "accepted", reject: "rejected", skip: "skipped" };

const state = { reviewer: "", all: [], classes: [], list: [], at: 0, draft: null, busy: false, done: [], step: 1 };
let editor = null;

// Every key has a button; `run` gets nothing. Keys of the box are handled in `onKey`, since they come with modifiers.
const ACTIONS = [
  { key: "a", name: "Accept", run: () => decide("accept") },
  { key: "r", name: "Reject", run: () => decide("reject") },
  { key: "s", name: "Skip", run: () => decide("skip") },
  { key: "u", name: "Undo", run: undo },
  { key: "c", name: "Class", run: relabel },
  { key: "p", also: "ArrowLeft", name: "Previous", run: () => go(-1) },
  { key: "n", also: "ArrowRight", name: "Next", run: () => go(1) },
  { key: "?", name: "Help", run: () => help() },
];
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const BOX_BUTTONS = [
  ["←", "Move left", (step) => editor.move(-step, 0)], ["→", "Move right", (step) => editor.move(step, 0)],
  ["↑", "Move up", (step) => editor.move(0, -step)], ["↓", "Move down", (step) => editor.move(0, step)],
  ["W−", "W− narrower", (step) => editor.resize(-step, 0)], ["W+", "W+ wider", (step) => editor.resize(step, 0)],
  ["H−", "H− lower", (step) => editor.resize(0, -step)], ["H+", "H+ higher", (step) => editor.resize(0, step)],
];

const shown = () => state.list[state.at];

function onKey(event) {
  if (document.querySelector("dialog[open]") || event.target.closest("input, select") || event.metaKey) return;
  const arrow = ARROWS[event.key];
  if (arrow && (event.shiftKey || event.ctrlKey || event.altKey)) {
    event.preventDefault();
    const step = event.ctrlKey ? 10 : 1;
    if (shown() && !state.busy) editor[event.altKey ? "resize" : "move"](arrow[0] * step, arrow[1] * step);
    return;
  }
  if (event.ctrlKey || event.altKey) return;
  const action = ACTIONS.find(({ key, also }) => key === event.key.toLowerCase() || also === event.key);
  // A key that is held down must not decide the proposals that follow.
  if (!action || (event.repeat && !action.also)) return;
  event.preventDefault();
  action.run();
}

async function decide(verdict) {
  const proposal = shown();
  if (!proposal || state.busy) return;
  const accepted = verdict === "accept";
  const answer = await send(proposal, verdict, accepted ? state.draft.cls : null, accepted ? state.draft.box : null);
  if (!answer) return;
  state.done.push(proposal.id);
  say(`${WORDS[verdict]}: ${state.draft.cls}`);
  if (!go(1)) show();
}

async function undo() {
  if (state.busy) return;
  const current = shown();
  const id = current?.mine ? current.id : state.done.at(-1);
  const proposal = state.all.find((each) => each.id === id);
  if (!proposal) return say("nothing to take back");
  if (!(await send(proposal, "withdraw", null, null))) return;
  state.done = state.done.filter((each) => each !== id);
  if (!state.list.some((each) => each.id === id)) state.list.splice(state.at, 0, proposal);
  state.at = state.list.findIndex((each) => each.id === id);
  say("taken back");
  show();
}

async function send(proposal, verdict, cls, box) {
  state.busy = true;
  const decision = { proposal: proposal.id, reviewer: state.reviewer, verdict, cls, box, decided_unix_s: moment() };
  try {
    const answer = await deliver(decision, (why) =>
      trouble(`${why}: your last decision is kept here and sent again until it is recorded`));
    Object.assign(proposal, answer.proposal);
    trouble("");
    return answer;
  } catch (error) {
    trouble(`not recorded: ${error.message}`);
    return null;
  } finally {
    state.busy = false;
  }
}

async function relabel() {
  if (!shown() || state.busy) return;
  const chosen = await ask(state.classes, state.draft.cls);
  if (!chosen) return;
  state.draft.cls = chosen;
  describe();
}

function go(step) {
  const at = state.at + step;
  if (state.busy) return false;
  if (at < 0 || at >= state.list.length) {
    say(step > 0 ? "this is the end of the queue" : "this is the first one");
    return false;
  }
  state.at = at;
  show();
  return true;
}

function show() {
  const proposal = shown();
  $("empty").hidden = Boolean(proposal);
  for (const id of ["frame", "editor"]) $(id).toggleAttribute("hidden", !proposal);
  document.querySelector("aside").hidden = !proposal;
  progress();
  if (!proposal) {
    $("empty").textContent = "Nothing to show: choose another queue, or reload it.";
    return;
  }
  const mine = proposal.mine;
  state.draft = { cls: mine?.cls ?? proposal.cls, box: [...(mine?.box ?? proposal.box)] };
  editor.show(state.draft.box);
  describe();
  showPictures(proposal);
  const next = state.list[state.at + 1];
  if (next) warm(next);
}

function describe() {
  const proposal = shown();
  const { cls, box } = state.draft;
  $("class").textContent = cls === proposal.cls ? cls : `${cls} (was ${proposal.cls})`;
  $("class").classList.toggle("changed", cls !== proposal.cls);
  const [x, y, w, h] = box;
  $("box-text").textContent = `x ${x}, y ${y}, ${w} × ${h}`;
  $("box-text").classList.toggle("changed", String(box) !== String(proposal.box));
  $("confidence").textContent =
    `${proposal.confidence.toFixed(2)}, of the class ${proposal.cls_confidence.toFixed(2)}`;
  $("detector").textContent = proposal.detector;
  $("clip").textContent = `${proposal.clip_id}, frame ${proposal.frame}`;
  const verdict = proposal.mine?.verdict;
  $("verdict").className = `verdict ${verdict ?? ""}`;
  $("verdict").textContent = verdict ? `You: ${WORDS[verdict]}` : "Not decided by you";
  $("votes").replaceChildren(...(proposal.others.length ? proposal.others.map(voteLine) : [line("none")]));
  if (proposal.why_open) $("votes").append(line(`open: ${proposal.why_open}`));
}

function voteLine(vote) {
  const what = vote.cls ? ` as ${vote.cls}` : "";
  return line(`${vote.reviewer}: ${WORDS[vote.verdict]}${what}${vote.box ? `, box ${vote.box.join(" ")}` : ""}`);
}

function line(text) {
  const item = document.createElement("li");
  item.textContent = text;
  return item;
}

function progress() {
  const decided = state.all.filter((each) => each.mine).length;
  const total = state.all.length;
  $("progress").max = Math.max(total, 1);
  $("progress").value = decided;
  const place = state.list.length ? `Proposal ${state.at + 1} of ${state.list.length}, ` : "";
  $("progress-text").textContent = `${place}${decided} / ${total} decided by you`;
}

async function load() {
  let queue;
  try {
    const response = await fetch(`/api/queue?reviewer=${encodeURIComponent(state.reviewer)}`);
    queue = await response.json();
    if (!response.ok) throw new Error(queue.error);
  } catch (error) {
    trouble(`the queue could not be loaded (${error.message}): reload it`);
    return;
  }
  trouble(queue.torn_lines.length ? `lines ${queue.torn_lines.join(", ")} of the log were torn by a crash` : "");
  Object.assign(state, { all: queue.proposals, classes: queue.classes });
  editor ??= new BoxEditor($("editor"), queue.size, (box) => {
    state.draft.box = box;
    describe();
  });
  const counts = Map.groupBy(state.all, (each) => each.cls);
  const chosen = $("class-filter").value;
  $("class-filter").replaceChildren(
    new Option("every class", ""),
    ...[...counts.keys()].sort().map((cls) => new Option(`${cls} (${counts.get(cls).length})`, cls)),
  );
  $("class-filter").value = counts.has(chosen) ? chosen : "";
  filter();
}

function filter() {
  const [which, cls, before] = [$("filter").value, $("class-filter").value, shown()?.id];
  const fits = {
    waiting: (each) => each.state === "waiting",
    open: (each) => each.state === "open",
    unseen: (each) => !each.mine,
    all: () => true,
  }[which];
  state.list = state.all.filter((each) => fits(each) && (!cls || each.cls === cls));
  state.at = Math.max(0, state.list.findIndex((each) => each.id === before));
  show();
}

async function begin(name) {
  state.reviewer = name;
  state.done = [];
  $("who").textContent = name;
  state.busy = true;
  for (const decision of undelivered(name)) {
    await deliver(decision, (why) => trouble(`${why}: an earlier decision of yours is sent again until it is recorded`))
      .catch((error) => say(`an earlier decision was not recorded: ${error.message}`));
  }
  state.busy = false;
  await load();
}

function toggleStep({ currentTarget }) {
  state.step = state.step === 1 ? 10 : 1;
  currentTarget.setAttribute("aria-pressed", String(state.step === 10));
}

function say(text) {
  $("status").textContent = text;
}

function trouble(text) {
  $("trouble").textContent = text;
  $("trouble").hidden = !text;
}

function makeButton(text, label, key, run) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  if (label) button.setAttribute("aria-label", label);
  if (key) {
    button.setAttribute("aria-keyshortcuts", key);
    button.append(Object.assign(document.createElement("kbd"), { textContent: key }));
  }
  button.addEventListener("click", run);
  return button;
}

$("buttons").append(
  ...ACTIONS.map(({ key, name, run }) => makeButton(name, "", key, run)),
  ...BOX_BUTTONS.map(([text, label, run]) => makeButton(text, label, "", () => shown() && !state.busy && run(state.step))),
  makeButton("×10", "×10: move and resize by 10 pixels", "", toggleStep),
);
$("filter").addEventListener("change", filter);
$("class-filter").addEventListener("change", filter);
$("reload").addEventListener("click", () => state.busy || load());
$("who").addEventListener("click", async () => state.busy || begin(await askName(state.reviewer)));
document.addEventListener("keydown", onKey);
begin(new URLSearchParams(location.search).get("reviewer")?.trim() || (await askName("")));
