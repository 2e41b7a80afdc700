"""Write small files under the names that pages of the documentation use."""

import gzip
import shutil
import tarfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from specter_graph.loaders.records import Author, Field, Paper, PaperText, Venue
from specter_graph.loaders.synthetic import synthetic_papers
from specter_graph.matching.evaluation import GoldPapers
from tests.docs.pages import ROOT
from tests.evaluation.scidocs_files import record, write_scidocs
from tests.matching.evaluation import gold_files

SAMPLES = ROOT / "tests" / "loaders" / "formats" / "samples"
NAMED = [
    *("hep-ph/9901001", "hep-ph/9810316", "hep-ph/0001001", "hep-ph/9810329", "hep-ph/9701390"),
    "10.18653/v1/2020.acl-main.207",
]
"""Ids of papers on the pages; they are given to the last papers, which cite others."""
AUTHOR, ANOTHER = "J. W. F. Valle", "A. Yu. Smirnov"
AUTHORS = [(), (Author(AUTHOR, AUTHOR),), (), (Author(ANOTHER, ANOTHER),)]
VENUES = ("JHEP", "PhysRevD")
FIELDS = ("astro-ph", "nucl-th", "hep-ex")

COPIES = {
    "acl-anthology/data/xml/P18.xml": "acl.P18.xml",
    "allofplos/article.xml": "jats.xml",
    "answer.xml": "pubmed.xml",
    "articles.xml": "jats.pmc-articleset.xml",
    "answers.jsonl": "s2_graph_papers.jsonl",
    "arxiv-metadata-oai-snapshot.json": "arxiv.jsonl",
    "batch.json": "s2_graph_batch.json",
    "crossref.jsonl.gz": "crossref.jsonl",
    "crossref-public-data/0.json.gz": "crossref.items.json",
    "d2025.bin": "labels.d2099.bin",
    "data.json": "s2_specter_data.json",
    "dblp_v14.json": "dblp.v13.json",
    "downloads/anthology.xml": "acl.xml",
    "downloads/library.bib": "bibtex.bib",
    "export.ris": "ris.ris",
    "feed.xml": "arxiv.atom.xml",
    "pubmed-coral-set.nbib": "nbib.nbib",
    "savedrecs.txt": "wos.txt",
    "scopus.csv": "csv.scopus.csv",
    "lens-export.csv": "csv.lens.csv",
    "Dimensions-Publication.csv": "csv.dimensions.csv",
    "library.xml": "endnote.xml",
    "tei/article.xml": "grobid.xml",
    "arXiv_src_2212_086.jsonl": "unarxive.jsonl",
    "index/index.csv": "opencitations.index.csv",
    "items.json": "zotero.json",
    "libraries.jsonl": "readers.jsonl",
    "library.bib": "bibtex.bib",
    "library.json": "csl.json",
    "meta/meta.csv": "opencitations.meta.csv",
    "metadata.json": "s2_specter_metadata.json",
    "metadata_0.jsonl.gz": "s2orc_metadata.jsonl",
    "oai/page.xml.gz": "arxiv.oai.xml",
    "openalex-works/updated_date=2024-01-01/part_000.gz": "openalex.jsonl",
    "papers/papers.gz": "s2_papers.jsonl",
    "abstracts/abstracts.gz": "s2_abstracts.jsonl",
    "citations/citations.gz": "s2_citations.jsonl",
    "pdf_parses_0.jsonl.gz": "s2orc_pdf_parses.jsonl",
    "pubmed25n0001.xml.gz": "pubmed.xml",
    "s2-corpus-000.gz": "s2orc_orc.jsonl",
    "views.csv.gz": "readers.log.csv",
    "works/part_000.gz": "openalex.jsonl",
    "works.jsonl": "crossref.jsonl",
}
TEXTS = {
    "labels.csv": "id,included\nhep-ph/9901001,1\nhep-ph/9810316,0\n",
    "mine.cypher": "MATCH (p:Paper WHERE p.year >= $from) RETURN p.id AS id LIMIT 3",
    "paper-mesh.csv": "paper,label,name\nhep-ph/9901001,C0027651,Neoplasms\n",
    "snomed.csv": "paper,snomed\nhep-ph/9901001,22298006\n",
    "umls.csv": "paper,umls\nhep-ph/9901001,C1\n",
    "parents/umls.csv": "id,name,parent\nC2,Animals,C1\n",
    "parents/snomed.csv": "id,name,parent\n22298006,Infarction,C1\n",
    "citations.csv": "citing,cited\nc2,c1\n",
    "papers.csv": "id,title\nc1,On corals\nc2,On algae\n",
    "specter/data.json": '{"w1": {"w2": {"count": 5}, "w3": {"count": 1}},'
    ' "w2": {"w4": {"count": 5}, "w1": {"count": 1}}}',
    "specter/metadata.json": orjson.dumps(
        {f"w{n}": {"paper_id": f"w{n}", "title": f"On worms {n}"} for n in range(1, 9)}
    ).decode(),
    "test.txt": "hep-ph/9901001\n",
    "val.txt": "hep-ph/9810316\n",
    "specter/train.txt": "w1\n",
    "specter/val.txt": "w2\n",
}


SUBMITTED = range(14, 18)
REVIEWERS = {
    "Ann_Smith1": range(20, 30),
    "Bob_Jones1": range(30, 40),
    "Cyd_Lee1": range(40, 50),
    "Dan_Wu1": range(50, 60),
}


