// Sphinx's own search finds pages that have all words of a query. This adds sections whose titles have some of them.

// Words that people use, and the words that the pages use
const SYNONYMS = {
  "1.0": "surprising", "50-95": "detection", ap50: "detection", ar: "detection", coco: "detection", iou: "detection",
  map50: "detection", "map50-95": "detection", ultralytics: "yolo", voc: "pascal voc", yolo: "detection",
  alerts: "alerts day", aucpr: "auc-pr", auprc: "auc-pr", bibtex: "cite", bonferroni: "several comparisons",
  bootstrap: "confidence interval", budget: "alerts day", "case-control": "subsampled", ci: "confidence interval",
  citation: "cite", cost: "money", cross_val_score: "scorers", deep: "", delong: "roc auc interval", different: "differ",
  drop: "replace scikit-learn", gains: "hit curve", github: "contribute", hyperparameter: "grid", imbalanced: "positives", install: "quick start",
  license: "contribute", lift: "hit curve", mcnemar: "compare two models", noninferiority: "equivalent no worse",
  "non-inferiority": "equivalent no worse", optuna: "search", "pr-auc": "auc-pr", prauc: "auc-pr",
  prevalence: "fraction positives", pvalue: "p-value", pyspark: "spark", qrels: "search engines", recommender: "recommenders",
  replacement: "", save: "use", sklearn: "scikit-learn", slice: "segments", subgroup: "segments",
  trapezoidal: "linear", unbalanced: "positives", undersampling: "subsampled", variance: "",
};

// Pages that stand after the guide, unless a function is searched by its name
const isAfterGuide = (page) => /^(api|auto_examples|changelog|contributing|differences|generated|method|results|sg_|trust|user_guide)/.test(page);

// All pages are about average precision, so these words tell none of them from others.
const isEverywhere = (stem) => stem === "averag" || stem === "precis";

const readStems = (text) =>
  splitQuery(text.toLowerCase())
    .filter((word) => !stopwords.has(word))
    .map((word) => new Stemmer().stemWord(word));

function findSections(stems) {
  const { alltitles, docnames, filenames, titles } = Search._index;
  const rare = stems.filter((stem) => !isEverywhere(stem));
  const wanted = rare.length ? rare : stems;
  const results = [];
  for (const [title, places] of Object.entries(alltitles)) {
    const own = readStems(title);
    for (const [file, id] of places) {
      const isPage = title === titles[file];
      const ofPage = readStems(titles[file]);
      const inTitle = wanted.filter((stem) => own.includes(stem)).length;
      const above = wanted.filter((stem) => !own.includes(stem) && ofPage.includes(stem)).length;
      if (!inTitle && !above) continue;
      const name = isPage ? title : `${titles[file]} > ${title}`;
      // A title counts as much as in Sphinx's search if it has all words, and a little more if it has few others.
      const score = (Scorer.title * (inTitle + 0.6 * above)) / wanted.length + (3 * inTitle) / own.length;
      results.push([docnames[file], name, isPage ? "" : `#${id}`, null, score, filenames[file], SearchResultKind.title]);
    }
  }
  return results;
}

if (typeof Search !== "undefined") {
  const parseQuery = Search._parseQuery;
  const findPages = Search.performTermsSearch;
  Search._parseQuery = (query) => parseQuery(query.split(/\s+/).map((word) => SYNONYMS[word.toLowerCase()] ?? word).join(" "));
  Search.performTermsSearch = (stems, excluded) => [...findPages(stems, excluded), ...findSections([...stems])];
  Scorer.objNameMatch = 100; // Who types the name of a function wants its page first.
  Scorer.score = ([page, , , , score, , kind]) => (isAfterGuide(page) && kind !== SearchResultKind.object ? score / 2 : score);
}
