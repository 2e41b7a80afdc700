"""Ids of institutions in files of venues: ROR ids and the domains of web and e-mail addresses."""

import re

_ROR = re.compile(r"(?:https?://)?(?:ror\.org/|ror:)?(0[a-hj-km-np-tv-z0-9]{6}\d{2})/?", re.I)
_DOMAIN = re.compile(r"(?:https?://)?(?:[^\s@/]+@)?((?:[\w-]+\.)+[a-z]{2,})(?:/\S*)?", re.I)

_SECOND_LEVEL = {"ac", "co", "com", "edu", "gob", "gouv", "gov", "go", "net", "or", "org", "sch"}
"""Labels before the label of a country that belong to no institution: ox.ac.uk, tsinghua.edu.cn."""

MAIL_PROVIDERS = {
    *("126.com", "139.com", "163.com", "aol.com", "duck.com", "fastmail.com", "foxmail.com"),
    *("gmail.com", "gmx.com", "gmx.de", "gmx.net", "googlemail.com", "hanmail.net", "hey.com"),
    *("hotmail.com", "icloud.com", "live.com", "mac.com", "mail.com", "mail.ru", "me.com"),
    *("msn.com", "naver.com", "outlook.com", "pm.me", "proton.me", "protonmail.com", "qq.com"),
    *("rediffmail.com", "sina.com", "tutanota.com", "web.de", "yahoo.co.in", "yahoo.co.jp"),
    *("yahoo.co.uk", "yahoo.com", "yahoo.com.cn", "yahoo.fr", "yandex.com", "yandex.ru"),
    *("yeah.net", "zoho.com"),
}
"""Domains of e-mail addresses that say nothing about an institution."""


def institution_id(written: str) -> str | None:
    """Return the id of an institution, None for a text that is none and for a mail provider.

    `https://ror.org/042nb2s44` gives `ror:042nb2s44`; `ann@cs.ox.ac.uk`, `cs.ox.ac.uk` and
    `https://www.ox.ac.uk/about` give `domain:ox.ac.uk`: subdomains belong to their institution.
    """
    written = written.strip()
    if ror := _ROR.fullmatch(written):
        return f"ror:{ror[1].lower()}"
    if not (match := _DOMAIN.fullmatch(written)):
        return None
    labels = match[1].lower().split(".")
    is_under_country = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL
    domain = ".".join(labels[-3 if is_under_country else -2 :])
    return None if domain in MAIL_PROVIDERS else f"domain:{domain}"


def is_mail_provider(written: str) -> bool:
    """Return true for an address whose domain is in `MAIL_PROVIDERS`."""
    match = _DOMAIN.fullmatch(written.strip())
    return bool(match) and institution_id(written) is None
