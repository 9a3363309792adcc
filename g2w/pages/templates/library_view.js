"use strict";
// One asset in full: its states, its place on the screen, its origin.
const LibraryView = (() => {
  const $ = (id) => document.getElementById(id);
  const GROUNDS = ["", "dark", "light"];
  let ground = 0;

  // One state of a strip of states: the picture is shown as a background, n times as high as the element.
  function picture(asset, state, maxWidth, maxHeight, maxScale) {
    const scale = Math.min(maxScale, maxWidth / asset.w, maxHeight / asset.h);
    const element = document.createElement("span");
    element.className = "picture";
    element.style.width = `${asset.w * scale}px`;
    element.style.height = `${asset.h * scale}px`;
    element.style.backgroundImage = `url("${asset.file}")`;
    element.style.backgroundSize = `100% ${100 * asset.num_states}%`;
    element.style.backgroundPositionY = asset.num_states > 1 ? `${(100 * state) / (asset.num_states - 1)}%` : "0";
    if (scale > 1) element.style.imageRendering = "pixelated";
    return element;
  }

  // Full bars and high counts show more of an element than its last or first state.
  const typicalState = (asset) => Math.floor(((asset.num_states - 1) * 2) / 3);

  function showState(asset, state) {
    const [width, height] = [$("large").clientWidth - 36, $("large").clientHeight - 36];
    $("large").replaceChildren(asset.file ? picture(asset, state, width, height, 4) : document.createTextNode("no picture was kept"));
    [...$("states").children].forEach((button, k) => button.setAttribute("aria-pressed", k === state));
  }

  function showStates(asset) {
    const buttons = [];
    for (let state = 0; asset.num_states > 1 && state < asset.num_states; state++) {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-label", `State ${state}`);
      button.append(picture(asset, state, 120, 60, 1));
      button.addEventListener("click", () => showState(asset, state));
      buttons.push(button);
    }
    $("states").replaceChildren(...buttons);
  }

  function showPlace(asset, [width, height]) {
    const known = asset.x !== null;
    const mark = $("screen").firstElementChild;
    $("screen").hidden = !known;
    const at = { left: asset.x / width, top: asset.y / height, width: asset.w / width, height: asset.h / height };
    for (const [name, share] of Object.entries(at)) mark.style[name] = `${100 * share}%`;
    $("place").textContent = known
      ? `Recorded at ${asset.x}, ${asset.y} on a screen of ${width} × ${height}.`
      : "Drawn, so no position was recorded: its class says where it may stand.";
  }

  function showFacts(asset) {
    const facts = [
      ["native size", `${asset.w} × ${asset.h} px`],
      ["extent", `${(100 * asset.extent).toFixed(2)} % of the screen`],
      ["states", asset.num_states],
      ["origin", asset.origin],
      ["source", asset.source_ref],
      ["theme", asset.theme],
      ["style set", asset.style_set],
      ["accepted by", asset.accepted_by],
      ["reason", asset.reason],
      ["duplicate of", asset.duplicate_of],
      ["confidence", asset.confidence],
      ["alpha error", asset.alpha_error],
      ["licence", asset.licence],
      ["attribution", asset.attribution],
      ["finish", `${asset.blend}, ${asset.content} content, ${asset.persistence.replaceAll("_", " ")}`],
      ["anchor", asset.anchor.replaceAll("_", " ")],
      ["asset id", asset.asset_id],
    ];
    const nodes = facts
      .filter(([, value]) => value !== null && value !== "")
      .flatMap(([name, value]) => {
        const [term, text] = [document.createElement("dt"), document.createElement("dd")];
        term.textContent = name;
        text.textContent = value;
        return [term, text];
      });
    $("facts").replaceChildren(...nodes);
  }

  function show(asset, screen) {
    $("detail-title").textContent = asset.cls.replaceAll("_", " ");
    $("detail-verdict").textContent = asset.verdict.replaceAll("_", " ");
    if (!$("detail").open) $("detail").showModal();
    showStates(asset);
    showState(asset, typicalState(asset));
    showPlace(asset, screen);
    showFacts(asset);
  }

  function nextGround() {
    ground = (ground + 1) % GROUNDS.length;
    $("large").className = `large checker ${GROUNDS[ground]}`;
  }

  $("ground").addEventListener("click", nextGround);
  return { picture, typicalState, show, nextGround };
})();
