"""The papers' tables, one file per paper: published, ours, gap."""
