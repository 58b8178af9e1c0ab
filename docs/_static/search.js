/* Pages that don't have all words of a query are found, too: the more and the rarer words a page has,
   the higher it is. Sphinx only lists pages with all of them.

   A word counts more where it's in a title or an entry of the index, above all if the query has the
   other words of that title or entry, too: the heading of the best one is linked. An exact title or
   entry stays above everything, as Sphinx ranks it. Names of one thing count as one word, and each
   place is listed once. */

const RankedSearch = {
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
      const [best] = phrases
        .filter((each) => each.file === page && each.score)
        .sort((a, b) => b.score - a.score);
      const isPart = best && best.anchor && best.title !== titles[page];
      results.push([
        name,
        isPart && best.title ? `${titles[page]} > ${best.title}` : titles[page],
        isPart ? `#${best.anchor}` : "",
        null,
        (15 * RankedSearch.weight(name) * scores[page]) / most,
        filenames[page],
        SearchResultKind.text,
      ]);
    });
    return results.sort((a, b) => b[4] - a[4]).slice(0, 30);
  },
};

Search.performTermsSearch = RankedSearch.rank;

const ofSphinx = Search._performSearch;
Search._performSearch = (text, ...words) => {
  const places = new Set();
  RankedSearch.numbers = RankedSearch.integers(text);
  // The last one is shown first.
  const results = ofSphinx(text, ...words).reverse().filter(([name, , anchor]) => {
    const place = name + anchor;
    return !places.has(place) && places.add(place);
  });
  return results.reverse();
};
