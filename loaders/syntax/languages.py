"""One spelling for languages: ISO 639-1 codes, as the detector of the filters gives them."""

_NAMES = {
    "ar": "ara arabic", "bg": "bul bulgarian", "ca": "cat catalan", "cs": "cze ces czech",
    "da": "dan danish",
    "de": "ger deu german ngerman austrian naustrian swissgerman nswissgerman deutsch",
    "el": "gre ell greek",
    "en": "eng english american usenglish british ukenglish canadian australian newzealand",
    "es": "spa spanish español espanol", "et": "est estonian", "fa": "per fas persian farsi",
    "fi": "fin finnish", "fr": "fre fra french français francais acadian canadien",
    "he": "heb hebrew", "hi": "hin hindi", "hr": "hrv croatian", "hu": "hun hungarian magyar",
    "id": "ind indonesian", "it": "ita italian italiano", "ja": "jpn japanese",
    "ko": "kor korean", "lt": "lit lithuanian", "lv": "lav latvian", "nl": "dut nld dutch",
    "no": "nor norwegian nob bokmål norsk nynorsk nno", "pl": "pol polish",
    "pt": "por portuguese português brazilian portuges brazil", "ro": "rum ron romanian",
    "ru": "rus russian", "sk": "slo slk slovak slovakian", "sl": "slv slovene slovenian",
    "sr": "srp serbian", "sv": "swe swedish", "th": "tha thai", "tr": "tur turkish",
    "uk": "ukr ukrainian", "vi": "vie vietnamese", "zh": "chi zho chinese",
}  # fmt: skip
"""ISO 639-2 codes, English names, and the names that BibLaTeX and babel use."""

_CODES = {name: code for code, names in _NAMES.items() for name in (code, *names.split())}


def language_code(value: str) -> str:
    """The ISO 639-1 code of a language: "en" for "eng", "english" and "en-GB".

    What is not known stands as it is, in lower case.
    """
    written = value.strip().lower()
    return _CODES.get(written) or _CODES.get(written.replace("_", "-").split("-")[0]) or written
