"use strict";
// Three videos in step, composed on one canvas. Frames are the unit: a time is only ever (frame + 1/2) / fps.
(() => {
  const $ = (id) => document.getElementById(id);
  const pair = JSON.parse($("pair").textContent);
  const { fps, num_frames: numFrames, start_frame: startFrame, tracks } = pair;
  const [width, height] = pair.size;
  const videos = { ui: $("ui"), clean: $("clean"), mask: $("mask") };
  const sides = Object.values(videos);
  const on = { ui: true, clean: false, mask: false, boxes: true };
  const pen = $("stage").getContext("2d");
  const layer = new OffscreenCanvas(width, height).getContext("2d");
  const TINT = "rgb(255, 45, 120)";
  const TINT_STRENGTH = 0.75;
  const SOFT_DRIFT_S = 0.5 / fps;
  const HARD_DRIFT_S = 4 / fps;
  let frame = 0; // what is drawn
  let aim = 0; // what was asked for last: ahead of `frame` while videos seek
  let playing = false;
  let seeking = false;
  let wanted = null;
  let split = 0.5;

  const offset = (video) => (video === videos.clean ? startFrame : 0);
  const hue = (index) => `hsl(${(index * 137.5 + 165) % 360} 85% 62%)`;

  // -- what is drawn

  function boxOf(track, at) {
    let box = [];
    for (const step of track.steps) {
      if (step[0] > at) break;
      box = step.slice(1);
    }
    return box;
  }

  function drawSides() {
    pen.globalCompositeOperation = "source-over";
    pen.fillStyle = "#000";
    pen.fillRect(0, 0, width, height);
    if (on.clean) pen.drawImage(videos.clean, 0, 0, width, height);
    if (!on.ui) return;
    const border = on.clean ? Math.round(split * width) : 0;
    pen.save();
    pen.beginPath();
    pen.rect(border, 0, width - border, height);
    pen.clip();
    pen.drawImage(videos.ui, 0, 0, width, height);
    pen.restore();
    if (on.clean) {
      pen.fillStyle = "#fff";
      pen.fillRect(border - 1, 0, 2, height);
    }
  }

  // Exact alpha compositing with blend modes alone, for pixels of a local video may not be read:
  // picture * (1 - strength * mask), then + strength * mask * tint.
  function drawMask() {
    layer.globalCompositeOperation = "source-over";
    layer.drawImage(videos.mask, 0, 0, width, height);
    layer.globalCompositeOperation = "difference";
    layer.fillStyle = "#fff";
    layer.fillRect(0, 0, width, height);
    pen.globalAlpha = TINT_STRENGTH;
    pen.globalCompositeOperation = "multiply";
    pen.drawImage(layer.canvas, 0, 0);
    layer.fillRect(0, 0, width, height);
    layer.globalCompositeOperation = "multiply";
    layer.fillStyle = TINT;
    layer.fillRect(0, 0, width, height);
    pen.globalCompositeOperation = "lighter";
    pen.drawImage(layer.canvas, 0, 0);
    pen.globalAlpha = 1;
    pen.globalCompositeOperation = "source-over";
  }

  function drawBoxes() {
    pen.font = "600 17px system-ui, 'DejaVu Sans', sans-serif";
    pen.textBaseline = "middle";
    pen.lineWidth = 2;
    tracks.forEach((track, index) => {
      const [x, y, w, h] = boxOf(track, frame);
      if (x === undefined) return;
      pen.strokeStyle = pen.fillStyle = hue(index);
      pen.strokeRect(x - 1, y - 1, w + 2, h + 2);
      const label = track.cls.replaceAll("_", " ");
      const labelWidth = pen.measureText(label).width + 12;
      const left = Math.max(0, Math.min(x - 2, width - labelWidth));
      const top = y >= 26 ? y - 26 : Math.min(y + h + 2, height - 24);
      pen.fillRect(left, top, labelWidth, 24);
      pen.fillStyle = "#101214";
      pen.fillText(label, left + 6, top + 13);
    });
  }

  function draw() {
    drawSides();
    if (on.mask) drawMask();
    if (on.boxes) drawBoxes();
    $("counter").textContent = `${frame} / ${numFrames - 1}`;
    $("scrub").value = frame;
    $("scrub").setAttribute("aria-valuetext", `frame ${frame} of ${numFrames - 1}`);
    for (const track of tracks) {
      const cell = cells.get(track.id);
      if (cell) cell.textContent = boxOf(track, frame).join(", ") || "–";
    }
  }

  // -- where we are

  function seekOne(video, to) {
    return new Promise((done) => {
      video.addEventListener("seeked", done, { once: true });
      video.currentTime = (offset(video) + to + 0.5) / fps;
    });
  }

  // While one seek runs only the latest wish is kept, so that scrubbing follows the hand.
  async function show(to) {
    wanted = aim = Math.min(numFrames - 1, Math.max(0, Math.round(to)));
    if (seeking) return;
    seeking = true;
    $("stage").dataset.state = "seeking";
    while (wanted !== null) {
      const target = wanted;
      wanted = null;
      await Promise.all(sides.map((video) => seekOne(video, target)));
      frame = target;
      draw();
    }
    seeking = false;
    $("stage").dataset.state = "still";
  }

  function label(text) {
    $("play").firstElementChild.textContent = text;
  }

  async function play() {
    if (playing) return;
    playing = true;
    label("Pause");
    await show(frame >= numFrames - 1 ? 0 : frame);
    if (!playing) return;
    $("stage").dataset.state = "playing";
    try {
      await Promise.all(sides.map((video) => video.play()));
    } catch (error) {
      if (error.name !== "AbortError") trouble(error.message);
    }
  }

  function pause() {
    if (!playing) return;
    playing = false;
    label("Play");
    for (const video of sides) {
      video.pause();
      video.playbackRate = 1;
    }
    show(frame);
  }

  // The UI side leads; the others catch up by speed, or by a jump when they are far off.
  function keepStep() {
    for (const video of [videos.clean, videos.mask]) {
      const drift = video.currentTime - offset(video) / fps - videos.ui.currentTime;
      if (Math.abs(drift) > HARD_DRIFT_S) video.currentTime -= drift;
      video.playbackRate = Math.abs(drift) < SOFT_DRIFT_S ? 1 : drift > 0 ? 0.9 : 1.1;
    }
  }

  function follow(video) {
    video.requestVideoFrameCallback((_, facts) => {
      if (playing && !seeking && video === videos.ui) {
        frame = aim = Math.min(numFrames - 1, Math.round(facts.mediaTime * fps));
        keepStep();
      }
      if (!seeking) draw();
      follow(video);
    });
  }

  // -- hands

  function move(step) {
    pause();
    show(aim + step);
  }

  function toggle(side) {
    on[side] = !on[side];
    document.querySelector(`[data-side="${side}"]`).setAttribute("aria-pressed", on[side]);
    $("split-label").hidden = !(on.ui && on.clean);
    draw();
  }

  function setSplit(share) {
    split = Math.min(1, Math.max(0, share));
    $("split").value = 100 * split;
    draw();
  }

  function trouble(text) {
    $("trouble").textContent = text;
    $("trouble").hidden = false;
  }

  const keys = {
    " ": () => (playing ? pause() : play()),
    ArrowLeft: (event) => move(event.shiftKey ? -10 : -1),
    ArrowRight: (event) => move(event.shiftKey ? 10 : 1),
    Home: () => move(-numFrames),
    End: () => move(numFrames),
    u: () => toggle("ui"),
    c: () => toggle("clean"),
    m: () => toggle("mask"),
    b: () => toggle("boxes"),
  };

  addEventListener("keydown", (event) => {
    const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    // buttons answer to the space bar themselves, the split to arrows
    const own = event.key.length > 1 ? event.target.id === "split" : event.key === " " && event.target.closest("button, a");
    if (!act || own || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(event);
  });
  $("play").addEventListener("click", keys[" "]);
  $("back").addEventListener("click", () => move(-1));
  $("forth").addEventListener("click", () => move(1));
  $("scrub").addEventListener("input", (event) => {
    const to = Number(event.target.value);
    pause();
    show(to);
  });
  $("split").addEventListener("input", (event) => setSplit(Number(event.target.value) / 100));
  for (const button of document.querySelectorAll(".toggle")) button.addEventListener("click", () => toggle(button.dataset.side));
  $("stage").addEventListener("pointermove", (event) => {
    if (event.buttons && on.ui && on.clean) setSplit(event.offsetX / event.target.clientWidth);
  });
  videos.ui.addEventListener("ended", () => {
    if (!playing) return;
    for (const video of sides) video.pause();
    playing = false;
    show(0).then(play);
  });

  // -- the rows below the scrubber: when each element can be seen

  function svg(name, attributes) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  }

  tracks.forEach((track, index) => {
    const name = document.createElement("span");
    name.className = "name";
    name.textContent = name.title = track.cls.replaceAll("_", " ");
    name.style.setProperty("--hue", hue(index));
    const row = svg("svg", { viewBox: `0 0 ${numFrames} 1`, preserveAspectRatio: "none", "aria-hidden": "true" });
    let since = null; // one bar from first to last sight, whatever the box does meanwhile
    for (const step of [...track.steps, [numFrames]]) {
      if (step.length > 1) since ??= step[0];
      else if (since !== null) {
        row.append(svg("rect", { x: since, y: 0, width: step[0] - since, height: 1, fill: hue(index) }));
        since = null;
      }
    }
    row.addEventListener("click", (event) => {
      const box = row.getBoundingClientRect();
      pause();
      show(((event.clientX - box.left) / box.width) * numFrames - 0.5);
    });
    $("timeline").append(name, row);
  });

  const cells = new Map([...document.querySelectorAll("[data-element]")].map((cell) => [cell.dataset.element, cell]));
  const loaded = (video) =>
    new Promise((done, fail) => {
      if (video.readyState >= 2) done();
      video.addEventListener("loadeddata", done, { once: true });
      video.addEventListener("error", () => fail(video), { once: true });
      if (video.error) fail(video);
    });
  Promise.all(sides.map(loaded)).then(
    () => {
      sides.forEach(follow);
      show(0);
    },
    (video) => trouble(`This browser cannot play the ${video.id} side (${video.error?.message || "unknown format"}).`),
  );
})();
