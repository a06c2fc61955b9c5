"""Sealed files through a job of NVFlare, where a consortium runs one already.

Every site has a folder, which roles join as they join any other; the job brings what lies there for
a role of another site to that site's folder. It moves files that are sealed already, and nothing
else of a site.
"""
