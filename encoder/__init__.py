"""Train document embeddings from triplets and texts, and encode papers; knows no database.

In: `PaperText` records, triplets as Arrow tables (query, positive, negative, hard) of paper ids.
Out: a model directory (`model_dir`) and float32 vectors (`encoder.Encoder`).
"""
