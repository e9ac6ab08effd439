"""Building and measuring candidates in worker processes that may die without harm.

Nothing is imported here: workers start through `python -m autotune.measure.build` and `.run`.
"""
