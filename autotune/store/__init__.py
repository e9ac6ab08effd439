"""The cache of tuned schedules and the log of trials: what is kept between runs."""
