"""Export a Parquet file to CSV with polars: peer_polars.py PARQUET CSV"""
import sys

import polars

polars.scan_parquet(sys.argv[1]).sink_csv(sys.argv[2], maintain_order=False)
