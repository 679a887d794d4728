// Merging
