"use strict";
// Filters live in the address, so that a choice can be kept and sent.
(() => {
  const form = document.getElementById("filters");
  const items = [...document.querySelectorAll("#gallery > li")];
  const selects = [...form.querySelectorAll("select")];

  function fits(item, name, value) {
    if (!value) return true;
    return name === "classes" ? JSON.parse(item.dataset.classes).includes(value) : item.dataset[name] === value;
  }

  function apply() {
    let shown = 0;
    for (const item of items) {
      item.hidden = !selects.every((select) => fits(item, select.name, select.value));
      shown += item.hidden ? 0 : 1;
    }
    document.getElementById("count").textContent = `${shown} shown`;
    document.getElementById("empty").hidden = shown > 0;
  }

  function remember() {
    const chosen = new URLSearchParams(selects.filter((s) => s.value).map((s) => [s.name, s.value]));
    history.replaceState(null, "", `#${chosen}`);
    apply();
  }

  function restore() {
    const chosen = new URLSearchParams(location.hash.slice(1));
    for (const select of selects) {
      const value = chosen.get(select.name) ?? "";
      select.value = [...select.options].some((option) => option.value === value) ? value : "";
    }
    apply();
  }

  form.addEventListener("input", remember);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(remember)); // the fields are empty only after the event
  addEventListener("hashchange", restore);
  for (const strip of document.querySelectorAll(".strip")) {
    const count = Number(getComputedStyle(strip).getPropertyValue("--count"));
    strip.addEventListener("pointermove", (event) => {
      const box = strip.getBoundingClientRect();
      const at = Math.floor(((event.clientX - box.left) / box.width) * count);
      strip.style.setProperty("--at", Math.min(count - 1, Math.max(0, at)));
    });
  }
  restore();
})();
