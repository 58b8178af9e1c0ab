/* Pages that don't have all words of a query are found, too: the more and the rarer words a page has,
   the higher it is. Sphinx only lists pages with all of them.

   A word counts more where it's in a title or an entry of the index, above all if the query has the
   other words of that title or entry, too. The two sections of a page are linked that have most of
   the words themselves, by sections.js. An exact title or entry stays above everything, as Sphinx
   ranks it. Names of one thing count as one word, each place is listed once, and a page at most twice
   among ten places. */

const RankedSearch = {
  MAX_RESULTS: 10,
  MAX_OF_PAGE: 2,

  // What people write for the first name of each row, the longest ones first
  names: [
    ["auprc", "area under the precision-recall curve", "area under the pr curve", "pr auc", "aupr",
      "aucpr", "prauc"],
    ["auroc", "area under the roc curve", "roc auc", "rocauc"],
    ["ndcg", "normalized discounted cumulative gain"],
    ["mrr", "mean reciprocal rank"],
    ["0", "zero"],
    ["precision-recall curve", "pr curve", "prc"],
    ["account", "customer"],
    ["payment", "transaction"],
    ["false alarms", "false positives"],
    ["confidence interval", "ci"],
    ["random", "chance"],
  ],

  stemmed: (text) => {
    const stemmer = new Stemmer();
    const words = splitQuery(text.toLowerCase()).filter((word) => !stopwords.has(word));
    return words.map((word) => stemmer.stemWord(word));
  },

  // The words, with one name for each thing that has several
  renamed: (words) => {
    RankedSearch.stems ??= RankedSearch.names.map((row) => row.map(RankedSearch.stemmed));
    const renamed = new Set(words);
    for (const [name, ...others] of RankedSearch.stems)
      for (const other of others)
        if (other.every((word) => renamed.has(word))) {
          other.forEach((word) => renamed.delete(word));
          name.forEach((word) => renamed.add(word));
        }
    return renamed;
  },

  // Sphinx leaves numbers out of the words of a query. 1.0 and 1.000 are some, but 0.42 and 1% are of no help.
  integers: (text) => text.replace(/\.0+\b/g, "").match(/(?<![\w.])\d+(?![\d.%])/g) ?? [],

  // How often the reader of a page of this kind wanted another one
  weight: (page) =>
    page.startsWith("generated/") || page.startsWith("auto_examples/") ? 0.6
      : ["changelog", "contributing", "api", "genindex", "sg_execution_times"].includes(page) ? 0.4
        : 1,

  // The words of each title and each entry of the index. The anchor of the top of a page is "".
  phrases: () => {
    if (RankedSearch.found) return RankedSearch.found;
    const { alltitles, indexentries, docnames } = Search._index;
    const found = [];
    const add = (text, file, anchor, isTitle) => {
      const words = RankedSearch.renamed(RankedSearch.stemmed(text));
      if (words.size) found.push({ file, anchor, isTitle, words });
    };
    RankedSearch.titles = docnames.map(() => new Map());
    for (const [title, places] of Object.entries(alltitles))
      places.forEach(([file, anchor]) => {
        RankedSearch.titles[file].set(anchor ?? "", title);
        add(title, file, anchor ?? "", true);
      });
    for (const [entry, places] of Object.entries(indexentries))
      places.forEach(([file, anchor, isMain]) => {
        if (isMain) add(entry, file, RankedSearch.topless(file, anchor), false);
      });
    return (RankedSearch.found = found);
  },

  // Sphinx has no title for the anchor of a page's top, to which entries can lead.
  topless: (file, anchor) => (RankedSearch.titles[file].has(anchor ?? "") ? anchor ?? "" : ""),

  // The pages that have a word in their text, or else a longer word that begins with it
  pagesWith: (word) => {
    const { terms } = Search._index;
    const same = Object.hasOwn(terms, word) ? [word] : [];
    const longer = Object.keys(terms).filter((term) => word.length > 3 && term.startsWith(word));
    return new Set((same.length ? same : longer).flatMap((term) => terms[term]));
  },

  // How rare each word is that somebody typed
  rarityOf: (words) => {
    const stemmer = new Stemmer();
    const n = Search._index.docnames.length;
    return words.map((word) => Math.log(1 + n / (1 + RankedSearch.pagesWith(stemmer.stemWord(word)).size)));
  },

  // The sections of a page, the best ones first, by the words in their headings, in the entries that
  // lead to them, and in their own sentences. Entries that lead to the top of a page are about all
  // of it, so they speak for the top against a section only if the query has all of their words.
  sections: (file, phrases, rarity) => {
    const name = Search._index.docnames[file];
    const stemsOf = RankedSearch.stemsOf?.[name] ?? { "": "" };
    const scores = Object.entries(stemsOf).map(([anchor, stems]) => {
      const own = RankedSearch.renamed(stems.split(" "));
      const best = new Map();
      for (const each of phrases)
        if (each.file === file && each.anchor === anchor && (anchor || each.isTitle || each.fraction === 1))
          each.found.forEach((word) =>
            best.set(word, Math.max(best.get(word) ?? 0, each.fraction))
          );
      let score = 0;
      rarity.forEach((rare, word) => {
        if (own.has(word) || best.has(word)) score += rare * (1 + 1.5 * (best.get(word) ?? 0));
      });
      return { anchor, score };
    });
    return scores.filter(({ score }) => score).sort((a, b) => b.score - a.score);
  },

  result: (file, anchor, score, kind) => {
    const { docnames, filenames, titles } = Search._index;
    const title = anchor ? `${RankedSearch.titles[file].get(anchor)} (${titles[file]})` : titles[file];
    return [docnames[file], title, anchor && `#${anchor}`, null, score, filenames[file], kind];
  },

  // How rare each word is, and the phrases with the words that they share with the query
  look: (searched) => {
    const { docnames } = Search._index;
    const searchTerms = RankedSearch.renamed([...searched, ...RankedSearch.numbers]);
    const phrases = RankedSearch.phrases().map((each) => {
      const found = [...each.words].filter((word) => searchTerms.has(word));
      return { ...each, found, fraction: found.length / each.words.size };
    }).filter((each) => each.found.length);
    const rarity = new Map(), pagesOf = new Map();
    for (const word of searchTerms) {
      // A number in a text is about something else, unless a title or an entry has it.
      const pages = /^\d+$/.test(word) ? new Set() : RankedSearch.pagesWith(word);
      phrases.filter((each) => each.found.includes(word)).forEach((each) => pages.add(each.file));
      pagesOf.set(word, pages);
      rarity.set(word, Math.log(1 + docnames.length / (1 + pages.size)));
    }
    return { phrases, rarity, pagesOf };
  },

  rank: (searched, excludedTerms) => {
    const { docnames } = Search._index;
    const { phrases, rarity, pagesOf } = RankedSearch.look(searched);
    const excluded = [...excludedTerms].map(RankedSearch.pagesWith);
    const scores = new Array(docnames.length).fill(0);
    rarity.forEach((rare, word) => {
      const fractions = new Map();
      for (const { file, found, fraction } of phrases)
        if (found.includes(word)) fractions.set(file, Math.max(fractions.get(file) ?? 0, fraction));
      pagesOf.get(word).forEach((page) => {
        scores[page] += rare * (1 + 1.5 * (fractions.get(page) ?? 0));
      });
    });
    const found = [];
    docnames.forEach((name, page) => {
      if (!scores[page] || excluded.some((pages) => pages.has(page))) return;
      const sections = RankedSearch.sections(page, phrases, rarity);
      const best = sections[0]?.score ?? 0;
      const shown = sections.filter(({ score }) => score >= 0.7 * best).slice(0, 2);
      const score = RankedSearch.weight(name) * (scores[page] + best);
      (shown.length ? shown : [{ anchor: "" }]).forEach(({ anchor }, place) =>
        found.push([page, anchor, score * 0.7 ** place])
      );
    });
    const most = Math.max(...found.map(([, , score]) => score), 1);
    return found
      .map(([page, anchor, score]) =>
        RankedSearch.result(page, anchor, (15 * score) / most, SearchResultKind.text)
      )
      .sort((a, b) => b[4] - a[4])
      .slice(0, 2 * RankedSearch.MAX_RESULTS);
  },

  // An entry that leads to the top of a page gives way to a section of it that has more of the
  // words. The page follows.
  toSections: (results, searched) => {
    const { phrases, rarity } = RankedSearch.look(searched);
    const { docnames } = Search._index;
    return results.flatMap((result) => {
      const [name, , hash, , score, , kind] = result;
      const file = docnames.indexOf(name);
      const anchor = RankedSearch.topless(file, hash.slice(1));
      if (kind !== SearchResultKind.index) return [result];
      const page = RankedSearch.result(file, anchor, score, kind);
      if (anchor) return [page];
      const sections = RankedSearch.sections(file, phrases, rarity);
      const best = sections[0];
      const top = sections.find((each) => !each.anchor)?.score ?? 0;
      if (!best?.anchor || best.score <= top) return [page];
      return [RankedSearch.result(file, best.anchor, score, kind), page];
    });
  },
};

