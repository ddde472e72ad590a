"""Which of three jobs runs last?  Each has a priority; a job may be blocked once."""

import sys


class Job:
    def __init__(self, name, priority):
        self.name = name
        self.priority = priority
        self.is_blocked = False


jobs = [Job(name, int(text)) for name, text in zip("abc", sys.argv[1:4], strict=True)]
blocked = int(sys.argv[4])
if 0 <= blocked < 3:
    jobs[blocked].is_blocked = True


def next_job():
    best = None
    for job in jobs:
        if job.priority <= 0 or job.is_blocked:
            continue
        if best is None or job.priority > best.priority:
            best = job
    return best


last, steps = "none", 0
while True:
    job = next_job()
    if job is None:
        break
    last, job.priority, steps = job.name, 0, steps + 1
    if steps == 2:
        for one in jobs:
            one.is_blocked = False
print(last)
