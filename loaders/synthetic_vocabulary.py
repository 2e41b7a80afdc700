"""The words of the generated corpus: topics, what their subtopics study, sentences, names.

A concept is written as its synonyms between bars; a subtopic has three concepts of its own, and
shares the rest with the other subtopics of its topic. Every phrase fits where a noun phrase
without an article can stand, singular or plural: so the sentences have verbs in the past tense,
and none of "be".
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Topic:
    """A field of study; `subtopics` maps a name to its own concepts."""

    name: str
    subtopics: dict[str, tuple[str, ...]]
    shared: tuple[str, ...]
    methods: tuple[str, ...]
    places: tuple[str, ...]
    venue: str


TOPICS = (
    Topic(
        "glaciology",
        {
            "calving": (
                "iceberg calving|frontal ablation|ice loss at marine fronts",
                "terminus retreat|withdrawal of the ice front|frontal recession",
                "ice mélange|floating debris in the fjord|packed brash ice",
            ),
            "basal sliding": (
                "basal sliding|slip at the bed|movement over bedrock",
                "subglacial drainage|water flow beneath the ice|hidden channels",
                "till deformation|yielding of soft sediment|shear in the substrate",
            ),
            "surface melt": (
                "surface melt|ablation in summer|thaw of the upper layer",
                "albedo decline|darkening of the snow|loss of reflectivity",
                "firn densification|compaction of old snow|closing of pore space",
            ),
            "ice cores": (
                "ice cores|deep boreholes|layered archives",
                "isotope records|oxygen ratios|water isotope profiles",
                "trapped gas|ancient air bubbles|enclosed atmosphere",
            ),
        },
        (
            "mass balance|the budget of the ice",
            "ice velocity|flow speed",
            "ocean heat|warm inflow",
            "snow accumulation|winter precipitation",
            "sea level|global ocean volume",
            "crevasse patterns|surface fractures",
        ),
        ("radar altimetry", "time-lapse cameras", "a flow-line model", "seismic arrays"),
        ("western Greenland", "the Antarctic Peninsula", "the Southern Andes", "Svalbard"),
        "Journal of Ice and Snow",
    ),
    Topic(
        "reef ecology",
        {
            "bleaching": (
                "coral bleaching|loss of symbionts|whitening of colonies",
                "marine heatwaves|prolonged warm anomalies|extreme water temperatures",
                "thermal tolerance|resistance to heat|upper temperature limits",
            ),
            "grazing": (
                "herbivorous fish|grazers|parrotfish and surgeonfish",
                "algal turf|filamentous overgrowth|mats of small seaweed",
                "phase shifts|abrupt changes of regime|replacement of coral by macroalgae",
            ),
            "recruitment": (
                "larval settlement|arrival of juveniles|recruitment of spat",
                "larval dispersal|drift of propagules|connectivity between populations",
                "crustose algae|settlement cues|encrusting substrate",
            ),
            "calcification": (
                "skeletal growth|calcification|carbonate accretion",
                "ocean acidification|declining pH|falling carbonate saturation",
                "bioerosion|boring by sponges|breakdown of the framework",
            ),
        },
        (
            "coral cover|live benthic area",
            "water quality|nutrient load",
            "reef resilience|capacity to recover",
            "storm damage|cyclone disturbance",
            "species richness|local diversity",
            "protected areas|no-take zones",
        ),
        ("underwater transects", "aquarium experiments", "photogrammetry", "environmental DNA"),
        ("the Coral Triangle", "the Red Sea", "French Polynesia", "the Mesoamerican Reef"),
        "Reef Studies",
    ),
    Topic(
        "urban transport",
        {
            "cycling": (
                "bicycle commuting|trips by bike|everyday cycling",
                "protected lanes|segregated cycle tracks|separated infrastructure",
                "shared bicycles|docking stations|public bike fleets",
            ),
            "congestion": (
                "road congestion|stop-and-go traffic|queues at peak hours",
                "congestion charging|road pricing|tolls for the inner city",
                "signal control|adaptive traffic lights|timing of intersections",
            ),
            "public transit": (
                "bus reliability|headway regularity|punctuality of services",
                "transfer penalties|interchange costs|waiting between lines",
                "crowding|passenger density|overloaded vehicles",
            ),
            "freight": (
                "parcel delivery|last-mile logistics|courier tours",
                "loading bays|kerb space for vans|unloading zones",
                "consolidation centres|micro-depots|shared urban warehouses",
            ),
        },
        (
            "travel demand|the number of trips",
            "land use|residential density",
            "air pollution|exhaust emissions",
            "car ownership|household motorisation",
            "travel time|journey duration",
            "road safety|collision risk",
        ),
        ("smart-card records", "a stated-choice survey", "agent-based simulation", "GPS traces"),
        ("Copenhagen", "Bogotá", "the Randstad", "Seoul"),
        "Transport and the City",
    ),
    Topic(
        "exoplanets",
        {
            "transits": (
                "transit photometry|periodic dimming|light-curve dips",
                "starspots|stellar surface inhomogeneities|dark photospheric regions",
                "timing variations|shifted mid-transit epochs|irregular ephemerides",
            ),
            "atmospheres": (
                "transmission spectra|absorption at the limb|wavelength-dependent radii",
                "high-altitude haze|photochemical aerosols|opaque upper clouds",
                "water vapour|molecular features of steam|infrared H2O bands",
            ),
            "formation": (
                "protoplanetary discs|circumstellar dust|young gas discs",
                "pebble accretion|growth from small solids|capture of drifting grains",
                "orbital migration|inward drift of planets|torques on young worlds",
            ),
            "habitability": (
                "habitable zones|temperate orbits|regions of liquid oceans",
                "stellar flares|bursts of ultraviolet light|magnetic outbursts",
                "tidal locking|synchronous rotation|permanent day sides",
            ),
        },
        (
            "planet radius|planetary size",
            "host star metallicity|heavy-element content",
            "orbital eccentricity|orbit shape",
            "radial velocities|Doppler signals",
            "atmospheric escape|loss of the envelope",
            "bulk density|interior composition",
        ),
        ("Bayesian retrieval", "space-based monitoring", "N-body integrations", "echelle spectra"),
        ("a sample of M dwarfs", "a nearby young cluster", "the Kepler field", "bright G stars"),
        "Annals of Distant Worlds",
    ),
    Topic(
        "batteries",
        {
            "lithium metal": (
                "lithium dendrites|needle-like deposits|filament growth",
                "solid electrolytes|ceramic separators|glassy ion conductors",
                "plating efficiency|reversible deposition|coulombic yield",
            ),
            "cathodes": (
                "layered oxides|nickel-rich cathodes|transition-metal positive electrodes",
                "oxygen release|lattice gas evolution|anion loss",
                "particle cracking|intergranular fracture|fragmentation of grains",
            ),
            "ageing": (
                "capacity fade|loss of usable charge|battery degradation",
                "calendar ageing|storage losses|decay at rest",
                "health estimation|remaining-life prediction|diagnosis of cells",
            ),
            "sodium cells": (
                "sodium intercalation|insertion of larger ions|Na storage",
                "hard carbon|disordered anodes|non-graphitic hosts",
                "Prussian blue analogues|hexacyanoferrates|open cyanide frameworks",
            ),
        },
        (
            "fast charging|high current rates",
            "electrolyte additives|minor solvents",
            "interface layers|surface films",
            "thermal runaway|self-heating",
            "energy density|stored energy per mass",
            "material cost|supply constraints",
        ),
        ("impedance spectroscopy", "synchrotron imaging", "phase-field models", "cycling tests"),
        ("pouch cells", "coin cells", "a fleet of electric buses", "commercial modules"),
        "Electrochemical Storage Letters",
    ),
    Topic(
        "infectious disease",
        {
            "vaccination": (
                "vaccine uptake|immunisation coverage|acceptance of doses",
                "waning immunity|declining protection|loss of antibodies",
                "booster campaigns|repeat inoculation|additional shots",
            ),
            "resistance": (
                "antibiotic resistance|drug-insensitive strains|treatment failure of bacteria",
                "plasmid transfer|exchange of mobile genes|horizontal spread of elements",
                "antimicrobial stewardship|restricted prescribing|prudent drug use",
            ),
            "vectors": (
                "mosquito abundance|density of biting insects|vector populations",
                "treated bed nets|insecticidal screens|indoor protection at night",
                "larval habitats|breeding pools|stagnant water sites",
            ),
            "outbreaks": (
                "contact tracing|follow-up of exposed persons|search for secondary cases",
                "superspreading|highly uneven transmission|few cases with many offspring",
                "wastewater surveillance|sewage monitoring|early signals from effluent",
            ),
        },
        (
            "hospital admissions|severe cases",
            "household transmission|spread among relatives",
            "seasonal forcing|annual cycles",
            "age structure|demographic composition",
            "public trust|confidence in authorities",
            "case reporting|notification delays",
        ),
        ("a cohort study", "genome sequencing", "compartment models", "a randomised trial"),
        ("rural Malawi", "northern Italy", "the Mekong delta", "three Brazilian states"),
        "Epidemic Research",
    ),
    Topic(
        "information retrieval",
        {
            "ranking": (
                "document ranking|ordering of results|relevance scoring",
                "click models|implicit feedback|interaction logs",
                "position bias|preference for the top of the list|rank-dependent attention",
            ),
            "question answering": (
                "passage retrieval|selection of supporting text|evidence search",
                "multi-hop questions|chained reasoning|queries over several sources",
                "unanswerable queries|abstention|missing evidence",
            ),
            "recommendation": (
                "collaborative filtering|user-item factorisation|neighbourhood recommenders",
                "popularity bias|concentration on hits|neglect of the long tail",
                "cold starts|users without history|new items",
            ),
            "scholarly search": (
                "citation recommendation|suggestion of references|finding work to cite",
                "document embeddings|paper vectors|dense text representations",
                "author disambiguation|namesake resolution|identity of researchers",
            ),
        },
        (
            "query logs|search sessions",
            "test collections|relevance judgements",
            "index compression|compact postings",
            "term weighting|lexical statistics",
            "transfer to new domains|generalisation",
            "response latency|serving cost",
        ),
        ("contrastive training", "an online experiment", "counterfactual estimators", "pooling"),
        ("a web search engine", "a digital library", "a music platform", "an online shop"),
        "Transactions on Search",
    ),
    Topic(
        "soil and crops",
        {
            "nitrogen": (
                "nitrogen fixation|symbiosis with rhizobia|legume nodules",
                "nitrous oxide|gaseous losses|denitrification fluxes",
                "cover crops|catch crops|green manure",
            ),
            "drought": (
                "drought stress|water deficit|dry spells",
                "root depth|subsoil exploration|architecture below ground",
                "stomatal closure|reduced transpiration|leaf gas exchange",
            ),
            "soil carbon": (
                "soil organic carbon|stored humus|long-lived organic matter",
                "reduced tillage|ploughless farming|minimal disturbance",
                "biochar|charred residues|pyrolysed amendments",
            ),
            "pests": (
                "aphid outbreaks|sap-sucking insects|plant lice infestations",
                "natural enemies|beneficial predators|parasitoid wasps",
                "flower strips|field margins|semi-natural borders",
            ),
        },
        (
            "grain yield|harvested biomass",
            "soil texture|clay content",
            "crop rotation|sequences of crops",
            "microbial activity|soil respiration",
            "farm income|economic return",
            "fertiliser rates|nutrient inputs",
        ),
        ("a long-term field trial", "greenhouse pots", "remote sensing", "a meta-analysis"),
        ("the North China Plain", "the Sahel", "central Iowa", "southern Sweden"),
        "Field and Soil",
    ),
)

TITLES = (
    "{Own} and {shared} in {place}",
    "The role of {own} in {shared}",
    "On the link between {own} and {own2}",
    "Measuring {own} with {method}",
    "{Own} revisited: evidence from {place}",
    "How {own} shaped {shared}: a study with {method}",
    "What {place} can tell us about {own}",
    "{Shared} under the influence of {own}",
    "Limits of {method} for the study of {own}",
)

OPENINGS = (
    "Much recent work has dealt with {shared}, yet the part of {own} remained unclear.",
    "The interplay of {own} and {shared} has long divided opinion.",
    "Few studies have looked at {own} together with {shared2}.",
    "In {place}, {shared} changed markedly over the last {years} years.",
    "Current theory explains {shared} largely without {own2}.",
)
APPROACHES = (
    "Here we combined {method} with observations from {place} to follow {own} over {years} years.",
    "We used {method} to separate the effect of {own2} from that of {shared}.",
    "Based on {method}, we examined {count} cases from {place} and recorded {shared} in each.",
    "This paper presents an account of {own}, tested with {method} on data from {place}.",
    "Our analysis drew on {count} observations and compared {method} with a simpler baseline.",
)
RESULTS = (
    "We found that {own} explained {percent} per cent of the variation in {shared}.",
    "The results show that {own2} responded to {shared} within {months} months.",
    "Contrary to expectation, {own} weakened wherever {shared2} increased.",
    "A change in {shared} by {percent} per cent went along with a clear shift in {own}.",
    "Where {own} persisted, {own2} followed, and {shared} hardly mattered.",
    "The strongest response of {own2} occurred at intermediate levels of {shared2}.",
    "Neither {shared} nor {shared2} alone could account for this pattern.",
)
CONTRASTS = (
    "Compared with {sibling}, which has received more attention, this effect appeared robust.",
    "Effects of {sibling} remained small in all of our comparisons.",
    "Earlier models attributed the same pattern to {sibling} and {shared2}.",
    "We also discuss how {sibling} may have altered {shared}.",
)
CLOSINGS = (
    "These findings suggest that future assessments of {shared} should include {own}.",
    "We conclude that {method} offers a practical way to monitor {own2}.",
    "The data and the code that we used can serve as a benchmark for work on {own}.",
    "Better estimates of {own} would reduce the uncertainty of projections for {place}.",
    "Our work thus connects {own} with the wider debate about {shared2}.",
)

GENERAL_VENUES = ("Proceedings of the Open Academy", "Science Letters")
GIVEN_NAMES = (
    "Ada", "Amara", "Anders", "Bruno", "Carmen", "Chen", "Dalia", "Diego", "Elif", "Emeka", "Farah",
    "Greta", "Hana", "Hugo", "Ines", "Ivan", "Jonas", "Kavya", "Keiko", "Lena", "Luca", "Mara",
    "Mateo", "Mei", "Nadia", "Nils", "Olga", "Omar", "Paula", "Quentin", "Rosa", "Samir", "Sofia",
    "Tariq", "Ulla", "Victor", "Wanda", "Yusuf", "Zoe",
)  # fmt: skip
FAMILY_NAMES = (
    "Abara", "Almeida", "Bauer", "Bianchi", "Castillo", "Danso", "Dubois", "Ekberg", "Fischer",
    "Garcia", "Haddad", "Hansen", "Ito", "Jansen", "Kaya", "Khan", "Kovacs", "Kumar", "Lindqvist",
    "Lopez", "Marek", "Mbeki", "Moreau", "Nakamura", "Novak", "Okafor", "Olsen", "Park", "Petrov",
    "Quispe", "Rahman", "Rossi", "Sato", "Silva", "Tanaka", "Torres", "Ueda", "Vasquez", "Weber",
    "Yilmaz", "Zhang",
)  # fmt: skip
