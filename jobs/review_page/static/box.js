// The box over the frame: moved and resized with the mouse or by keys, always in whole pixels inside the frame.

const EDGES = ["nw", "n", "ne", "e", "se", "s", "sw", "w"];
const HANDLE_PX = 10;

export class BoxEditor {
  /** `svg` has the frame's size as its viewBox; `onChange(box)` is called with [x, y, w, h] after every change. */
  constructor(svg, size, onChange) {
    [this.width, this.height] = size;
    this.svg = svg;
    this.onChange = onChange;
    svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    this.rect = this.#shape("box", "move");
    this.handles = EDGES.map((edge) => this.#shape(`handle ${edge}`, edge));
    svg.addEventListener("pointermove", (event) => this.#drag(event));
    for (const name of ["pointerup", "pointercancel"]) svg.addEventListener(name, () => (this.grip = null));
    new ResizeObserver(() => this.box && this.#draw()).observe(svg);
  }

  show(box) {
    this.box = box.map(Number);
    this.grip = null;
    this.#draw();
  }

  /** Move by whole pixels; the box keeps its size and stops at the frame's edge. */
  move(dx, dy) {
    const [x, y, w, h] = this.box;
    this.#change([clamp(x + dx, 0, this.width - w), clamp(y + dy, 0, this.height - h), w, h]);
  }

  /** Move the right and the lower edge by whole pixels. */
  resize(dw, dh) {
    const [x, y, w, h] = this.box;
    this.#change([x, y, clamp(w + dw, 1, this.width - x), clamp(h + dh, 1, this.height - y)]);
  }

  #change(box) {
    this.box = box;
    this.#draw();
    this.onChange(box);
  }

  #shape(name, grip) {
    const shape = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    shape.setAttribute("class", name);
    shape.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      this.svg.setPointerCapture(event.pointerId);
      this.grip = { part: grip, from: this.#point(event), box: this.box };
    });
    this.svg.append(shape);
    return shape;
  }

  #drag(event) {
    if (!this.grip) return;
    const point = this.#point(event);
    const dx = Math.round(point.x - this.grip.from.x);
    const dy = Math.round(point.y - this.grip.from.y);
    const [x, y, w, h] = this.grip.box;
    if (this.grip.part === "move") {
      this.#change([clamp(x + dx, 0, this.width - w), clamp(y + dy, 0, this.height - h), w, h]);
      return;
    }
    let [left, top, right, bottom] = [x, y, x + w, y + h];
    if (this.grip.part.includes("w")) left = clamp(left + dx, 0, right - 1);
    if (this.grip.part.includes("e")) right = clamp(right + dx, left + 1, this.width);
    if (this.grip.part.includes("n")) top = clamp(top + dy, 0, bottom - 1);
    if (this.grip.part.includes("s")) bottom = clamp(bottom + dy, top + 1, this.height);
    this.#change([left, top, right - left, bottom - top]);
  }

  #point(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
  }

  #draw() {
    const [x, y, w, h] = this.box;
    place(this.rect, x, y, w, h);
    // Handles keep their size on the screen, however large the frame is shown.
    const side = (HANDLE_PX * this.width) / (this.svg.clientWidth || this.width);
    for (const [k, edge] of EDGES.entries()) {
      const cx = edge.includes("w") ? x : edge.includes("e") ? x + w : x + w / 2;
      const cy = edge.includes("n") ? y : edge.includes("s") ? y + h : y + h / 2;
      place(this.handles[k], cx - side / 2, cy - side / 2, side, side);
    }
  }
}

function place(shape, x, y, width, height) {
  for (const [name, value] of Object.entries({ x, y, width, height })) shape.setAttribute(name, value);
}

function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}
