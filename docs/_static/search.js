/* Pages that don't have all words of a query are found, too: the more and the rarer words a page has,
   the higher it is. Sphinx only lists pages with all of them.

   Titles and entries of the index count more than the text, and the heading that has most of the
   words is linked. An exact title or entry stays above everything, as Sphinx ranks it. */

const RankedSearch = {
  stemmed: (text) => {
    const stemmer = new Stemmer();
    const words = splitQuery(text.toLowerCase()).filter((word) => !stopwords.has(word));
    return words.map((word) => stemmer.stemWord(word));
  },

  // How often the reader of a page of this kind wanted another one
  weight: (page) =>
    page.startsWith("generated/") || page.startsWith("auto_examples/") ? 0.6
      : ["changelog", "contributing", "api", "genindex"].includes(page) ? 0.4
        : 1,

  // The words of each heading and of the index entries below it
  headings: () => {
    if (RankedSearch.found) return RankedSearch.found;
    const { alltitles, indexentries } = Search._index;
    const found = new Map();
    const add = (text, file, anchor) => {
      const key = `${file}#${anchor ?? ""}`;
      if (!found.has(key)) found.set(key, { file, anchor: anchor ?? "", words: new Set(), title: "" });
      RankedSearch.stemmed(text).forEach((word) => found.get(key).words.add(word));
      return found.get(key);
    };
    for (const [title, places] of Object.entries(alltitles))
      places.forEach(([file, anchor]) => (add(title, file, anchor).title = title));
    for (const [entry, places] of Object.entries(indexentries))
      places.forEach(([file, anchor, isMain]) => isMain && add(entry, file, anchor));
    return (RankedSearch.found = [...found.values()]);
  },

  // The pages that have a word in their text, or else a longer word that begins with it
  pagesWith: (word) => {
    const { terms } = Search._index;
    const same = Object.hasOwn(terms, word) ? [word] : [];
    const longer = Object.keys(terms).filter((term) => word.length > 3 && term.startsWith(word));
    return new Set((same.length ? same : longer).flatMap((term) => terms[term]));
  },

  rank: (searchTerms, excludedTerms) => {
    const { docnames, filenames, titles } = Search._index;
    const headings = RankedSearch.headings();
    const excluded = [...excludedTerms].map(RankedSearch.pagesWith);
    const scores = new Array(docnames.length).fill(0);
    const best = new Map();
    for (const word of searchTerms) {
      const pages = RankedSearch.pagesWith(word);
      const inHeading = headings.filter((each) => each.words.has(word));
      inHeading.forEach((each) => pages.add(each.file));
      const rarity = Math.log(1 + docnames.length / (1 + pages.size));
      pages.forEach((page) => (scores[page] += rarity));
      new Set(inHeading.map((each) => each.file)).forEach((page) => (scores[page] += rarity));
      inHeading.forEach((each) => best.set(each, (best.get(each) ?? 0) + rarity));
    }
    const most = Math.max(...scores, 1);
    const results = [];
    docnames.forEach((name, page) => {
      if (!scores[page] || excluded.some((pages) => pages.has(page))) return;
      const [heading] = headings
        .filter((each) => each.file === page && best.has(each))
        .sort((a, b) => best.get(b) / b.words.size ** 0.25 - best.get(a) / a.words.size ** 0.25);
      const isPart = heading && heading.anchor && heading.title !== titles[page];
      results.push([
        name,
        isPart && heading.title ? `${titles[page]} > ${heading.title}` : titles[page],
        isPart ? `#${heading.anchor}` : "",
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
