#!/bin/sh
# Everything that scripts/test.sh does, and the slow tests: the 2,000 random schedules among them.
exec sh "$(dirname -- "$0")/test.sh" --full "$@"
