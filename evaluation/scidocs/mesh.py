"""The 11 disease classes of the MeSH task, from MeSH descriptors.

The classes are those of Feldman et al. (2019), whom SPECTER follows (section 3.1): disease groups
of the Global Burden of Disease study. SciDocs publishes labels and not its map; this one gives each
class the descriptors that head it in the MeSH tree.
"""

from collections.abc import Collection, Iterable, Mapping

DISEASES = {
    "cardiovascular diseases": ("D002318",),
    "chronic kidney disease": ("D051436",),
    # asthma, COPD, pneumoconiosis, interstitial lung diseases
    "chronic respiratory diseases": ("D001249", "D029424", "D011009", "D017563"),
    "diabetes": ("D003920",),
    "digestive diseases": ("D004066",),
    "hepatitis": ("D006525",),  # viral, human: A, B, C, D and E
    "HIV/AIDS": ("D015658",),
    "mental disorders": ("D001523",),
    "musculoskeletal disorders": ("D009140",),
    "neoplasms": ("D009369",),
    "neurological disorders": ("D009422",),
}
"""The names of the classes and the descriptors (unique ids) that head them."""

_CLASS_OF = {head: name for name, heads in DISEASES.items() for head in heads}


def disease_classes(
    descriptors: Iterable[str], broader: Mapping[str, Collection[str]]
) -> frozenset[str]:
    """The classes of a paper that has these descriptors.

    `broader` gives the descriptors just above one in the tree, which may be several. Going up from
    a descriptor each path ends at the first head that it meets: viral hepatitis is hepatitis, and
    no other digestive disease. SciDocs' papers have one class each: a paper with two, or none,
    is not among them.
    """
    found: set[str] = set()
    seen: set[str] = set()
    ahead = list(descriptors)
    while ahead:
        descriptor = ahead.pop()
        if descriptor in seen:
            continue
        seen.add(descriptor)
        if descriptor in _CLASS_OF:
            found.add(_CLASS_OF[descriptor])
        else:
            ahead.extend(broader.get(descriptor, ()))
    return frozenset(found)