Search.performTermsSearch = RankedSearch.rank;

const performSearchOfSphinx = Search._performSearch;
Search._performSearch = (text, searched, ...words) => {
  const places = new Set(), listed = {};
  RankedSearch.numbers = RankedSearch.integers(text);
  // The last one is shown first.
  const found = performSearchOfSphinx(text, searched, ...words).reverse();
  const results = RankedSearch.toSections(found, searched).filter(([name, , anchor]) => {
    const place = name + anchor;
    if (places.has(place)) return false;
    places.add(place);
    listed[name] = (listed[name] ?? 0) + 1;
    return listed[name] <= RankedSearch.MAX_OF_PAGE;
  });
  return results.slice(0, RankedSearch.MAX_RESULTS).reverse();
};

// Sphinx marks words also within others, such as "k". Here, excerpts mark whole words.
const parseQueryOfSphinx = Search._parseQuery;
Search._parseQuery = (query) => {
  const [text, searched, excluded, , objects] = parseQueryOfSphinx(query);
  RankedSearch.typed = splitQuery(query.toLowerCase()).filter((word) => !stopwords.has(word));
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
// tables stand apart, and "\u2026" stands for code and formulas.
RankedSearch.sentencesOf = (html, anchor) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  const main = page.querySelector("article") ?? page.body;
  const found = (anchor && main.querySelector(`[id="${anchor.slice(1)}"]`)) || main;
  const section = found.closest("section") ?? found.querySelector("section") ?? found;
  const hidden =
    ".headerlink, script, style, thead, .cell_output, .admonition, h1, h2, h3, dt.sig, button";
  section.querySelectorAll("table").forEach(RankedSearch.nameCells);
  section.querySelectorAll(hidden).forEach((each) => each.remove());
  section.querySelectorAll("pre, math").forEach((each) => each.replaceWith(" \u2026 "));
  const nested = section.querySelectorAll("section");
  if (section.querySelector(":scope > :not(section, [hidden])")) nested.forEach((each) => each.remove());
  section.querySelectorAll("tr, li, :not(td) > p, dt, dd").forEach((each) => each.append(" \u241e "));
  // Code belongs to the sentence before it.
  const text = section.textContent.replace(/\s+/g, " ").replace(/\u241e[\s\u2026]*\u2026/g, "\u2026\u241e");
  const blocks = text.split("\u241e");
  const endOfSentence = /(?<=[.?!\u2026]["')]?) (?=[\p{Lu}"'(])/u;
  return blocks
    .flatMap((block) => block.replace(/^[\s\u00b7]+|\s+$/g, "").split(endOfSentence))
    .filter(Boolean);
};

// Matches words that are inflected like those of the query, and the short ones only as they are.
RankedSearch.matcher = (words) => {
  const escaped = words.map((word) => {
    const stem = new Stemmer().stemWord(word);
    const isStem = stem.length > 3 && word.startsWith(stem);
    return (isStem ? stem : word).replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + (isStem ? "\\p{L}*" : "");
  });
  return new RegExp(`(?<![\\p{L}\\p{N}_])(?:(${escaped.join(")|(")}))(?![\\p{L}\\p{N}_])`, "giu");
};

Search.makeSearchSummary = (html, keywords, anchor) => {
  const sentences = RankedSearch.sentencesOf(html, anchor);
  if (!sentences.length) return null;
  const text = sentences.join(" ");
  const words = RankedSearch.typed ?? [...keywords];
  const wanted = RankedSearch.matcher(words);
  const hits = words.length ? [...text.matchAll(wanted)] : [];
  // The excerpt begins with a sentence that has the rarest of the words that are there, of these
  // with the one whose excerpt has the most of the others.
  const LENGTH = 240;
  const rarity = RankedSearch.rarityOf(words);
  const wordOf = (hit) => hit.slice(1).findIndex((group) => group !== undefined);
  const rarest = Math.max(...hits.map((hit) => rarity[wordOf(hit)]));
  let start = 0, most = 0, sentence = 0;
  for (const each of sentences) {
    const within = (length) =>
      new Set(hits.filter(({ index }) => index >= sentence && index < sentence + length).map(wordOf));
    const hasRarest = [...within(each.length)].some((word) => rarity[word] === rarest);
    const n = within(LENGTH - 20).size;
    if (hasRarest && n > most) [start, most] = [sentence, n];
    sentence += each.length + 1;
  }
  const isCut = start + LENGTH < text.length;
  const excerpt = text.slice(start, start + LENGTH).replace(/\S*$/, (end) => (isCut ? "" : end));
  const summary = document.createElement("p");
  summary.classList.add("context");
  let shown = 0;
  for (const { 0: word, index } of words.length ? excerpt.matchAll(wanted) : []) {
    summary.append(excerpt.slice(shown, index));
    const mark = summary.appendChild(document.createElement("span"));
    mark.className = "highlighted";
    mark.textContent = word;
    shown = index + word.length;
  }
  summary.append(excerpt.slice(shown), isCut ? "\u2026" : "");
  return summary;
};

// At most ten are shown, of however many there are.
if (typeof Documentation !== "undefined") {
  const ngettext = Documentation.ngettext;
  Documentation.ngettext = (one, many, n) =>
    many.startsWith("Search finished") ? "The best sections of the guide and the reference:" : ngettext(one, many, n);
}
