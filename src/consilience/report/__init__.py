"""Pages for people: one offline HTML file that loads nothing and shows no private value."""