def papers(count: int) -> list[Paper]:
    """Return the first papers of the demo; the last ones have the ids that the pages use.

    Abstracts are shortened. Two authors wrote every second paper, alternately.
    """
    created = list(synthetic_papers(count))
    names = dict(zip((each.id for each in created[-len(NAMED) :]), NAMED, strict=True))
    return [
        replace(
            each,
            id=names.get(each.id, each.id),
            abstract=(each.abstract or "")[:60],
            references=tuple(names.get(cited, cited) for cited in each.references),
            venue=Venue(venue := VENUES[number % 2], venue),
            fields=(Field("keyword", field := FIELDS[number % 3], field),),
            authors=(*each.authors, *AUTHORS[number % 4]),
        )
        for number, each in enumerate(created)
    ]


def write_page_files(folder: Path, corpus: list[Paper]) -> None:
    """Write all files into a folder."""
    for name, sample in COPIES.items():
        _write(folder / name, (SAMPLES / sample).read_bytes())
    for name, text in TEXTS.items():
        _write(folder / name, text.encode())
    _write(folder / "same-authors.csv", f'"{corpus[0].authors[0].id}","{AUTHOR}"\n'.encode())
    lines = _lines(map(_record, corpus))
    for name in ("papers", "papers-2026", "citeulike"):
        _write(folder / f"{name}.jsonl.gz", lines)
    _write(folder / "more.jsonl", lines)
    with tarfile.open(folder / "oa_comm_xml.PMC000xxxxxx.baseline.2025.tar.gz", "w:gz") as file:
        file.add(SAMPLES / "jats.xml", "PMC000xxxxxx/PMC1.xml")
    pq.write_table(pa.table({"id": ["c1"], "title": ["On corals"]}), folder / "papers.parquet")
    pq.write_table(pa.table({"citing": ["c1"], "cited": ["c2"]}), folder / "citations.parquet")
    entries = (f"@article{{a{n}, title={{{corpus[n].title}}}}}\n" for n in (20, 60, 90))
    _write(folder / "mine.bib", "".join(entries).encode())
    draft = r"\title{Coral reefs} \cite{a20,a60} \bibliography{mine}"
    _write(folder / "draft.tex", draft.encode())
    _write_venue(folder, corpus)
    _write_scidocs(folder)
    _write_usage(folder, corpus)


def _write_venue(folder: Path, corpus: list[Paper]) -> None:
    papers = GoldPapers(
        {
            str(n): PaperText(str(n), f"{corpus[n].title} again", corpus[n].abstract)
            for n in SUBMITTED
        },
        {
            reviewer: tuple(PaperText(f"note{n}", corpus[n].title, corpus[n].abstract) for n in of)
            for reviewer, of in REVIEWERS.items()
        },
    )
    for place in (folder, folder / "d_20_1"):
        gold_files.write_papers(papers, place)
    ratings = {reviewer: {"14": 2.0 + n, "15": 1.0} for n, reviewer in enumerate(REVIEWERS)}
    gold_files.write_evaluations(ratings, folder / "evaluations.csv")
    _write(folder / "affiliations.csv", b"person,institution,until\n~Ann_Smith1,mit.edu,\n")
    _write(folder / "relations.csv", b"person,other\n~Ann_Smith1,J. W. F. Valle\n")
    _write(folder / "institutions.csv", b"institution,same_as\ndeepmind.com,google.com\n")
    _write(folder / "chairs.csv", b"id,role\nJ. W. F. Valle,area chair\n")


def _write_scidocs(folder: Path) -> None:
    vectors = write_scidocs(folder / "data")
    for name in ("cls", "recomm"):
        shutil.copy(vectors[name], folder / f"{name}.jsonl")
    paper_ids = [orjson.loads(line)["paper_id"] for line in vectors["user-citation"].open()]
    texts = {paper: record(paper) for paper in paper_ids}
    _write(folder / "data" / "paper_metadata_view_cite_read.json", orjson.dumps(texts))


def _write_usage(folder: Path, corpus: list[Paper]) -> None:
    """Write the readings of thirty readers, to whom the same two papers were shown in either order.

    Two of three lists are interleaved from two spaces. All readers but one click.
    """
    at = {"at": "2027-01-01T00:00:00+00:00"}
    events, readings = [], []
    shown = [corpus[1].id, corpus[2].id]
    for person in range(30):
        key = {**at, "session": f"s{person}"}
        seen = {"list": f"l{person}", "page": "similar", "query": corpus[0].id}
        order = shown if person % 2 else shown[::-1]
        other, place = "sgc" if person % 3 else "specter", person // 2 % 2
        read = [corpus[(7 * person + step) % 40].id for step in range(5)]
        events += [
            {**key, **seen, "shown": order, "spaces": ["specter", other]},
            *[{**key, "list": f"l{person}", "place": place, "clicked": order[place]}][
                person == 3 :
            ],
            *({**key, "opened": paper} for paper in read),
        ]
        readings += [{"reader": str(4700 + person), "paper": paper} for paper in read]
    _write(folder / "use.jsonl", _lines(events))
    _write(folder / "readers.jsonl", _lines(readings))


def _lines(records: Iterable[object]) -> bytes:
    return b"".join(orjson.dumps(each) + b"\n" for each in records)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def _record(paper: Paper) -> dict[str, object]:
    return {
        "id": paper.id,
        "title": paper.title,
        "abstract": paper.abstract,
        "year": paper.year,
        "authors": [each.name for each in paper.authors],
        "venue": paper.venue and paper.venue.name,
        "fields": [each.name for each in paper.fields],
        "references": paper.references,
    }
