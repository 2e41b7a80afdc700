"""One spelling for languages: ISO 639-1 codes, as the detector of the filters gives them."""

_NAMES = {
    "aa": "aar afar", "ab": "abk abkhazian", "ae": "ave avestan", "af": "afr afrikaans",
    "ak": "aka akan", "am": "amh amharic", "an": "arg aragonese", "ar": "ara arabic",
    "as": "asm assamese", "av": "ava avaric", "ay": "aym aymara", "az": "aze azerbaijani",
    "ba": "bak bashkir", "be": "bel belarusian", "bg": "bul bulgarian", "bh": "bih",
    "bi": "bis bislama", "bm": "bam bambara", "bn": "ben bengali", "bo": "tib bod tibetan",
    "br": "bre breton", "bs": "bos bosnian", "ca": "cat catalan", "ce": "che chechen",
    "ch": "cha chamorro", "co": "cos corsican", "cr": "cre cree", "cs": "cze ces czech",
    "cu": "chu", "cv": "chv chuvash", "cy": "wel cym welsh", "da": "dan danish",
    "de": "ger deu german ngerman austrian naustrian swissgerman nswissgerman deutsch",
    "dv": "div divehi dhivehi maldivian", "dz": "dzo dzongkha", "ee": "ewe", "el": "gre ell greek",
    "en": "eng english american usenglish british ukenglish canadian australian newzealand",
    "eo": "epo esperanto", "es": "spa spanish español espanol", "et": "est estonian",
    "eu": "baq eus basque", "fa": "per fas persian farsi", "ff": "ful fulah", "fi": "fin finnish",
    "fj": "fij fijian", "fo": "fao faroese",
    "fr": "fre fra french français francais acadian canadien", "fy": "fry", "ga": "gle irish",
    "gd": "gla gaelic", "gl": "glg galician", "gn": "grn guarani", "gu": "guj gujarati",
    "gv": "glv manx", "ha": "hau hausa", "he": "heb hebrew", "hi": "hin hindi", "ho": "hmo",
    "hr": "hrv croatian", "ht": "hat haitian", "hu": "hun hungarian magyar",
    "hy": "arm hye armenian", "hz": "her herero", "ia": "ina interlingua", "id": "ind indonesian",
    "ie": "ile interlingue occidental", "ig": "ibo igbo", "ii": "iii nuosu", "ik": "ipk inupiaq",
    "io": "ido", "is": "ice isl icelandic", "it": "ita italian italiano", "iu": "iku inuktitut",
    "ja": "jpn japanese", "jv": "jav javanese", "ka": "geo kat georgian", "kg": "kon kongo",
    "ki": "kik kikuyu gikuyu", "kj": "kua kuanyama kwanyama", "kk": "kaz kazakh",
    "kl": "kal kalaallisut greenlandic", "km": "khm", "kn": "kan kannada", "ko": "kor korean",
    "kr": "kau kanuri", "ks": "kas kashmiri", "ku": "kur kurdish", "kv": "kom komi",
    "kw": "cor cornish", "ky": "kir kirghiz kyrgyz", "la": "lat latin",
    "lb": "ltz luxembourgish letzeburgesch", "lg": "lug ganda",
    "li": "lim limburgan limburger limburgish", "ln": "lin lingala", "lo": "lao",
    "lt": "lit lithuanian", "lu": "lub", "lv": "lav latvian", "mg": "mlg malagasy",
    "mh": "mah marshallese", "mi": "mao mri maori", "mk": "mac mkd macedonian",
    "ml": "mal malayalam", "mn": "mon mongolian", "mr": "mar marathi", "ms": "may msa malay",
    "mt": "mlt maltese", "my": "bur mya burmese", "na": "nau nauru", "nd": "nde",
    "ne": "nep nepali", "ng": "ndo ndonga", "nl": "dut nld dutch",
    "no": "nor nb nob nn nno norwegian bokmål norsk nynorsk", "nr": "nbl",
    "nv": "nav navajo navaho", "ny": "nya chichewa chewa nyanja", "oc": "oci occitan provençal",
    "oj": "oji ojibwa", "om": "orm oromo", "or": "ori oriya", "os": "oss ossetian ossetic",
    "pa": "pan panjabi punjabi", "pi": "pli pali", "pl": "pol polish", "ps": "pus pushto pashto",
    "pt": "por portuguese português brazilian portuges brazil", "qu": "que quechua",
    "rm": "roh romansh", "rn": "run rundi", "ro": "rum ron romanian", "ru": "rus russian",
    "rw": "kin kinyarwanda", "sa": "san sanskrit", "sc": "srd sardinian", "sd": "snd sindhi",
    "se": "sme", "sg": "sag sango", "si": "sin sinhala sinhalese", "sk": "slo slk slovak slovakian",
    "sl": "slv slovene slovenian", "sm": "smo samoan", "sn": "sna shona", "so": "som somali",
    "sq": "alb sqi albanian", "sr": "srp serbian", "ss": "ssw swati", "st": "sot",
    "su": "sun sundanese", "sv": "swe swedish", "sw": "swa swahili", "ta": "tam tamil",
    "te": "tel telugu", "tg": "tgk tajik", "th": "tha thai", "ti": "tir tigrinya",
    "tk": "tuk turkmen", "tl": "tgl tagalog", "tn": "tsn tswana", "to": "ton tonga",
    "tr": "tur turkish", "ts": "tso tsonga", "tt": "tat tatar", "tw": "twi", "ty": "tah tahitian",
    "ug": "uig uighur uyghur", "uk": "ukr ukrainian", "ur": "urd urdu", "uz": "uzb uzbek",
    "ve": "ven venda", "vi": "vie vietnamese", "vo": "vol volapük", "wa": "wln walloon",
    "wo": "wol wolof", "xh": "xho xhosa", "yi": "yid yiddish", "yo": "yor yoruba",
    "za": "zha zhuang chuang", "zh": "chi zho chinese", "zu": "zul zulu",
}  # fmt: skip
"""ISO 639-2 codes of both kinds, English names, and the names that BibLaTeX and babel use; the two
Norwegians are one language."""

_CODES = {name: code for code, names in _NAMES.items() for name in (code, *names.split())}


def language_code(value: str) -> str:
    """The ISO 639-1 code of a language: "en" for "eng", "english" and "en-GB".

    What is not known stands as it is, in lower case.
    """
    written = value.strip().lower()
    return _CODES.get(written) or _CODES.get(written.replace("_", "-").split("-")[0]) or written
