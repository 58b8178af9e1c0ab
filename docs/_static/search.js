/* Pages that don't have all words of a query are found, too: the more and the rarer words a page has,
   the higher it is. Sphinx only lists pages with all of them.

   A word counts more where it's in a title or an entry of the index, above all if the query has the
   other words of that title or entry, too: the headings of the best two are linked. An exact title or
   entry stays above everything, as Sphinx ranks it. Names of one thing count as one word, each place
   is listed once, and a page at most twice among ten places. */

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
    ["precision-recall curve", "pr curve", "prc"],
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

  // Sphinx leaves numbers out of the words of a query. 1.0 is one, but 0.42 and 1% are of no help.
  integers: (text) => text.replace(/\.0\b/g, "").match(/(?<![\w.])\d+(?![\d.%])/g) ?? [],

  // How often the reader of a page of this kind wanted another one
  weight: (page) =>
    page.startsWith("generated/") || page.startsWith("auto_examples/") ? 0.6
      : ["changelog", "contributing", "api", "genindex", "sg_execution_times"].includes(page) ? 0.4
        : 1,

  // The words of each title and each entry of the index
  phrases: () => {
    if (RankedSearch.found) return RankedSearch.found;
    const { alltitles, indexentries } = Search._index;
    const found = [];
    const add = (text, file, anchor, title) => {
      const words = RankedSearch.renamed(RankedSearch.stemmed(text));
      if (words.size) found.push({ file, anchor: anchor ?? "", title, words });
    };
    for (const [title, places] of Object.entries(alltitles))
      places.forEach(([file, anchor]) => add(title, file, anchor, title));
    const titles = new Map(found.map((each) => [`${each.file}#${each.anchor}`, each.title]));
    for (const [entry, places] of Object.entries(indexentries))
      places.forEach(([file, anchor, isMain]) => {
        if (isMain) add(entry, file, anchor, titles.get(`${file}#${anchor ?? ""}`) ?? "");
      });
    return (RankedSearch.found = found);
  },

  // The pages that have a word in their text, or else a longer word that begins with it
  pagesWith: (word) => {
    const { terms } = Search._index;
    const same = Object.hasOwn(terms, word) ? [word] : [];
    const longer = Object.keys(terms).filter((term) => word.length > 3 && term.startsWith(word));
    return new Set((same.length ? same : longer).flatMap((term) => terms[term]));
  },

  rank: (searched, excludedTerms) => {
    const { docnames, filenames, titles } = Search._index;
    const searchTerms = RankedSearch.renamed([...searched, ...RankedSearch.numbers]);
    const excluded = [...excludedTerms].map(RankedSearch.pagesWith);
    const scores = new Array(docnames.length).fill(0);
    const phrases = RankedSearch.phrases().map((each) => {
      const words = [...each.words].filter((word) => searchTerms.has(word));
      return { ...each, found: words, fraction: words.length / each.words.size, score: 0 };
    });
    for (const word of searchTerms) {
      const pages = RankedSearch.pagesWith(word);
      const inPhrase = phrases.filter((each) => each.found.includes(word));
      inPhrase.forEach((each) => pages.add(each.file));
      const rarity = Math.log(1 + docnames.length / (1 + pages.size));
      const fractions = new Map();
      inPhrase.forEach((each) => {
        each.score += rarity * each.fraction;
        fractions.set(each.file, Math.max(fractions.get(each.file) ?? 0, each.fraction));
      });
      pages.forEach((page) => {
        scores[page] += rarity * (1 + 1.5 * (fractions.get(page) ?? 0));
      });
    }
    const most = Math.max(...scores, 1);
    const results = [];
    docnames.forEach((name, page) => {
      if (!scores[page] || excluded.some((pages) => pages.has(page))) return;
      const places = new Map();
      for (const each of phrases.filter((each) => each.file === page && each.score)) {
        const found = places.get(each.anchor);
        if (!found || found.score < each.score) places.set(each.anchor, each);
      }
      const best = [...places.values()].sort((a, b) => b.score - a.score);
      const sections = best.filter((each) => each.score >= 0.7 * best[0].score).slice(0, 2);
      for (const [place, section] of (sections.length ? sections : [null]).entries()) {
        const isPart = section && section.anchor && section.title !== titles[page];
        results.push([
          name,
          isPart && section.title ? `${titles[page]} > ${section.title}` : titles[page],
          isPart ? `#${section.anchor}` : "",
          null,
          (15 * RankedSearch.weight(name) * scores[page] * 0.7 ** place) / most,
          filenames[page],
          SearchResultKind.text,
        ]);
      }
    });
    return results.sort((a, b) => b[4] - a[4]).slice(0, 2 * RankedSearch.MAX_RESULTS);
  },
};

Search.performTermsSearch = RankedSearch.rank;

const performSearchOfSphinx = Search._performSearch;
Search._performSearch = (text, ...words) => {
  const places = new Set(), listed = {};
  RankedSearch.numbers = RankedSearch.integers(text);
  // The last one is shown first.
  const results = performSearchOfSphinx(text, ...words).reverse().filter(([name, , anchor]) => {
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

// The sentences of a section without its code, in which cells of tables stand apart.
RankedSearch.sentencesOf = (html, anchor) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  const main = page.querySelector("article") ?? page.body;
  const section = (anchor && main.querySelector(`[id="${anchor.slice(1)}"]`)) || main;
  const hidden =
    ".headerlink, script, style, pre, math, thead, .cell_output, .admonition, h1, h2, h3, dt.sig";
  section.querySelectorAll(hidden).forEach((each) => each.remove());
  section.querySelectorAll("td + td").forEach((each) => each.prepend(" \u00b7 "));
  section.querySelectorAll("tr, li, :not(td) > p, dt, dd").forEach((each) => each.append(" \u241e "));
  const blocks = section.textContent.replace(/\s+/g, " ").split("\u241e");
  const endOfSentence = /(?<=[.?!]["')]?) (?=[\p{Lu}"'(])/u;
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
  // The excerpt begins with a sentence, of those with the most different words with the first.
  const LENGTH = 240;
  let start = 0, most = 0, sentence = 0;
  for (const each of sentences) {
    const near = hits.filter(({ index }) => index >= sentence && index < sentence + LENGTH - 20);
    const n = new Set(near.map((hit) => hit.slice(1).findIndex((group) => group !== undefined))).size;
    if (n > most) [start, most] = [sentence, n];
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
