// The picture of four definitions, with samples that one can flip and move. Without it, there's definitions.svg.
// Compute the points of a ranking, from rank 1 down, and four values that are called average precision.
function evaluate(labels) {
  const total = labels.reduce((sum, label) => sum + label, 0);
  let [found, best] = [0, 0];
  const points = labels.map((label, i) => {
    found += label;
    return { label, found, precision: found / (i + 1), recall: total ? found / total : 0 };
  });
  for (const point of [...points].reverse()) point.best = best = Math.max(best, point.precision);
  const reach = (level) => (total ? points.find(({ found }) => 10 * found >= level * total).best : 0);
  const levels = [...Array(11).keys()].map(reach);
  const sum = (value) => points.reduce((all, point, i) => all + (point.label ? value(point, i) / total : 0), 0);
  const before = (i) => (i ? points[i - 1].precision : 1);
  return {
    points, levels,
    step: sum(({ precision }) => precision),
    envelope: sum((point) => point.best),
    linear: sum(({ precision }, i) => (before(i) + precision) / 2),
    eleven: levels.reduce((all, level) => all + level, 0) / 11,
  };
}

const PANELS = [["step", "Step", "scikit-learn"], ["envelope", "Envelope", "VOC 2010"],
  ["linear", "Linear", "scikit-learn < 0.19, Spark"], ["eleven", "11-point", "VOC 2007 (11 equal bars)"]];

function make(tag, attributes, parent, text = "") {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  parent?.append(element);
  return element;
}

// The outlines of the four areas, where x and y go from 0 to 1.
function trace({ points, levels }) {
  const last = points.at(-1).recall;
  const hits = points.filter(({ label }) => label);
  const steps = (height) =>
    `M0 0${hits.map((hit) => `V${height(hit)}H${hit.recall}`).join("")}V0Z`;
  return {
    step: steps((point) => point.precision),
    envelope: steps((point) => point.best),
    linear: last ? `M0 0V1${points.map(({ recall, precision }) => `L${recall} ${precision}`).join("")}V0Z` : "",
    eleven: levels.map((y, i) => `M${(i + 0.1) / 11} 0V${y}H${(i + 0.9) / 11}V0Z`).join(""),
  };
}

function drawRanking(image) {
  const SIZE = 170;
  const svg = make("svg", { viewBox: "0 0 440 576", class: "ranking", role: "group", "aria-label": "Ten samples" });
  const labels = [0, 1, 1, 0, 1, 0, 0, 1, 0, 0];
  const samples = labels.map((_, i) => {
    const sample = make("g", { tabindex: 0, role: "button", transform: `translate(${40 + 40 * i} 22)` }, svg);
    make("circle", { r: 15 }, sample);
    make("text", { y: 4.5, "text-anchor": "middle" }, sample, i + 1);
    const keys = { ArrowLeft: () => move(i, i - 1), ArrowRight: () => move(i, i + 1), Enter: () => flip(i), " ": () => flip(i) };
    sample.onkeydown = (event) => { if (keys[event.key]) { event.preventDefault(); keys[event.key](); } };
    return sample;
  });
  const areas = PANELS.map(([name, title, tool], i) => {
    const panel = make("g", { transform: `translate(${40 + (i % 2) * 214} ${104 + (i >> 1) * 258})` }, svg);
    const heading = make("text", { class: "value", y: -24 }, panel);
    make("text", { y: -8 }, panel, tool);
    const area = make("path", { transform: `translate(0 ${SIZE}) scale(${SIZE} -${SIZE})` }, panel);
    make("path", { class: "axis", d: `M0 0V${SIZE}H${SIZE}` }, panel);
    for (const tick of [0, 0.5, 1]) {
      make("text", { x: tick * SIZE, y: SIZE + 16, "text-anchor": "middle" }, panel, tick);
      make("text", { x: -6, y: SIZE * (1 - tick) + 4, "text-anchor": "end" }, panel, tick);
    }
    make("text", { x: SIZE / 2, y: SIZE + 32, "text-anchor": "middle" }, panel, "Recall");
    return { name, title, heading, area };
  });
  const [help, said] = [document.createElement("p"), document.createElement("p")];
  said.setAttribute("role", "status"); // read aloud after each change
  said.className = "visually-hidden";
  help.textContent = "Click a sample, or press Enter, to make it positive or negative. Drag it, or press the arrow keys, to move it.";
  function show() {
    const result = evaluate(labels);
    const paths = trace(result);
    labels.forEach((label, i) => {
      samples[i].setAttribute("class", label ? "positive" : "");
      samples[i].setAttribute("aria-label", `Rank ${i + 1}, ${label ? "positive" : "negative"}`);
    });
    for (const { name, title, heading, area } of areas) {
      heading.textContent = `${title}: ${result[name].toFixed(3)}`;
      area.setAttribute("d", paths[name]);
    }
    said.textContent = areas.map(({ heading }) => heading.textContent).join(", ");
  }
  function flip(i) {
    labels[i] = 1 - labels[i];
    show();
  }
  function move(from, to) {
    if (to < 0 || to > 9) return;
    labels.splice(to, 0, ...labels.splice(from, 1));
    samples[to].focus();
    show();
  }
  let held = null; // the place of the sample under the pointer, and whether it has moved
  samples.forEach((sample, i) => { sample.onpointerdown = () => { held = { place: i, moved: false }; }; });
  svg.addEventListener("pointermove", (event) => {
    if (!held || !event.buttons) return;
    const box = svg.getBoundingClientRect();
    const place = Math.round(((event.clientX - box.left) / box.width * 440 - 40) / 40);
    if (place === held.place || place < 0 || place > 9) return;
    move(held.place, place);
    held = { place, moved: true };
  });
  addEventListener("pointerup", (event) => {
    if (held && !held.moved && svg.contains(event.target)) flip(held.place);
    held = null;
  });
  image.replaceWith(help, svg, said);
  show();
}

const PICTURES = "#one-ranking-four-values img, #sklearn-ap img[src*=definitions]";
if (typeof document !== "undefined") document.querySelectorAll(PICTURES).forEach(drawRanking);
if (typeof module !== "undefined") module.exports = { evaluate };
