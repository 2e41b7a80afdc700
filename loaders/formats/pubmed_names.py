"""The elements of PubMed's DTD of 2025, so that any other can be told."""

MAPPED = frozenset({
    "Abstract", "AbstractText", "Affiliation", "AffiliationInfo", "Article", "ArticleDate",
    "ArticleId", "ArticleIdList", "ArticleTitle", "Author", "AuthorList", "b", "Book",
    "BookDocument", "BookTitle", "Chemical", "ChemicalList", "CollectiveName",
    "CommentsCorrections", "CommentsCorrectionsList", "ContributionDate", "Day", "DeleteCitation",
    "DeleteDocument", "DescriptorName", "DispFormula", "ELocationID", "ForeName", "i",
    "Identifier", "Initials", "Isbn", "ISOAbbreviation", "Journal", "JournalIssue", "Keyword",
    "KeywordList", "Language", "LastName", "MedlineCitation", "MedlineDate", "MedlineJournalInfo",
    "MedlineTA", "MeshHeading", "MeshHeadingList", "Month", "NameOfSubstance", "NlmUniqueID",
    "OtherAbstract", "PMID", "PubDate", "PublicationType", "PublicationTypeList", "PubmedArticle",
    "PubmedBookArticle", "PubmedBookData", "PubmedData", "QualifierName", "Reference",
    "ReferenceList", "sub", "Suffix", "sup", "SupplMeshList", "SupplMeshName", "Title", "u",
    "VernacularTitle", "Year",
})  # fmt: skip

DROPPED = frozenset({
    "AccessionNumber", "AccessionNumberList", "Acronym", "Agency", "BeginningDate", "Citation",
    "CitationSubset", "CoiStatement", "CollectionTitle", "CopyrightInformation", "Country",
    "DataBank", "DataBankList", "DataBankName", "DateCompleted", "DateCreated", "DateRevised",
    "Edition", "EndingDate", "EndPage", "GeneralNote", "GeneSymbol", "GeneSymbolList", "Grant",
    "GrantID", "GrantList", "History", "Hour", "Investigator", "InvestigatorList", "ISSN",
    "ISSNLinking", "Issue", "Item", "ItemList", "LocationLabel", "Medium", "MedlinePgn", "Minute",
    "Note", "NumberOfReferences", "Object", "ObjectList", "OtherID", "Pagination", "Param",
    "PersonalNameSubject", "PersonalNameSubjectList", "PublicationStatus", "Publisher",
    "PublisherLocation", "PublisherName", "PubMedPubDate", "RefSource", "RegistryNumber",
    "ReportNumber", "Season", "Second", "Section", "Sections", "SectionTitle",
    "SpaceFlightMission", "StartPage", "URL", "Volume", "VolumeTitle",
})  # fmt: skip
