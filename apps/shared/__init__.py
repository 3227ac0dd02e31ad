"""What the fixture apps have in common: screens, behaviour, delays, truth, the line protocol."""
