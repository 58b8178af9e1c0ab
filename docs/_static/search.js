/* Ranks the sections of all pages by the words of a query that they have: the more and the rarer ones,
   the higher. Sphinx lists whole pages, and only those with all of the words.

   A word counts most in a heading, or in what people search a section by (search.toml), above all if
   the query has the other words of this phrase, too. It counts less in the text, the longer the text
   is, and least in the title of the page. */

const RankedSearch = {
  MAX_RESULTS: 10,
  MAX_OF_PAGE: 2,
  LENGTH_OF_EXCERPT: 260,

  // What people write for the first name of each row, the longest ones first
  names: [
    ["auprc", "area under the precision-recall curve", "area under the pr curve", "area under precision-recall",
      "pr auc", "auc pr", "aupr", "aucpr", "prauc"],
    ["auroc", "area under the roc curve", "roc auc", "rocauc"],
    ["map", "mean average precision"],
    ["ap", "average precision"],
    ["ndcg", "normalized discounted cumulative gain"],
    ["mrr", "mean reciprocal rank"],
    ["0", "zero"],
    ["pr curve", "precision-recall curve", "prc"],
    ["tpr", "true positive rate"],
    ["fpr", "false positive rate"],
    ["sklearn", "scikit-learn"],
    ["account", "customer"],
    ["payment", "transaction"],
    ["false alarms", "false positives"],
    ["confidence interval", "ci", "error bars"],
    ["random", "chance"],
    ["differ", "discrepancy", "mismatch", "inconsistent"],
    ["segment", "subgroup", "slice"],
    ["subsample", "undersample", "downsample"],
    ["imbalanced", "unbalanced", "skewed"],
    ["model", "classifier"],
  ],

  // Words that Sphinx leaves out, though they tell "no positives" from "few positives"
  telling: ["above", "all", "before", "below", "between", "each", "few", "more", "no", "not", "only", "other", "out",
    "over", "own", "same", "under", "which"],

  // Once each: a query and a text share most of their words. The stemmer would make these into "custom"
  // and "segment".
  stems: new Map([["customer", "customer"], ["customers", "customer"], ["segmentation", "segmentation"]]),

  stemOf: (word) => {
    const { stems } = RankedSearch;
    if (!stems.has(word)) stems.set(word, new Stemmer().stemWord(word));
    return stems.get(word);
  },

  // 1.0 is a number to search for, but 0.42 and 1% are of no help, nor is "doesn't".
  stemsOf: (text) =>
    splitQuery(
      text
        .toLowerCase()
        .replace(/\b[a-z]+n['\u2019]t\b/g, " ")
        .replace(/\.0+\b/g, "")
        .replace(/\d*\.\d+|\d+%/g, " ")
        .replace(/(?<!\S)-(?=\d)/g, "minus ")
        .replaceAll("_", " ")
    )
      .filter((word) => !stopwords.has(word) || RankedSearch.telling.includes(word))
      .map(RankedSearch.stemOf),

  // The words of a text in their order, with one name for each thing that has several
  wordsOf: (text) => {
    const spaced = (each) => ` ${RankedSearch.stemsOf(each).join(" ")} `;
    RankedSearch.rows ??= RankedSearch.names.map((row) => row.map(spaced));
    let words = spaced(text);
    for (const [name, ...others] of RankedSearch.rows)
      for (const other of others) words = words.replaceAll(other, name);
    return words.split(" ").filter(Boolean);
  },

  // How often the reader of a page of this kind wanted another one
  weightOf: (page) =>
    page === "index" || page.startsWith("generated/") || page.startsWith("auto_examples/") ? 0.6
      : ["changelog", "contributing", "api"].includes(page) ? 0.4
        : page === "alerts" ? 0.9 // an example from end to end
          : 1,

  // How often a section's text has each word, and the words of each phrase that it is searched by
  read: ([page, anchor, heading, text, searched]) => {
    const counts = new Map();
    // A number in a text is about something else.
    const words = RankedSearch.wordsOf(text).filter((word) => !/^\d+$/.test(word));
    words.forEach((word) => counts.set(word, (counts.get(word) ?? 0) + 1));
    const phrases = [heading, ...searched].map((phrase) => new Set(RankedSearch.wordsOf(phrase)));
    return { page, anchor, heading, phrases, counts, length: words.length };
  },

  // All sections, their mean length, and how many of them have each word
  index: () => {
    if (RankedSearch.indexed) return RankedSearch.indexed;
    const sections = RankedSearch.sections.map(RankedSearch.read);
    const meanLength = sections.reduce((sum, { length }) => sum + length, 0) / sections.length;
    const spread = new Map();
    for (const { counts, phrases } of sections)
      for (const word of new Set([...counts.keys(), ...phrases.flatMap((phrase) => [...phrase])]))
        spread.set(word, (spread.get(word) ?? 0) + 1);
    return (RankedSearch.indexed = { sections, meanLength, spread });
  },

  rarityOf: (word) => {
    const { sections, spread } = RankedSearch.index();
    return Math.log(1 + sections.length / (1 + (spread.get(word) ?? 0)));
  },

  sumOfRarities: (words) => words.reduce((sum, word) => sum + RankedSearch.rarityOf(word), 0),

  // A word that no section has stands for a longer one that begins with it.
  wordsOfQuery: (query) => {
    const known = [...RankedSearch.index().spread.keys()];
    const longer = (word) => word.length > 3 && known.find((each) => each.startsWith(word));
    const words = RankedSearch.wordsOf(query);
    return [...new Set(words.map((word) => (known.includes(word) ? word : longer(word) || word)))];
  },

  // The words that each phrase shares with a query, and their part in the phrase
  match: (phrases, words) =>
    phrases
      .map((phrase) => {
        const shared = words.filter((word) => phrase.has(word));
        const part = RankedSearch.sumOfRarities(shared) / RankedSearch.sumOfRarities([...phrase]);
        return { shared, part };
      })
      .filter(({ shared }) => shared.length),

  // The part in the best of these phrases that has the word
  bestPart: (matched, word) =>
    Math.max(0, ...matched.map(({ shared, part }) => (shared.includes(word) ? part : 0))),

  scoreOf: (section, words, top) => {
    const { page, phrases, counts, length } = section;
    const asked = RankedSearch.sumOfRarities(words);
    const longer = length / RankedSearch.index().meanLength;
    const own = RankedSearch.match(phrases, words);
    const ofPage = section === top ? [] : RankedSearch.match(top.phrases, words);
    let score = 0, found = 0;
    for (const word of words) {
      const n = counts.get(word) ?? 0;
      const inText = n / (n + 0.5 + 0.5 * longer);
      const inPhrase = RankedSearch.bestPart(own, word);
      const inTitle = RankedSearch.bestPart(ofPage, word);
      const rarity = RankedSearch.rarityOf(word);
      score += rarity * (inText + 1.5 * inPhrase + 0.5 * inTitle);
      if (n || inPhrase) found += rarity;
    }
    // A phrase that is the whole query counts as much as all words twice more.
    const likeness = own.map(({ shared, part }) => (part * RankedSearch.sumOfRarities(shared)) / asked);
    score += 2 * asked * Math.max(0, ...likeness) ** 2;
    return score * Math.sqrt(found / asked) * RankedSearch.weightOf(page);
  },

  rank: (query) => {
    const { sections } = RankedSearch.index();
    const words = RankedSearch.wordsOfQuery(query);
    const tops = new Map(sections.filter(({ anchor }) => !anchor).map((top) => [top.page, top]));
    return sections
      .map((section) => ({ ...section, score: RankedSearch.scoreOf(section, words, tops.get(section.page)) }))
      .filter(({ score }) => score)
      .sort((one, other) => other.score - one.score);
  },
};

Search._performSearch = (query) => {
  const { docnames, filenames, titles } = Search._index;
  const listed = {};
  return RankedSearch.rank(query)
    .filter(({ page }) => (listed[page] = (listed[page] ?? 0) + 1) <= RankedSearch.MAX_OF_PAGE)
    .slice(0, RankedSearch.MAX_RESULTS)
    .map(({ page, anchor, heading, score }) => {
      const file = docnames.indexOf(page);
      const title = anchor ? `${heading} (${titles[file]})` : titles[file];
      return [page, title, anchor && `#${anchor}`, null, score, filenames[file], SearchResultKind.text];
    })
    .reverse(); // The last one is shown first.
};

// Excerpts mark whole words. Sphinx would mark them within others, too, such as "k".
const parseQueryOfSphinx = Search._parseQuery;
Search._parseQuery = (query) => {
  const [text, searched, excluded, , objects] = parseQueryOfSphinx(query);
  RankedSearch.asked = RankedSearch.wordsOfQuery(query);
  localStorage.setItem("sphinx_highlight_terms", "");
  return [text, searched, excluded, new Set(), objects];
};

// Write before each cell of a table, but those of the first column, what its column is.
RankedSearch.nameCells = (table) => {
  const headings = [...table.querySelectorAll("thead th")].map((each) => each.textContent.trim());
  table.querySelectorAll("td").forEach((cell) => {
    const heading = headings[cell.cellIndex];
    if (cell.cellIndex) cell.prepend(` \u00b7 ${heading ? `${heading}: ` : ""}`);
  });
};

// The sentences of a section without those of sections within it, if it has own ones. Cells of
// tables and top-level lines of code stand apart, and "\u2026" stands for formulas.
RankedSearch.sentencesOf = (html, anchor) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  const main = page.querySelector("article") ?? page.body;
  const found = (anchor && main.querySelector(`[id="${anchor.slice(1)}"]`)) || main;
  const section = found.closest("section") ?? found.querySelector("section") ?? found;
  const hidden =
    ".headerlink, script, style, thead, .cell_output, .gp, .go, .admonition, h1, h2, h3, dt.sig, button";
  section.querySelectorAll("table").forEach(RankedSearch.nameCells);
  section.querySelectorAll(hidden).forEach((each) => each.remove());
  section.querySelectorAll("math").forEach((each) => each.replaceWith(" \u2026 "));
  section.querySelectorAll("pre").forEach((each) => {
    const code = each.textContent.replace(/^(import|from) .*\n/gm, "");
    each.textContent = code.replace(/\n(?=[^\s)\]}])/g, " \u241e ");
  });
  const nested = section.querySelectorAll("section");
  if (section.querySelector(":scope > :not(section, [hidden])")) nested.forEach((each) => each.remove());
  section.querySelectorAll("tr, li, pre, :not(td) > p, dt, dd").forEach((each) => each.append(" \u241e "));
  const text = section.textContent.replace(/\s+/g, " ");
  const endOfSentence = /(?<=[.?!\u2026]["')]?) (?=[\p{Lu}"'(])/u;
  return text
    .split("\u241e")
    .flatMap((block) => block.replace(/^[\s\u00b7]+|\s+$/g, "").split(endOfSentence))
    .filter(Boolean);
};

// The excerpt begins with the first sentence, among those with a word asked for, from which it has the
// most of these words, the rarer ones weighing more.
RankedSearch.excerpt = (sentences, asked) => {
  const weigh = (text) => {
    const words = new Set(RankedSearch.wordsOf(text));
    return RankedSearch.sumOfRarities(asked.filter((word) => words.has(word)));
  };
  let best = "", most = -1;
  sentences.forEach((sentence, i) => {
    const rest = sentences.slice(i).join(" ");
    const isCut = rest.length > RankedSearch.LENGTH_OF_EXCERPT;
    const text = isCut ? rest.slice(0, RankedSearch.LENGTH_OF_EXCERPT).replace(/\S*$/, "\u2026") : rest;
    const sum = weigh(sentence) && weigh(text);
    if (sum > most) [best, most] = [text, sum];
  });
  return best;
};

Search.makeSearchSummary = (html, keywords, anchor) => {
  const sentences = RankedSearch.sentencesOf(html, anchor);
  if (!sentences.length) return null;
  const summary = document.createElement("p");
  summary.classList.add("context");
  for (const part of RankedSearch.excerpt(sentences, RankedSearch.asked).split(/([\p{L}\p{N}_]+)/u)) {
    const isAsked = RankedSearch.wordsOf(part).some((word) => RankedSearch.asked.includes(word));
    if (!isAsked) summary.append(part);
    else {
      const mark = summary.appendChild(document.createElement("span"));
      mark.className = "highlighted";
      mark.textContent = part;
    }
  }
  return summary;
};

// At most ten are shown, of however many there are.
if (typeof Documentation !== "undefined") {
  const ngettext = Documentation.ngettext;
  Documentation.ngettext = (one, many, n) =>
    many.startsWith("Search finished") ? "The best sections of the guide and the reference:" : ngettext(one, many, n);
}
