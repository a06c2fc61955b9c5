"""Tables where they lie: text files in any dialect, Parquet, Excel and databases."""
