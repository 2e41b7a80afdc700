"""Mining of training triplets from citations, and files of triplets."""
