# What tests of the sinew command share: SINEW SOURCE CASE on the command line, running it, comparing what runs have left.
import os
import signal
import subprocess
import sys

SINEW, SOURCE = sys.argv[1], sys.argv[2]
SPRING = """{ "name": "spring", "time": { "fps": 50, "seconds": %s, "substeps": 4 }, "solver": "explicit",
  "objects": { "net": { "kind": "particles", "positions": [[0, 0, 0], [0, -1, 0], [0.5, -1.5, 0]], "fixed": { "index": [0] },
    "links": [[0, 1], [1, 2]], "material": { "rod": { "model": "spring", "stiffness": 400, "damping": 0.1 } } } } %s }"""


def sinew(*args, limit=None):
    before = (lambda: limit_files(limit)) if limit else None
    return subprocess.run([SINEW, *args], capture_output=True, text=True, timeout=300, preexec_fn=before)


def limit_files(size):
    import resource
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # as a shell starts it: the program itself must see to a clear error
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def write(name, text):
    with open(name, "w") as file:
        file.write(text)
    return name


def expect(condition, what, run=None):
    if not condition:
        said = "" if run is None else "\n  exit %d\n  out: %s\n  err: %s" % (run.returncode, run.stdout, run.stderr)
        raise SystemExit("FAILED: " + what + said)


def expect_exit(code, *args, says=None, **more):
    run = sinew(*args, **more)
    expect(run.returncode == code, "%s: exit %d expected" % (" ".join(args), code), run)
    if says is not None:
        expect(says in run.stderr, "%s: '%s' expected on standard error" % (" ".join(args), says), run)
    return run


def state_hash(run):
    lines = [line for line in run.stdout.splitlines() if line.startswith("hash ")]
    expect(len(lines) == 1, "one line with a hash", run)
    return lines[0]


# all rows, but for the times of steps and their stages
def compare_reports(one, other, count):
    import csv

    def read(name):
        with open(name, newline="") as file:
            rows = [row for row in csv.DictReader(file)]
        return [{k: v for k, v in row.items() if k != "seconds" and not k.startswith("ms.")} for row in rows if row["step"] != "#"]
    a, b = read(one), read(other)
    expect(len(a) == len(b) == count, "%s, %s: %d rows, not %d and %d" % (one, other, count, len(a), len(b)))
    for x, y in zip(a, b):
        expect(x == y, "%s, %s: step %s: %s" % (one, other, x["step"], {k: (x[k], y.get(k)) for k in x if x[k] != y.get(k)}))


# all frames: places and, where there is numpy, everything else, but for the time that steps took
def compare_recordings(one, other, count):
    places = []
    for name in (one, other):
        expect_exit(0, "convert", name, "--to", "pc2", "--out", name + ".pc2", "--quiet")
        with open(name + ".pc2", "rb") as file:
            places.append(file.read())
    expect(places[0] == places[1] and len(places[0]) > 12 * count, "%s, %s: the same places in all frames" % (one, other))
    try:
        import numpy
    except ImportError:
        return
    sys.path.insert(0, os.path.join(SOURCE, "tools"))
    import sinew_recording
    with sinew_recording.Recording(one) as a, sinew_recording.Recording(other) as b:
        expect(len(a) == len(b) == count, "%s, %s: %d frames, not %d and %d" % (one, other, count, len(a), len(b)))
        expect(list(a.frame_numbers) == list(b.frame_numbers) and list(a.times) == list(b.times), "at the same times")
        for number in a.frame_numbers:
            x, y = a.read_frame(int(number)), b.read_frame(int(number))
            numbers = [{k: v for k, v in f.numbers.items() if not k.startswith("seconds")} for f in (x, y)]
            expect(numbers[0] == numbers[1], "frame %d has the same numbers" % number)
            for p, q in zip(x.objects, y.objects):
                expect(numpy.array_equal(p.position, q.position) and p.fields.keys() == q.fields.keys(), "frame %d" % number)
                expect(all(numpy.array_equal(p.fields[k], q.fields[k]) for k in p.fields), "fields of frame %d" % number)


# runs one case, a function that passes by returning, in a folder of its own
def run_case(cases):
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        cases["case_" + sys.argv[3]]()
        os.chdir("/")
