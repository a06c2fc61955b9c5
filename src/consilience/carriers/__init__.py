"""How sealed files travel where institutions may connect: four calls over any place they share."""
