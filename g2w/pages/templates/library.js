"use strict";
// The grid holds only the cards that can be seen, whatever the size of the library.
(() => {
  const $ = (id) => document.getElementById(id);
  const table = JSON.parse($("table").textContent);
  const assets = table.rows.map((values, number) => {
    const asset = Object.fromEntries(table.columns.map((name, k) => [name, values[k]]));
    for (const name of table.shared) asset[name] = table.texts[asset[name]];
    asset.number = number;
    const texts = ["asset_id", "cls", "theme", "source_ref", "origin", "reason", "duplicate_of", "accepted_by", "licence"];
    asset.haystack = texts.map((name) => asset[name] ?? "").join(" ").replaceAll("_", " ").toLowerCase();
    return asset;
  });
  const form = $("filters");
  const grid = $("grid");
  const GAP = 12;
  const MIN_WIDTH = 190;
  const HEIGHT = 190;
  const SPARE_ROWS = 2;
  const FACETS = ["origin", "style_set", "theme", "verdict"];
  const SORTS = {
    cls: (a, b) => order.get(a.cls) - order.get(b.cls) || (a.origin < b.origin ? -1 : a.origin > b.origin ? 1 : 0),
    area: (a, b) => b.w * b.h - a.w * a.h,
    small: (a, b) => a.w * a.h - b.w * b.h,
    states: (a, b) => b.num_states - a.num_states,
    confidence: (a, b) => a.confidence - b.confidence,
    theme: (a, b) => (a.theme < b.theme ? -1 : a.theme > b.theme ? 1 : 0),
  };
  const order = new Map([...form.elements.cls].map((radio, k) => [radio.value, k]));
  const cards = new Map();
  let shown = [];
  let columns = 1;
  let current = 0;

  // -- which assets

  function fits(asset, name, value) {
    if (!value) return true;
    return name === "origin" && value === "cut" ? asset.origin.startsWith("cut") : asset[name] === value;
  }

  function filter() {
    const words = form.elements.text.value.replaceAll("_", " ").toLowerCase().split(/\s+/).filter(Boolean);
    const cls = form.elements.cls.value;
    const counts = new Map();
    const found = assets.filter(
      (asset) =>
        FACETS.every((name) => fits(asset, name, form.elements[name].value)) &&
        words.every((word) => asset.haystack.includes(word)),
    );
    for (const asset of found) counts.set(asset.cls, (counts.get(asset.cls) ?? 0) + 1);
    counts.set("", found.length);
    for (const output of form.querySelectorAll("[data-count]")) {
      const count = counts.get(output.dataset.count) ?? 0;
      output.textContent = count;
      output.parentElement.classList.toggle("none", !count);
    }
    shown = found.filter((asset) => !cls || asset.cls === cls).sort(SORTS[form.elements.sort.value]);
    current = 0;
    $("count").textContent = `${shown.length} shown`;
    $("empty").hidden = shown.length > 0;
    grid.replaceChildren();
    cards.clear();
    layOut();
  }

  // -- where the cards are

  function layOut() {
    columns = Math.max(1, Math.floor((grid.clientWidth + GAP) / (MIN_WIDTH + GAP)));
    grid.style.height = `${Math.ceil(shown.length / columns) * (HEIGHT + GAP)}px`;
    for (const [index, card] of cards) put(card, index);
    refresh();
  }

  function put(card, index) {
    const width = (grid.clientWidth - GAP * (columns - 1)) / columns;
    card.style.width = `${width}px`;
    card.style.height = `${HEIGHT}px`;
    card.style.left = `${(index % columns) * (width + GAP)}px`;
    card.style.top = `${Math.floor(index / columns) * (HEIGHT + GAP)}px`;
  }

  function refresh() {
    const top = -grid.getBoundingClientRect().top;
    const first = columns * Math.max(0, Math.floor(top / (HEIGHT + GAP)) - SPARE_ROWS);
    const last = columns * (Math.ceil((top + innerHeight) / (HEIGHT + GAP)) + SPARE_ROWS);
    for (const [index, card] of cards) {
      // the card that has the focus stays, or the keyboard would lose its place
      if ((index < first || index >= last) && card !== document.activeElement) {
        card.parentElement.remove();
        cards.delete(index);
      }
    }
    for (let index = first; index < Math.min(last, shown.length); index++) {
      if (!cards.has(index)) add(index);
    }
  }

  function add(index) {
    const asset = shown[index];
    const card = document.createElement("button");
    card.type = "button";
    card.className = "asset";
    card.dataset.index = index;
    card.dataset.asset = asset.asset_id;
    card.tabIndex = index === current ? 0 : -1;
    const view = document.createElement("span");
    view.className = "view checker";
    view.append(asset.file ? LibraryView.picture(asset, LibraryView.typicalState(asset), MIN_WIDTH - 24, HEIGHT - 78, 1) : "no picture");
    const [text, name, note] = ["span", "b", "span"].map((tag) => document.createElement(tag));
    text.className = "text";
    name.textContent = asset.cls.replaceAll("_", " ");
    note.textContent = [asset.file ? asset.theme || asset.origin : asset.reason, `${asset.w} × ${asset.h}`].join(" · ");
    note.className = asset.origin.startsWith("cut") ? "cut" : "";
    text.append(name, note);
    card.append(view, text);
    card.setAttribute("aria-label", `${name.textContent}, ${note.textContent}`);
    const item = document.createElement("div");
    item.setAttribute("role", "listitem");
    item.setAttribute("aria-setsize", shown.length);
    item.setAttribute("aria-posinset", index + 1);
    put(card, index);
    item.append(card);
    cards.set(index, card);
    grid.append(item);
  }

  function focusOn(index) {
    cards.get(current)?.setAttribute("tabindex", -1);
    current = Math.min(shown.length - 1, Math.max(0, index));
    const top = grid.getBoundingClientRect().top + scrollY + Math.floor(current / columns) * (HEIGHT + GAP);
    if (top < scrollY + 120) scrollTo(0, top - 120);
    else if (top + HEIGHT > scrollY + innerHeight) scrollTo(0, top + HEIGHT + GAP - innerHeight);
    refresh();
    cards.get(current).tabIndex = 0;
    cards.get(current).focus({ preventScroll: true });
  }

  // -- one asset in full; the address names it

  function open(index) {
    current = Math.min(shown.length - 1, Math.max(0, index));
    LibraryView.show(shown[current], table.screen);
    $("before").disabled = current === 0;
    $("after").disabled = current === shown.length - 1;
    history.replaceState(null, "", `#${shown[current].number}`);
  }

  $("detail").addEventListener("close", () => {
    history.replaceState(null, "", location.pathname);
    focusOn(current);
  });
  $("close").addEventListener("click", () => $("detail").close());
  $("before").addEventListener("click", () => open(current - 1));
  $("after").addEventListener("click", () => open(current + 1));
  $("detail").addEventListener("keydown", (event) => {
    if (event.key === "ArrowLeft") open(current - 1);
    else if (event.key === "ArrowRight") open(current + 1);
    else if (event.key === "g") LibraryView.nextGround();
    else return;
    event.preventDefault();
  });
  grid.addEventListener("click", (event) => {
    const card = event.target.closest(".asset");
    if (card) open(Number(card.dataset.index));
  });
  grid.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns, Home: -shown.length, End: shown.length };
    if (!(event.key in steps)) return;
    event.preventDefault();
    focusOn(current + steps[event.key]);
  });
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter)); // the fields are reset only after the event
  addEventListener("scroll", () => requestAnimationFrame(refresh), { passive: true });
  new ResizeObserver(layOut).observe(grid.parentElement);
  filter();
  const linked = shown.findIndex((asset) => String(asset.number) === location.hash.slice(1));
  if (linked >= 0) open(linked);
})();
