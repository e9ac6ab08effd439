"""The language of loops: contractions, schedules, what is legal, and how both are printed."""
