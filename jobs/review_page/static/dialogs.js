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
  let [matches, at] = [classes, Math.max(0, classes.indexOf(before))];
  const draw = () => {
    list.replaceChildren(...matches.map((cls, k) => optionOf(cls, k, k === at)));
    list.children[at]?.scrollIntoView({ block: "nearest" });
    if (matches.length) search.setAttribute("aria-activedescendant", `class-${at}`);
    else search.removeAttribute("aria-activedescendant");
  };
  search.oninput = () => {
    const typed = search.value.trim().toLowerCase().replaceAll(" ", "_");
    [matches, at] = [classes.filter((cls) => cls.includes(typed)), 0];
    draw();
  };
  search.value = "";
  dialog.showModal();
  draw();
  return new Promise((resolve) => {
    const close = (cls) => {
      // The answer counts at once, and the next key belongs to the page: it may come before the dialog's own events do.
      search.blur();
      dialog.close();
      resolve(cls);
    };
    list.onclick = (event) => event.target.matches("li") && close(event.target.textContent);
    dialog.oncancel = () => close(null);
    search.onkeydown = (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step && event.key !== "Enter") return;
      event.preventDefault();
      if (!matches.length) return;
      if (!step) return close(matches[at]);
      at = (at + step + matches.length) % matches.length;
      draw();
    };
  });
}

function optionOf(cls, k, selected) {
  const item = Object.assign(document.createElement("li"), { textContent: cls, id: `class-${k}` });
  item.setAttribute("role", "option");
  item.setAttribute("aria-selected", String(selected));
  return item;
}
