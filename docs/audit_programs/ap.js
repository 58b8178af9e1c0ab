const text = require("fs").readFileSync(0, "utf8").trim();
for (const line of text.split("\n")) {
  const { n, y_true: label, y_score: score } = JSON.parse(line);
  const order = score.map((_, row) => row);
  order.sort((a, b) => score[b] - score[a]);
  let found = 0, before = 0, area = 0;
  order.forEach((row, i) => {
    found += label[row];
    if (i + 1 < order.length && score[order[i + 1]] === score[row]) return;
    area += ((found - before) * found) / (i + 1);
    before = found;
  });
  console.log(`${n} ${found ? area / found : 0}`);
}
