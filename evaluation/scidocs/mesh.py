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

    `broader` gives the descriptors just above one in the tree, which may be several. Of the heads
    above a descriptor those count that are above no other of them: chronic hepatitis B, a viral
    hepatitis and a liver disease, is hepatitis and no other digestive disease. SciDocs' papers have
    one class each: a paper with two, or none, is not among them.
    """
    found: set[str] = set()
    for descriptor in descriptors:
        heads = _CLASS_OF.keys() & _upwards(descriptor, broader)
        wider = {above for head in heads for above in _upwards(head, broader) if above != head}
        found.update(_CLASS_OF[head] for head in heads - wider)
    return frozenset(found)


def _upwards(descriptor: str, broader: Mapping[str, Collection[str]]) -> set[str]:
    """The descriptor and all above it."""
    seen: set[str] = set()
    ahead = [descriptor]
    while ahead:
        each = ahead.pop()
        if each not in seen:
            seen.add(each)
            ahead.extend(broader.get(each, ()))
    return seen
