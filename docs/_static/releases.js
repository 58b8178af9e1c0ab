/* On the page of differences: show only the rows that apply to one release of scikit-learn. */

document.addEventListener("DOMContentLoaded", () => {
  const filter = document.querySelector("#releases");
  const select = filter.querySelector("select");
  const rowsOfReleases = JSON.parse(filter.nextElementSibling.textContent);
  const tables = [...document.querySelectorAll("table")].slice(0, 2);  // those about scikit-learn
  const rows = tables.flatMap((table) => [...table.tBodies[0].rows]);
  select.add(new Option("any release", ""));
  for (const release of Object.keys(rowsOfReleases)) select.add(new Option(release));
  select.addEventListener("change", () => {
    const shown = rowsOfReleases[select.value];
    rows.forEach((row, i) => { row.hidden = shown !== undefined && !shown.includes(i); });
  });
  filter.hidden = false;
});
