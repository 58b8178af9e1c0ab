// Sphinx's own search finds pages that have all words of a query. This adds sections whose titles have some of them.

// Words and phrases that people use, and the words that the pages use
const SYNONYMS = {
  "1.0": "surprising", "50-95": "detection", accurate: "simulations wrong", alert: "monitoring",
  alerting: "monitoring", alerts: "alerts day", ap50: "detection", ar: "detection", "ar@100": "detection",
  "auc(recall,": "auc-pr", aucpr: "auc-pr", auprc: "auc-pr", bibtex: "cite", bonferroni: "several comparisons",
  bootstrap: "confidence interval", budget: "alerts day", "case-control": "subsampled", ci: "confidence interval",
  citation: "cite", "class balance": "fraction positives", classifiers: "models", click: "recommenders",
  clicks: "recommenders", coco: "detection", collaborative: "recommenders", cost: "money", coverage: "simulations",
  cross_val_score: "scorers", cuda: "gpu", dashboard: "monitoring", datasets: "data sets", ddp: "processes",
  degradation: "drop value", delong: "roc auc interval", different: "differ", distributed: "processes",
  drop: "replace scikit-learn", fairness: "segments", "false positive": "threshold target", fpr: "threshold",
  gains: "hit curve", github: "contribute", gridsearchcv: "grid search", hyperparameter: "grid", imbalanced: "choose",
  install: "quick start", iou: "detection", "labels instead": "surprising", license: "contribute", lift: "hit curve",
  map50: "detection", "map50-95": "detection", "map@0.5": "detection", "map@0.5:0.95": "detection",
  masks: "detection", mcnemar: "compare two models", "mean average precision at": "map@k",
  multithreading: "several cores", "no positive": "error messages positives",
  "non-inferiority": "equivalent no worse", noninferiority: "equivalent no worse", normalize: "fraction positives",
  normalized: "fraction positives", npv: "threshold", order: "ties", parallel: "several cores",
  parquet: "tables large", ppv: "threshold", "pr-auc": "auc-pr", prauc: "auc-pr",
  "precision at recall": "target threshold", prevalence: "fraction positives", pvalue: "p-value", pyspark: "spark",
  pytrec_eval: "search engines rag", qrels: "search engines", random: "chance", ranx: "search engines rag",
  "recall at precision": "target threshold", recommender: "recommenders", recsys: "recommenders",
  regression: "drop value", "row order": "ties equal scores", save: "use", segmentation: "detection",
  sensitivity: "threshold rates", significance: "p-value", significant: "p-value", sklearn: "scikit-learn",
  slice: "segments", slices: "segments", "standard error": "confidence interval", starts: "start",
  std: "standard deviations", subgroup: "segments", subgroups: "segments", tensor: "gpu", tensors: "gpu",
  threads: "several cores", trapezoidal: "auc-pr", trec_eval: "search engines rag", ultralytics: "yolo",
  unbalanced: "choose", undersampling: "subsampled", voc: "pascal voc", "vs auc": "auc-pr",
  "weighted average": "macro micro weighted", yolo: "detection",
};

// Words of queries that lead nowhere
const IGNORED = [
  "changes", "classifier", "deep", "filtering", "forest", "gets", "precision)", "replacement", "samples",
  "statistical", "variance", "versus", "vs",
];

const PHRASES = Object.keys(SYNONYMS).filter((words) => words.includes(" "));

function translate(query) {
  const text = PHRASES.reduce((before, phrase) => before.replace(phrase, SYNONYMS[phrase]), query);
  const words = text.split(/\s+/).filter((word) => !IGNORED.includes(word));
  return words.map((word) => SYNONYMS[word] ?? word).join(" ");
}

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
  Search._parseQuery = (query) => parseQuery(translate(query.toLowerCase()));
  Search.performTermsSearch = (stems, excluded) => {
    // Sphinx gives a page the score of its best word, and all titles have "average precision".
    const pages = findPages(stems, excluded).map((found) => found.with(4, Scorer.term));
    const hasAll = new Set(pages.map(([page]) => page));
    const sections = findSections([...stems]).map((found) => found.with(4, found[4] + (hasAll.has(found[0]) ? Scorer.term : 0)));
    return [...pages, ...sections];
  };
  Scorer.objNameMatch = 100; // Who types the name of a function wants its page first.
  Scorer.score = ([page, , , , score, , kind]) => (isAfterGuide(page) && kind !== SearchResultKind.object ? score / 2 : score);
}
