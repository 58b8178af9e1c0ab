// Let long names break after "_", and filter the table of tools.
document.addEventListener("DOMContentLoaded", () => {
  for (const each of document.querySelectorAll("h1, .bd-sidebar a, .prev-next-title, .sig-name .pre, td code .pre, .breadcrumb-item")) {
    const texts = [...each.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && /[_=(,.[]/.test(node.data));
    for (const text of texts) {
      text.replaceWith(...text.data.split(/(?<=[_=(,.[])/).flatMap((part) => [part, document.createElement("wbr")]));
    }
  }
  const table = document.querySelector("#what-each-tool-computes table");
  if (!table) return;
  const rows = [...table.tBodies[0].rows];
  const field = Object.assign(document.createElement("input"), {
    type: "search", className: "form-control", placeholder: "Filter, such as: torchmetrics AP@k",
  });
  field.setAttribute("aria-label", "Filter the table");
  const count = Object.assign(document.createElement("p"), { className: "text-muted" });
  count.setAttribute("role", "status");
  const filter = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      for (const folded of row.querySelectorAll("details")) folded.open = words.length > 0;
    }
    count.textContent = words.length ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows` : "";
    history.replaceState(null, "", words.length ? `?tool=${encodeURIComponent(field.value)}` : location.pathname);
  };
  field.value = new URLSearchParams(location.search).get("tool") ?? "";
  field.addEventListener("input", filter);
  (table.closest(".pst-scrollable-table-container") ?? table).before(field, count);
  if (field.value) filter();
});
