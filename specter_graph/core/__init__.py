"""What every package uses: errors, files, vectors, neighbors, statistics, progress."""
