"""What the graph keeps of papers and citations as properties, whichever way they are loaded."""

from specter_graph.loaders.records import Citation, Paper

TEXTS = ("title", "abstract", "published", "language", "url", "source", "body")
IDENTIFIERS = {"doi": "doi", "arxiv": "arxiv_id", "pmid": "pubmed_id"}
"""Identifier schemes that are also properties, the first value of each."""

CITATION_PROPERTIES = ("intents", "influential", "contexts")

_OF_RECORD = (*(name for name in TEXTS if name != "abstract"), "year", "retracted")


def paper_properties(paper: Paper) -> dict[str, object]:
    """What a record says of its paper but for the abstract; None for what it does not say."""
    properties: dict[str, object] = {name: getattr(paper, name) for name in _OF_RECORD}
    properties.update(dict.fromkeys(IDENTIFIERS.values()))
    for identifier in reversed(paper.identifiers):
        if name := IDENTIFIERS.get(identifier.scheme):
            properties[name] = identifier.value
    return properties


def citation_properties(citation: Citation) -> dict[str, object]:
    """What is kept on the relationship; nothing that the source does not say."""
    values = list(citation.intents) or None, citation.influential, list(citation.contexts) or None
    told = zip(CITATION_PROPERTIES, values, strict=True)
    return {name: value for name, value in told if value is not None}
