"""The fields of BibTeX, of BibLaTeX, and of the programs that write .bib files."""

_INHERITED = """
author booktitle crossref date hyphenation journal journaltitle langid language month publisher
subtitle title xdata year
"""
_OWN = """
abstract annotation annote archiveprefix biburl doi eprint eprintclass eprinttype howpublished isbn
keyword keywords note number pmcid pmid primaryclass url volume
"""
_BIBTEX = """
address chapter edition editor email institution key organization pages school series type
"""
_BIBLATEX = """
addendum afterword annotator archive archivekey author+an authortype bookauthor bookpagination
booksubtitle booktitleaddon commentator day doi+an editora editorb editorc editortype entryset
entrysubtype eventdate eventtitle eventtitleaddon execute file foreword gender holder
ids indexsorttitle indextitle introduction isan ismn isrn issn issue issuesubtitle issuetitle iswc
journalsubtitle journaltitleaddon label langidopts library location mainsubtitle maintitle
maintitleaddon nameaddon options origdate origlanguage origlocation origpublisher origtitle
pagetotal pagination part presort pubstate related relatedoptions relatedstring relatedtype
reprinttitle shortauthor shorteditor shorthand shorthandintro shortjournal shortseries shorttitle
sortkey sortname sortshorthand sorttitle sortyear titleaddon translator urldate urlday urlmonth
urlyear venue version volumes
"""
_PROGRAMS = """
accessed adsnote adsurl affiliation article-number author_keywords bibsource citation-key
citeulike-article-id collaboration comment contents copyright correspondence_address1 created
creationdate date-added date-modified dimensions document_type eissn eid funding groups intype
issue_date jabref journal-iso journalabbreviation keywords-plus lastchecked lccn mendeley-groups
modificationdate numpages owner pdf posted-at priority qualityassured ranking rating
read readstatus reportnumber research-areas rights searchtext size slaccitation source timestamp
times-cited unique-id username web-of-science-categories website
"""

INHERITED = frozenset(_INHERITED.split())
"""What an entry takes from the one that its `crossref` names, if it does not say it itself."""

USED = INHERITED | frozenset(_OWN.split())

DROPPED = frozenset((_BIBTEX + _BIBLATEX + _PROGRAMS).split())
"""What is known and not loaded."""

DROPPED_PREFIXES = ("bdsk-", "mendeley-", "jabref-", "user", "name", "list", "verb")
"""Of BibDesk, Mendeley and JabRef; and BibLaTeX's own fields for special purposes (usera, ...)."""
