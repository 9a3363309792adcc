// The three questions and answers that cover the page: the reviewer's name, the class of an element, the keys.

const $ = (id) => document.getElementById(id);
const KEYS = [
  ["a", "accept, with the class and the box as shown"],
  ["r", "reject"],
  ["s", "skip: cannot tell"],
  ["u", "undo: take back the decision shown, else your last one"],
  ["n, →", "next"],
  ["p, ←", "previous"],
  ["c", "choose the class; Enter takes it, then a accepts"],
  ["Shift + arrows", "move the box by 1 pixel"],
  ["Ctrl + arrows", "move the box by 10 pixels"],
  ["Alt + arrows", "move its right and lower edge by 1 pixel; with Ctrl by 10"],
  ["?", "this list"],
];

/** The reviewer's name; asks again until there is one. */
export function askName(before) {
  $("name").value = before;
  $("name-dialog").showModal();
  return new Promise((resolve) => {
    $("name-form").onsubmit = (event) => {
      const name = $("name").value.trim();
      if (name) resolve(name);
      else event.preventDefault();
    };
    $("name-dialog").oncancel = (event) => (before ? resolve(before) : event.preventDefault());
  });
}

export function help() {
  $("help-keys").replaceChildren(...KEYS.map(([key, what]) => {
    const row = document.createElement("tr");
    row.append(...[key, what].map((text) => Object.assign(document.createElement("td"), { textContent: text })));
    return row;
  }));
  $("help-dialog").showModal();
}

/** The class that the person chooses, or null. */
export function ask(classes, before) {
  const [dialog, search, list] = [$("class-dialog"), $("class-search"), $("class-list")];
  let [matches, at] = [classes, 0];
  const draw = () => {
    list.replaceChildren(...matches.map((cls, k) => {
      const item = Object.assign(document.createElement("li"), { textContent: cls, id: `class-${k}` });
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", String(k === at));
      item.onclick = () => dialog.close(cls);
      return item;
    }));
    list.children[at]?.scrollIntoView({ block: "nearest" });
    if (matches.length) search.setAttribute("aria-activedescendant", `class-${at}`);
    else search.removeAttribute("aria-activedescendant");
  };
  search.oninput = () => {
    const typed = search.value.trim().toLowerCase().replaceAll(" ", "_");
    [matches, at] = [classes.filter((cls) => cls.includes(typed)), 0];
    draw();
  };
  search.onkeydown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && matches.length) at = (at + step + matches.length) % matches.length;
    else if (event.key === "Enter" && matches.length) dialog.close(matches[at]);
    else return;
    event.preventDefault();
    draw();
  };
  search.value = "";
  at = Math.max(0, classes.indexOf(before));
  // What an earlier question returned is no answer to this one.
  dialog.returnValue = "";
  dialog.showModal();
  draw();
  return new Promise((resolve) => (dialog.onclose = () => resolve(dialog.returnValue || null)));
}
