# The sinew command as a user meets it: exit codes, messages, files. Run by CTest: app_test.py SINEW SOURCE CASE.
# Each case is a function below; one that returns has passed.
import json
import os
import shutil
import signal
import subprocess
import time

from app_client import SINEW, SOURCE, SPRING, compare_recordings, compare_reports, expect, expect_exit, run_case, sinew, state_hash, write

BAD = os.path.join(SOURCE, "test", "scene", "bad")


# a bar of two cells held at one end: the shapes of its modes are files of the points, moved by a tenth of its size at most
def case_modes():
    scene = write("bar.json", """{ "name": "bar", "gravity": 0, "objects": { "bar": { "kind": "solid", "size": [1, 0.2, 0.1], "cells": [4, 1, 1],
        "fixed": { "group": "x_min" }, "material": { "solid": { "model": "linear" } } } } }""")
    run = expect_exit(0, "modes", scene, "--count", "3", "--out", "shapes/bar.obj", "--amplitude", "0.05")
    expect(len(run.stdout.splitlines()) == 4, "a line for each of three modes", run)
    places = []
    for i in range(3):
        with open("shapes/bar.%04d.obj" % i) as file:
            places.append([tuple(map(float, line.split()[1:4])) for line in file if line.startswith("v ")])
    expect(len(places[0]) == len(places[1]) > 8, "all points in each file", run)
    held = [p for p in places[0] if abs(p[0] + 0.5) < 1e-12]
    expect(len(held) >= 4, "held points stay", run)
    # the softest way is across the thin side, z; the next one across y
    width = [max(p[2] for p in places[i]) - min(p[2] for p in places[i]) for i in range(2)]
    expect(abs(max(abs(p[2]) for p in places[0]) - 0.05 - 0.05 * (1 + 0.04 + 0.01) ** 0.5) < 5e-3, "moved by 0.05 of the diagonal", run)
    expect(width[1] < width[0], "first across the thin side", run)
    expect_exit(0, "modes", scene, "--count", "2", "--out", "film.sinew")
    expect(os.path.getsize("film.sinew") > 1000, "a recording")
    expect_exit(2, "modes", scene, "--out", "shape.xyz", says="shape.xyz")
    expect_exit(2, "modes", scene, "--count", "2", "--out", "film.sinew", says="film.sinew")
    expect_exit(2, "modes", scene, "--count", "2", "--out", "shapes/bar.obj", says="bar.0000.obj")
    expect_exit(0, "modes", scene, "--count", "2", "--out", "film.sinew", "--overwrite")


def case_bad_scenes():
    count = 0
    for folder in ("structure", "compile", "output"):
        for name in sorted(os.listdir(os.path.join(BAD, folder))):
            file = os.path.join(BAD, folder, name)
            if not os.path.isfile(file):
                continue
            with open(file, errors="replace") as text:
                fragment = text.readline().rstrip("\n").split(" | ", 1)[1]
            run = expect_exit(2, "run", file, "--out", "out", says=fragment)
            expect(BAD in run.stderr, file + ": the message names the file", run)
            # `check` lets things of later versions pass and names them
            if "not built yet" not in fragment:
                expect_exit(2, "check", file, says=fragment)
            count += 1
    expect(count >= 140, "at least 140 bad scenes, found %d" % count)
    expect(os.listdir(".") == [], "nothing is written for a bad scene: " + str(os.listdir(".")))


def case_samples():
    sample = lambda name: os.path.join(SOURCE, "test", "scene", "sample", name)
    run = expect_exit(0, "check", sample("drape.json"))
    expect("not yet: " not in run.stdout and run.stderr == "", "drape.json checks", run)
    run = expect_exit(0, "check", sample("stairs.json"))
    expect("not yet: " not in run.stdout and run.stderr == "", "stairs.json waits for nothing", run)
    expect(not os.path.exists("out"), "nothing is written")


def case_folders():
    scene = write("spring.json", SPRING % (0.1, ""))
    expect_exit(0, "run", scene, "--out", "out", "--quiet")
    before = os.stat("out/report.csv").st_mtime_ns
    expect_exit(2, "run", scene, "--out", "out", says="exists already")
    expect(os.stat("out/report.csv").st_mtime_ns == before, "a refused run changes nothing")
    expect_exit(0, "run", scene, "--out", "out", "--overwrite", "--quiet")
    left = [f for f in os.listdir("out") if f not in ("report.csv", "checkpoint.state", "run.log", "spring.sinew")]
    expect(left == [], "only the named files are left: " + str(left))
    expect_exit(2, "run", scene, "--out", "new", "--resume", says="no checkpoint")


def interrupt(scene, number):
    run = subprocess.Popen([SINEW, "run", scene, "--out", "cut", "--checkpoint-every", "0"], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    deadline = time.time() + 60
    while not os.path.exists("cut/run.log") and time.time() < deadline:
        time.sleep(0.02)
    time.sleep(0.3)
    run.send_signal(number)
    out, err = run.communicate(timeout=120)
    expect(run.returncode == 130, "an interrupted run ends with 130, not %d: %s%s" % (run.returncode, out, err))
    expect(os.path.exists("cut/checkpoint.state"), "a checkpoint is left")


def case_interrupt():
    scene = write("spring.json", SPRING % (150, ""))
    interrupt(scene, signal.SIGTERM)
    shutil.rmtree("cut")
    interrupt(scene, signal.SIGINT)
    first = sinew("run", scene, "--out", "cut", "--resume", "--hash")
    whole = sinew("run", scene, "--out", "whole", "--hash")
    expect(first.returncode == 0 and whole.returncode == 0, "both runs end", first)
    expect(state_hash(first) == state_hash(whole), "resumed and uninterrupted end in the same state", whole)
    compare_reports("cut/report.csv", "whole/report.csv", 30001)
    compare_recordings("cut/spring.sinew", "whole/spring.sinew", 7501)


# the second one does not wait for the end of a step, here one of ten million iterations
def case_interrupt_twice():
    scene = write("long.json", (SPRING % (1, ', "solvers": { "position": { "substeps": 1000, "iterations": 10000000 } }'))
                  .replace('"explicit"', '"position"'))
    with subprocess.Popen([SINEW, "run", scene, "--out", "cut", "--quiet"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        try:
            deadline = time.time() + 60
            while not os.path.exists("cut/run.log") and time.time() < deadline:
                time.sleep(0.02)
            time.sleep(0.3)
            run.send_signal(signal.SIGINT)
            time.sleep(0.5)
            expect(run.poll() is None, "the first one waits for the end of the step")
            run.send_signal(signal.SIGINT)
            run.wait(timeout=60)
        finally:
            run.kill()
    expect(run.returncode == -signal.SIGINT, "the second one ends the program, not %d" % run.returncode)


# a bar is drawn where a person sees both streams, and nowhere else
def case_progress():
    import pty
    scene = write("spring.json", SPRING % (0.1, ""))

    def draws(out, name):
        ours, theirs = pty.openpty()
        run = subprocess.Popen([SINEW, "run", scene, "--out", name], stdout=out or theirs, stderr=theirs)
        os.close(theirs)
        said = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            said += part
        os.close(ours)
        expect(run.wait(timeout=60) == 0, "the run ends well: " + repr(said))
        return b"100 %" in said
    expect(draws(None, "terminal"), "a bar on a terminal")
    expect(not draws(subprocess.DEVNULL, "file"), "no bar when standard output is no terminal")


def case_checkpoints():
    scene = write("spring.json", SPRING % (0.2, ""))
    expect_exit(0, "run", scene, "--out", "out", "--quiet")
    with open("out/checkpoint.state", "rb") as file:
        good = file.read()
    for size in (0, 7, len(good) // 2, len(good) - 1):
        with open("out/checkpoint.state", "wb") as file:
            file.write(good[:size])
        expect_exit(2, "run", scene, "--out", "out", "--resume", says="checkpoint.state")
    with open("out/checkpoint.state", "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + bytes(1000))
    expect_exit(2, "run", scene, "--out", "out", "--resume", says="checkpoint.state")
    with open("out/checkpoint.state", "wb") as file:
        file.write(good)
    other = write("other.json", (SPRING % (0.2, "")).replace("400", "500"))
    expect_exit(2, "run", other, "--out", "out", "--resume", says="another scene")
    expect_exit(0, "run", scene, "--out", "out", "--resume", "--quiet")


# whole run and run in two parts: same state, same verdict
def compare_parts(name, scene, code=0, frames="20"):
    write(name + ".json", scene)
    whole = expect_exit(code, "run", name + ".json", "--out", name + "_whole", "--hash")
    sinew("run", name + ".json", "--out", name + "_cut", "--frames", frames, "--quiet")
    rest = expect_exit(code, "run", name + ".json", "--out", name + "_cut", "--resume", "--hash")
    expect(state_hash(whole) == state_hash(rest), name + ": both end in the same state", rest)
    with open(name + "_whole/report.csv") as file:
        compare_reports(name + "_whole/report.csv", name + "_cut/report.csv", sum(1 for _ in file) - 2)
    expect("resumed at frame " in rest.stdout, "a resumed run says so", rest)
    return whole, rest


def case_resume():
    # the emitter's clock restarts at the event, not at the cut
    compare_parts("rate", """{ "objects": { "e": { "kind": "emitter", "rate": 7, "capacity": 200, "speed": [0, 1, 0] } },
        "time": { "fps": 24, "frames": [0, 48] }, "events": [ { "at": "0.31 s", "set": { "e.rate": 11.3 } } ] }""")
    # its pool has the size of the whole run
    compare_parts("pool", """{ "objects": { "e": { "kind": "emitter", "rate": 7, "speed": [0, 1, 0] } },
        "time": { "fps": 24, "frames": [0, 48] }, "events": [ { "at": "0.5 s", "every": "0.4 s", "set": { "e.rate": 11.3 } } ] }""")
    # contacts remembered are as many as there were at the cut; joints go on with their forces
    for solver in ["velocity", "articulated"]:
        compare_parts("knee_" + solver, """{ "solver": "%s", "time": { "fps": 60, "frames": [0, 40] },
            "objects": { "floor": { "kind": "plane", "at": [0, -0.3, 0] },
                         "a": { "kind": "box", "size": [1, 0.1, 0.1], "mass": 1, "at": [-0.5, 0, 0] },
                         "b": { "kind": "box", "size": [1, 0.1, 0.1], "mass": 2, "at": [0.5, 0, 0] } },
            "joints": { "knee": { "kind": "hinge", "between": ["a", "b"], "axis": [0, 0, 1], "limits": ["-20 deg", "20 deg"] } } }""" % solver)
    # what is set reaches those that are there: in the same order again
    compare_parts("order", """{ "solver": "velocity", "time": { "fps": 60, "frames": [0, 40] }, "contact": [ { "between": ["floor", "*"], "friction": 0.9 } ],
        "objects": { "floor": { "kind": "plane" } },
        "events": [ { "at": 0.1, "set": { "contact[0].friction": 0.1 } }, { "at": 0.3, "set": { "box.restitution": 0.5 } }, { "at": 0.2, "every": 0.15,
                      "spawn": { "box": { "kind": "box", "size": [0.2, 0.2, 0.2], "mass": 1, "at": [0, 0.15, 0], "velocity": [2, 0, 0] } } } ] }""")
    # conditions on numbers of the last step: no step does so little work, but a report that begins anew says 0
    scene = """{ "time": { "fps": 24, "frames": [0, 48], "substeps": 4 }, "solver": "explicit",
        "fields": { "w": { "kind": "wind", "velocity": [1, 0, 0] } },
        "objects": { "a": { "kind": "particles", "positions": [[0, 0, 0]], "air": { "drag": 0.5 } } },
        "events": [ { "when": "work.damping > -1e-9 && t > 0.1", "set": { "fields.w.velocity": [5, 0, 0] } } ] }"""
    whole, rest = compare_parts("work", scene)
    expect("events[0]" not in whole.stdout, "the condition never holds", whole)


def case_later_expectations():
    good = SPRING % (0.4, ', "expect": [ { "at": "0.04 s", "net.min.y": { "max": 0 } }, { "at": "0.3 s", "net.min.y": { "max": 0 } } ]')
    compare_parts("good", good, 0, "10")
    run = expect_exit(0, "run", "good.json", "--out", "short", "--frames", "10")
    expect("1 come later and were not looked at" in run.stdout, "what was not looked at is said", run)
    bad = SPRING % (0.4, ', "expect": [ { "at": "0.04 s", "net.min.y": { "min": 5 } }, { "at": "end", "net.min.y": { "max": 0 } } ]')
    whole, rest = compare_parts("bad", bad, 1, "10")
    expect("expectation: " in rest.stderr and rest.stderr == whole.stderr, "what failed before the cut is not forgotten", rest)
    # places of nothing
    none = write("none.json", """{ "objects": { "e": { "kind": "emitter", "rate": 0 } }, "time": { "fps": 24, "frames": 2 },
        "expect": [ { "at": "end", "e.min.y": { "max": 1e301 } } ] }""")
    expect_exit(1, "run", none, "--out", "none", "--quiet", says="has no living points")


def case_warnings():
    scene = """{ "time": { "dt": 0.05, "seconds": 0.2 }, "solver": "newton", "solvers": { "newton": { "max_iterations": 1 } },
      "objects": { "c": { "kind": "chain", "from": [0, 0, 0], "to": [1, 0, 0], "count": 10, "mass": 1, "fixed": { "index": [0] } } },
      "expect": [ { "at": "end", "c.center.y": { "max": 1 } %s } ] }"""
    run = expect_exit(1, "test", write("silent.json", scene % ""))
    expect("not reached its tolerance" in run.stdout, "a warning nobody expects is a failure", run)
    expect_exit(0, "test", write("told.json", scene % ', "warnings": { "min": 0 }'))


def case_resume_refused():
    write("tri.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n")
    scene = write("sheet.json", """{ "name": "sheet", "time": { "fps": 24, "frames": 4 }, "objects": {
        "s": { "kind": "cloth", "mesh": "tri.obj" } } }""")
    expect_exit(0, "run", scene, "--out", "out", "--frames", "2", "--quiet")
    expect_exit(2, "run", scene, "--out", "out", "--resume", "--overwrite", says="one continues a folder")
    expect_exit(2, "run", scene, "--out", "out", "--resume", "--solver", "explicit", says="was made with the solver newton")
    os.rename("out/sheet.sinew", "kept")
    expect_exit(2, "run", scene, "--out", "out", "--resume", says="--overwrite begins anew")
    os.rename("kept", "out/sheet.sinew")
    write("tri.obj", "v 0 0 0\nv 1 0 0\nv 0 0 2\nf 1 2 3\n")
    expect_exit(2, "run", scene, "--out", "out", "--resume", says="a mesh of the scene was changed")
    write("tri.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n")
    expect_exit(0, "run", scene, "--out", "out", "--resume", "--quiet")


def case_blow_up():
    scene = write("boom.json", (SPRING % (40, "")).replace('"stiffness": 400', '"stiffness": 1e9'))
    run = expect_exit(1, "run", scene, "--out", "out", "--quiet", says="not finite")
    expect("'net'" in run.stderr and "index" in run.stderr, "object and index are named", run)
    expect(os.path.getsize("out/capsule.state") > 0, "a capsule is written")


def case_capsule():
    write("tri.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n")
    scene = write("boom.json", """{ "name": "boom", "time": { "fps": 24, "frames": 240, "substeps": 2 }, "solver": "explicit", "objects": {
        "s": { "kind": "cloth", "mesh": "tri.obj", "velocity": [0, 1, 0], "angular_velocity": [0, 9, 0],
               "material": { "membrane": { "stiffness": 1e9 } } } } }""")
    run = expect_exit(1, "run", scene, "--out", "out", "--json")
    summary = json.loads(run.stdout)
    expect(summary["exit"] == 1 and "not finite" in summary["message"], "the summary says what failed", run)
    expect(summary["object"] == "s" and summary["index"] >= 0, "and where", run)
    expect("it needs " in run.stderr and "tri.obj" in run.stderr, "the capsule names its meshes", run)
    os.mkdir("elsewhere")
    os.rename("out/capsule.state", "elsewhere/capsule.state")
    again = expect_exit(1, "run", "elsewhere/capsule.state", "--out", "again", "--json")
    other = json.loads(again.stdout)
    for key in ("steps", "message", "object", "index"):
        expect(other[key] == summary[key], "the capsule fails in the same way: " + key, again)
    # any state can be run on, also with a step in which it does not begin: the first one is shorter
    run = expect_exit(1, "run", "elsewhere/capsule.state", "--out", "other", "--set", "time.fps=7")
    expect("the first step is" in run.stdout, "a shorter first step is said", run)
    expect_exit(2, "run", "elsewhere/capsule.state", "--out", "none", "--resume", says="a folder of its own")
    spring = write("spring.json", SPRING % (0.4, ""))
    whole = expect_exit(0, "run", spring, "--out", "whole", "--hash")
    expect_exit(0, "run", spring, "--out", "part", "--frames", "7", "--quiet")
    rest = expect_exit(0, "run", "part/checkpoint.state", "--out", "rest", "--hash")
    expect(state_hash(whole) == state_hash(rest), "a state run on ends as the whole run", rest)
    # an earlier run's capsule does not outlive --overwrite
    os.rename("elsewhere/capsule.state", "out/capsule.state")
    expect_exit(0, "run", scene, "--out", "out", "--overwrite", "--set", "s.material.membrane.stiffness=10", "--quiet")
    expect(not os.path.exists("out/capsule.state"), "an earlier capsule is removed")


# a step that was covered in part before it failed: the state lies between two steps
CUT = """{ "name": "cut", "fields": { "f": { "kind": "velocity", "velocity": ["abs(t-0.05) < 0.0049 ? 1/0 : 1", "frame", 0] } },
  "objects": { "p": { "kind": "particles", "positions": [[0, 0, 0]], "passive": true } },
  "time": { "fps": 10, "seconds": 0.3, "dt": 0.01 }, "solver": "explicit", "solvers": { "explicit": { "scheme": "rk4" } } }"""


def case_cut_step():
    scene = write("cut.json", CUT)
    run = expect_exit(1, "run", scene, "--out", "cut", "--json")
    summary = json.loads(run.stdout)
    expect(0.04 < summary["time"] < 0.05 and summary["steps"] == 4, "the fifth step was covered in part", run)
    expect("frame 0.4" in run.stderr, "the frame is that of the time, not of the parts", run)
    # the fault gone, frames land on their times: rows of the report are steps, the last frame is 3
    again = expect_exit(0, "run", "cut/capsule.state", "--out", "again", "--json", "--set", 'fields.f.velocity=[1,0,0]')
    expect(json.loads(again.stdout)["steps"] == 30 and abs(json.loads(again.stdout)["time"] - 0.3) < 1e-12, "it ends on time", again)
    rows = [[float(x) for x in line.split(",")[:3]] for line in open("again/report.csv").read().splitlines()[1:] if line[0].isdigit()]
    expect(abs(rows[0][1] - summary["time"]) < 1e-9, "it begins where the other ended: " + str(rows[0]))
    for step, t, frame in rows[1:]:
        expect(abs(t - 0.01 * step) < 1e-9 and abs(frame - step / 10) < 1e-9, "step %g is at its time: %g, frame %g" % (step, t, frame))
    # the same from the folder's checkpoint
    expect_exit(1, "run", scene, "--out", "cut", "--resume")


def case_unstable():
    # finite all the time, and nonsense: the step is ten times too long
    scene = write("wild.json", (SPRING % (0.2, "")).replace('"stiffness": 400', '"stiffness": 1e7'))
    run = expect_exit(0, "check", scene)
    expect("sure to be stable" in run.stdout, "a step that is too long is said before the run", run)
    run = expect_exit(0, "run", scene, "--out", "wild", "--json", says="warning: t = ")
    summary = json.loads(run.stdout)
    expect("blown up: energy.total" in summary["blown_up"] and summary["warnings"] >= 1, "the summary says it", run)
    expect(open("wild/run.log").read().count("the run has blown up") == 1, "the log says it once")
    expect("blown up" in run.stderr, "and the terminal", run)
    # energies beyond all numbers while positions are still finite
    fast = write("fast.json", """{ "time": { "fps": 24, "frames": 2 }, "solver": "explicit", "gravity": 0,
      "objects": { "p": { "kind": "particles", "positions": [[0, 0, 0]], "velocity": [1e200, 0, 0] } } }""")
    run = expect_exit(0, "run", fast, "--out", "fast", says="energy.kinetic")
    expect("not finite" in run.stderr, "the number is named", run)
    # a scene in order is silent
    run = expect_exit(0, "run", write("spring.json", SPRING % (0.2, "")), "--out", "calm", "--json")
    expect("blown_up" not in json.loads(run.stdout) and run.stderr == "", "nothing is said of others", run)
    expect("sure to be stable" not in expect_exit(0, "check", "spring.json").stdout, "nor of short steps")


def case_full_output():
    scene = write("spring.json", SPRING % (0.1, ', "expect": [ { "at": "end", "net.min.y": { "max": 0 } } ]'))
    for number, args in enumerate((("run", scene), ("run", scene, "--json", "--quiet"), ("check", scene), ("test", scene), ("list",), ("--version",))):
        more = ("--out", "out%d" % number) if args[0] == "run" else ()
        with open("/dev/full", "w") as full:
            run = subprocess.run([SINEW, *args, *more], stdout=full, stderr=subprocess.PIPE, text=True, timeout=300)
        expect(run.returncode == 1 and "error: " in run.stderr, "%s: exit %d: %s" % (args, run.returncode, run.stderr))


def case_full_disk():
    scene = write("spring.json", SPRING % (20, ""))
    run = expect_exit(1, "run", scene, "--out", "out", "--quiet", limit=16384)
    expect("error: " in run.stderr and "out/" in run.stderr, "the file that cannot be written is named", run)
    expect_exit(0, "run", scene, "--out", "good", "--quiet", "--frames", "200")
    expect_exit(1, "convert", "good/spring.sinew", "--to", "vtk", "--out", "full/a.vtk", "--quiet", limit=600)
    expect_exit(2, "convert", "good/spring.sinew", "--to", "vtk", "--objects", "nett", "--quiet")
    if "Embree         Apache-2.0                                   linked" in sinew("--version").stdout:
        expect_exit(1, "render", "good/spring.sinew", "--out", "full.png", "--frames", "0-3", "--size", "64x36", "--quiet", limit=600)


def case_expectations():
    scene = write("spring.json", SPRING % (0.1, ', "expect": [ { "at": "end", "net.min.y": { "min": 100 } } ]'))
    expect_exit(1, "run", scene, "--out", "out", "--quiet", says="net.min.y")
    run = expect_exit(1, "test", scene)
    expect("FAIL" in run.stdout and "1 failed" in run.stdout, "test counts the failure", run)
    expect(": net.min.y = " in run.stdout, "what was measured is named once", run)
    good = write("good.json", SPRING % (0.1, ', "expect": [ { "at": "end", "net.min.y": { "max": 0 } } ]'))
    expect_exit(0, "test", good)
    expect_exit(2, "test", write("broken.json", "{ \"objects\": "))
    run = expect_exit(1, "test", write("plain.json", SPRING % (0.1, "")))
    expect("nothing was checked" in run.stdout, "a test of nothing says so", run)


def case_all_errors():
    # of reading, of compiling and of outputs at once, and no others
    scene = write("many.json", """{ "name": "a/b", "gravity": "9 kg",
        "fields": { "gust": { "kind": "wind", "velocity": [1, 2] } },
        "materials": { "soft": { "density": -1 } },
        "objects": {
            "e": { "kind": "emitter", "speed": [1, 2] },
            "cloth": { "kind": "cloth_grid", "material": "soft", "air": { "field": "gust" }, "edge": 0.5 },
            "ball": { "radius": 2 },
            "stone": { "kind": "box", "sise": [1, 1, 1] } },
        "camera": { "eye": [1, 1, 1], "look_at": "ball" },
        "attach": [ { "points": { "of": "cloth", "index": [0] }, "to": "stone" } ],
        "events": [ { "at": 1, "set": { "e.rate": 5 } }, { "when": "ball.y < 1", "set": { "fields.gust.scale": 0 } } ],
        "outputs": [ "objj", { "kind": "pc2", "objects": ["ball"], "evry": 2 } ],
        "expect": [ { "at": "end", "e.y": { "max": 3 }, "ball.y": { "max": 3 }, "stone.y": { "max": "3 kg" } } ] }""")
    for command in (("check", scene), ("run", scene, "--out", "out")):
        run = expect_exit(2, *command)
        paths = ["name = ", "gravity = ", "fields.gust.velocity = ", "materials.soft.density = ", "objects.e.speed = ",
                 "objects.ball: ", "objects.stone.sise: ", "outputs[0].kind = ", "outputs[1].evry: "]
        for path in paths:
            expect(": " + path in run.stderr, "an error about " + path, run)
        expect("%d errors" % len(paths) in run.stderr, "no others", run)


def case_notes():
    scene = write("notes.json", """{ "objects": { "a": { "kind": "box", "mass": 1, "friction": 0.2 }, "b": { "kind": "sphere", "mass": 1, "at": [3, 0, 0] } },
        "materials": { "m": { "friction": 0.9 } }, "time": { "fps": 24, "frames": 24 }, "solver": "explicit",
        "fields": { "w": { "kind": "wind", "velocity": [0, 0, 0] } }, "events": [ { "at": 7, "set": { "fields.w.scale": 0 } } ] }""")
    run = expect_exit(0, "check", scene)
    for words in ("friction has no effect (materials.m, a)", "a, b pass through each other", "events[0] never happens"):
        expect(words in run.stdout, words, run)
    write("tri.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n")
    run = expect_exit(0, "check", write("self.json", '{ "objects": { "c": { "kind": "cloth", "mesh": "tri.obj", "self_contact": true, "air": { "lift": 1 } } } }'))
    expect("self_contact has no effect (c)" in run.stdout and "air.lift" not in run.stdout, "what is not acted on is named", run)
    grip = write("grip.json", """{ "objects": { "c": { "kind": "cloth_grid", "edge": 0.5 }, "floor": { "kind": "plane", "friction": 0.3 } }, "solver": "newton" }""")
    run = expect_exit(0, "check", grip)
    expect("friction has no effect" not in run.stdout, "newton has friction", run)
    run = expect_exit(0, "check", grip, "--solver", "linearly_implicit")
    expect("linearly_implicit has no friction, newton has: friction has no effect (floor)" in run.stdout, "a preset without friction says so", run)
    run = expect_exit(0, "check", grip, "--set", "solvers.newton.scheme=quasi_static")
    expect("quasi_static has no friction" in run.stdout, "statics without friction say so", run)
    rods = '{ "objects": { "a": { "kind": "rod", "self_contact": true }, "b": { "kind": "rod", "at": [0, 0, 1] } }, "solver": "newton" }'
    run = expect_exit(0, "check", write("rods.json", rods))
    expect("self_contact" not in run.stdout and "pass through" not in run.stdout, "rods touch", run)
    expect_exit(2, "check", scene, "--set", 'include=["x.json"]', says="change the file")


def case_numbers():
    scene = write("spring.json", SPRING % (0.1, ""))
    run = lambda *args: expect_exit(2, "run", scene, "--out", "out", *args)
    for text in ("1.5", "3abc", "0-3x", "-", "7-", "6", "0-6", "1-3", "nan"):
        run("--frames", text)
    for option, texts in (("--threads", ("-3", "100000", "1.5", "x")), ("--checkpoint-every", ("-1", "2x"))):
        for text in texts:
            run(option, text)
    expect("before the first" in run("--frames", "5-2").stderr, "a range that ends before it begins is named so")
    expect(not os.path.exists("out"), "nothing is written")
    for args in (("--repeats", "0"), ("--repeats", "-1"), ("--steps", "-4"), ("--steps", "0"), ("--threads", "0"), ("--threads", "99999")):
        expect_exit(2, "bench", scene, *args)
    expect_exit(0, "run", scene, "--out", "out", "--quiet", "--frames", "0-3")
    render = lambda *args, **more: expect_exit(2, "render", "out/spring.sinew", *args, **more)
    for args in (("--size", "32x18abc"), ("--size", "0x9"), ("--camera", "1,2,3,0,0,abc"), ("--camera", "1,2,3,1,2,3"),
                 ("--camera", "1,2,3,4,5,6,7,8"), ("--samples", "-1"), ("--samples", "0"), ("--fps", "nan"), ("--fps", "-1"),
                 ("--frames", "1.5"), ("--frames", "9"), ("--threads", "-1"), ("--out", "no/such/folder.png")):
        render(*args)
    render("--out", "x.gif", says=".png, .apng, .mp4")
    render("--out", "x.jpg", says=".png, .apng, .mp4")
    render("--color-by", "foo", says="velocity")


# times of stages: columns after all others, empty where no step was made, together no more than the step
def check_stage_columns(name, wanted):
    import csv
    with open(name, newline="") as file:
        rows = list(csv.DictReader(file))
    columns = list(rows[0])
    stages = [c for c in columns if c.startswith("ms.")]
    expect(columns[-len(stages):] == stages and set(wanted) <= set(stages), "columns of stages: " + str(columns))
    expect(all(rows[0][c] == "ms" for c in stages) and all(rows[1][c] == "" for c in stages), "units, and no times of the start: " + str(rows[:2]))
    for row in rows[2:]:
        times = [float(row[c]) for c in wanted]
        # sums of numbers written as they are
        expect(min(times) >= 0 and 0 < sum(times) <= 1000 * float(row["seconds"]) * (1 + 1e-9), "times of a step: " + str(row))


def case_outputs():
    scene = write("three.json", SPRING % (0.1, ', "outputs": [ "recording", "csv", "obj", { "kind": "obj", "file": "half", "every": 2 }, "pc2", "usd" ]'))
    run = expect_exit(0, "run", scene, "--out", "out")
    for line in [l.strip() for l in run.stdout.splitlines() if l.startswith("  out/")]:
        for name in line.split(" (")[0].split(" ... "):
            expect(os.path.exists(name), "a file that is named exists: " + name, run)
    for name in ("spring.0000.obj", "spring.0005.obj", "half.0004.obj", "spring.csv", "spring.pc2", "spring.usda"):
        expect(os.path.exists("out/" + name), name + " is written", run)
    rows = open("out/report.csv").read().splitlines()
    expect(rows[0].startswith("step,time,frame,dt"), "step and frame are columns: " + rows[0][:60])
    expect([row.split(",")[2] for row in rows[2:7]] == ["0", "0.25", "0.5", "0.75", "1"], "frames are counted: " + rows[6][:60])
    expect(len(open("out/spring.csv").read().splitlines()) == 2 + 6, "csv has one row per frame")
    check_stage_columns("out/report.csv", ["ms.prepare", "ms.forces", "ms.advance", "ms.finish"])
    expect_exit(0, "run", scene, "--out", "newton", "--solver", "newton", "--quiet")
    check_stage_columns("newton/report.csv", ["ms.predict", "ms.detect", "ms.residual", "ms.assemble", "ms.solve", "ms.search", "ms.finish"])
    write("out/notes.txt", "mine")
    expect_exit(0, "run", scene, "--out", "out", "--overwrite", "--frames", "2", "--quiet")
    left = sorted(os.listdir("out"))
    expect("spring.0003.obj" not in left and "half.0004.obj" not in left, "frames of the earlier run are gone: " + str(left))
    expect("notes.txt" in left and "spring.0002.obj" in left, "others stay: " + str(left))


def case_run_length():
    fall = """{ "time": { "fps": 24, "seconds": 0.06 }, "objects": { "a": { "kind": "particles", "positions": [[0, 0, 0]] } },
        "solver": "explicit", "solvers": { "explicit": { "scheme": "rk4" } },
        "expect": [ { "at": "end", "a.y": { "about": "-9.81*0.06^2/2", "within": "1e-9 m" }, "time": { "about": 0.06, "within": "1e-12 s" } } ] }"""
    run = expect_exit(0, "run", write("fall.json", fall), "--out", "out")
    expect("the last step is" in run.stdout, "a shorter last step is said", run)
    expect_exit(0, "test", "fall.json")


def case_options():
    scene = write("spring.json", SPRING % (0.1, ""))
    run = expect_exit(0, "run", scene, "--out", "a", "--json")
    summary = json.loads(run.stdout)
    expect(summary["steps"] == 20 and summary["exit"] == 0, "the summary counts steps", run)
    run = expect_exit(0, "run", scene, "--out", "b", "--json", "--set", "time.substeps=8")
    expect(json.loads(run.stdout)["steps"] == 40, "--set changes the scene", run)
    expect_exit(2, "run", scene, "--out", "c", "--set", "nett.mass=2", says="net")
    expect(not os.path.exists("c"), "a wrong --set writes nothing")
    run = expect_exit(0, "run", scene, "--out", "d", "--json", "--frames", "2")
    expect(json.loads(run.stdout)["steps"] == 8, "--frames shortens the run", run)
    run = expect_exit(0, "run", scene, "--out", "e", "--json", "--solver", "newton")
    expect(json.loads(run.stdout)["solver"] == "newton", "--solver chooses", run)


def case_formats():
    scene = write("sheet.json", """{ "name": "sheet", "time": { "fps": 24, "frames": [1, 3] }, "objects": {
        "sheet": { "kind": "cloth_grid", "edge": 0.25 }, "ball": { "kind": "sphere", "at": [0, -1, 0], "radius": 0.3 } } }""")
    expect_exit(0, "run", scene, "--out", "out", "--quiet")
    for kind in ("obj", "ply", "usd", "vtk", "pc2", "mdd"):
        os.mkdir(kind)
        more = ["--objects", "sheet"] if kind in ("pc2", "mdd") else []
        expect_exit(0, "convert", "out/sheet.sinew", "--to", kind, "--out", kind + "/sheet." + kind, "--quiet", *more)
        files = [os.path.join(where, f) for where, _, names in os.walk(kind) for f in names]
        expect(files and all(os.path.getsize(f) > 100 for f in files), kind + " writes files: " + str(files))
    said = lambda *args: expect_exit(0, "convert", "out/sheet.sinew", *args).stdout
    expect(said("--to", "vtk", "--out", "named/x.vtk") == "named/x.pvd\n", "the collection is named, whatever the file is called")
    expect(os.path.exists("named/x.pvd") and os.path.exists("named/x.0001.vtp"), "and there: " + str(os.listdir("named")))
    write("obj/sheet.0900.obj", "of an earlier conversion")
    expect("sheet.0900.obj" not in said("--to", "obj", "--out", "obj/sheet.obj", "--overwrite"), "files of earlier conversions are not counted")
    for kind in ("obj", "ply", "usd", "vtk", "pc2", "mdd"):
        # nothing that is there is replaced without a word
        before = {f: os.path.getmtime(os.path.join(kind, f)) for f in os.listdir(kind)}
        more = ["--objects", "sheet"] if kind in ("pc2", "mdd") else []
        run = expect_exit(2, "convert", "out/sheet.sinew", "--to", kind, "--out", kind + "/sheet." + kind, *more, says="exists already")
        expect("--overwrite" in run.stderr and kind + "/sheet." in run.stderr, "which, and what to do", run)
        expect(before == {f: os.path.getmtime(os.path.join(kind, f)) for f in os.listdir(kind)}, kind + ": nothing was touched")
        expect_exit(0, "convert", "out/sheet.sinew", "--to", kind, "--out", kind + "/sheet." + kind, "--overwrite", *more)
    # one frame of a sequence is enough, and files of one per object
    for name in os.listdir("vtk"):
        if name != "sheet.0002.vtp":
            os.remove("vtk/" + name)
    expect_exit(2, "convert", "out/sheet.sinew", "--to", "vtk", "--out", "vtk/sheet.vtk", says="vtk/sheet.0002.vtp")
    expect_exit(0, "convert", "out/sheet.sinew", "--to", "pc2", "--out", "both.pc2")
    expect_exit(2, "convert", "out/sheet.sinew", "--to", "pc2", "--out", "both.pc2", says="exists already")
    expect_exit(2, "convert", "out/sheet.sinew", "--to", "objj", says="obj")
    expect_exit(2, "convert", "nowhere.sinew", "--to", "obj", says="nowhere.sinew")
    version = sinew("--version").stdout
    if any("Embree" in line and "not in this build" in line for line in version.splitlines()):
        return
    expect_exit(0, "render", "out/sheet.sinew", "--frames", "2", "--size", "64x36", "--samples", "1", "--out", "still.png", "--quiet")
    with open("still.png", "rb") as file:
        expect(file.read(8) == b"\x89PNG\r\n\x1a\n", "a picture is written")
    small = ("--size", "16x9", "--samples", "1", "--quiet")
    still = ("render", "out/sheet.sinew", "--frames", "2", "--out", "still.png", *small)
    before = os.path.getmtime("still.png")
    expect("--overwrite" in expect_exit(2, *still, says="still.png: exists already").stderr, "what to do")
    expect(os.path.getmtime("still.png") == before, "nothing was touched")
    expect_exit(0, *still, "--overwrite")
    frames = ("render", "out/sheet.sinew", "--out", "f_##.png", *small)
    expect_exit(0, *frames, "--frames", "2-3")
    expect_exit(2, *frames, says="f_02.png: exists already")
    expect(not os.path.exists("f_01.png"), "nothing is begun")
    expect_exit(0, *frames, "--frames", "1")
    # frames before and after something came
    write("comes.json", """{ "name": "comes", "time": { "fps": 50, "frames": [0, 4] }, "objects": { "floor": { "kind": "plane" } },
        "events": [ { "at": 0.03, "spawn": { "ball": { "kind": "sphere", "radius": 0.2, "mass": 1, "at": [0, 1, 0] } } } ] }""")
    expect_exit(0, "run", "comes.json", "--out", "comes", "--quiet")
    expect_exit(0, "render", "comes/comes.sinew", "--out", "c_##.png", *small)


def case_bench():
    import csv
    scene = write("spring.json", SPRING % (1, ""))
    args = ("--steps", "20", "--repeats", "3", "--threads", "1", "2")
    expect_exit(0, "bench", scene, *args, "--out", "old")
    expect_exit(2, "bench", scene, *args, "--out", "old", says="old/spring.csv: exists already")
    rows = list(csv.DictReader(open("old/spring.csv")))
    expect([r["threads"] for r in rows] == ["1", "2"], "a row per number of threads: " + str(rows))
    for row in rows:
        times = [float(row[name]) for name in ("ms_min", "ms_median", "ms_p95")]
        expect(0 < times[0] <= times[1] <= times[2], "min <= median <= p95: " + str(times))
        expect(float(row["noise"]) >= 0 and float(row["memory_mb"]) > 0 and row["steps"] == "20" and row["points"] == "3", str(row))
        # symplectic steps of a soft spring: the energy is known to O(dt)
        expect(0 <= float(row["energy_drift"]) < 0.05 and float(row["residual"]) >= 0 and float(row["penetration"]) == 0, str(row))
    expect(rows[0]["hash"] == rows[1]["hash"] and len(rows[0]["hash"]) == 16, "the same state with any number of threads")
    expect_exit(0, "bench", scene, "--solver", "newton", "--steps", "20", "--threads", "1", "--out", "newton")
    row = list(csv.DictReader(open("newton/spring.csv")))[0]
    stages = sum(float(v) for k, v in row.items() if k.startswith("ms_") and k not in ("ms_min", "ms_median", "ms_p95"))
    expect(0 < stages < 20 * float(row["ms_p95"]) and float(row["iterations"]) >= 1 and row["solver"] == "newton", "times of stages: " + str(row))
    header = open("old/spring.csv").readline()
    expect(expect_exit(0, "bench", scene, *args).stdout.startswith(header), "to standard output without --out")
    same = expect_exit(0, "bench", "compare", "old", "old/spring.csv").stdout
    expect(same == "0 changed, 2 the same within noise\n", same)
    # times beyond noise, accuracy and hashes are told; times within noise are not
    for row in rows:
        row["noise"] = "0.04"
    rows[1]["noise"] = "0.4"
    os.mkdir("a"), os.mkdir("b")

    def save(name):
        with open(name, "w") as file:
            writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
            writer.writeheader(), writer.writerows(rows)
    save("a/spring.csv")
    for row in rows:
        row["ms_median"] = repr(1.2 * float(row["ms_median"]))
    rows[0]["hash"], rows[0]["residual"] = "0" * 16, "0.5"
    save("b/spring.csv")
    told = expect_exit(0, "bench", "compare", "a", "b").stdout
    expect("spring under explicit, 1 threads" in told and "ms_median" in told and "+20.0 %" in told and "noise 8.0 %" in told, told)
    expect("another hash" in told and "residual" in told, told)
    expect("2 threads" not in told and "1 changed, 1 the same within noise" in told, told)
    expect_exit(2, "bench", "compare", "a", "nowhere", says="nowhere")
    expect_exit(2, "bench", "compare", "a", scene, says="no output of sinew bench")
    expect_exit(2, "bench")
    expect_exit(2, "bench", "nowhere.json", says="nowhere.json")


BOX = """v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nv 0.5 0.5 -1
g shell
f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8
f 1 2 2\nf 1 2 6 5\nf 1 2 9
"""


def case_meshes():
    write("box.obj", BOX)
    run = expect_exit(1, "mesh", "check", "box.obj", "--pictures", "pictures")
    for word in ("9 vertices", "1 polygon without area (6)", "1 repeated polygon (7)", "4 edges with more than two polygons", "0-1"):
        expect(word in run.stdout, word + " is found", run)
    run = expect_exit(0, "mesh", "repair", "box.obj", "fixed.obj")
    for word in ("1 polygon without area dropped: 6", "1 repeated polygon dropped: 7", "1 edge with more than two polygons cut: 0-1"):
        expect(word in run.stdout, word + " is said", run)
    expect("nothing to repair" in expect_exit(0, "mesh", "repair", "fixed.obj", "again.obj").stdout, "a second repair does nothing")
    with open("fixed.obj") as one, open("again.obj") as two:
        text = one.read()
        expect(text == two.read(), "and writes the same file")
    expect("g shell" in text and "f 4 3 2 1" in text, "groups and quads stay")
    expect_exit(0, "mesh", "check", "fixed.obj")
    expect_exit(2, "mesh", "repair", "box.obj", "fixed.obj", says="exists already")
    expect_exit(0, "mesh", "repair", "box.obj", "fixed.obj", "--overwrite", "--quiet")
    expect_exit(2, "mesh", "repair", "nowhere.obj", "new.obj", says="nowhere.obj")
    expect_exit(2, "mesh", "repair", "box.obj", "new.docx", says=".obj")
    expect(not os.path.exists("new.docx"), "nothing is written")
    expect_exit(0, "mesh", "repair", "box.obj", "box.ply")
    expect_exit(0, "mesh", "check", "box.ply")
    expect_exit(0, "mesh", "repair", "box.obj", "box.stl")
    expect_exit(1, "mesh", "check", "box.stl")  # STL has no vertices of its own: the cut edge is one again
    write("l.obj", "".join("v %g %g %g\n" % (x, y, z) for z in (0, 1) for x, y in ((0, 0), (2, 0), (2, 1), (1, 1), (1, 3), (0, 3)))
          + "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\n" + "".join("f %d %d %d %d\n" % (i, i % 6 + 1, i % 6 + 7, i + 6) for i in range(1, 7)))
    run = expect_exit(0, "mesh", "decompose", "l.obj", "parts.obj")
    expect("2 convex parts" in run.stdout, "an L is two boxes", run)
    with open("parts.obj") as file:
        text = file.read()
        expect("g part_0" in text and "g part_1" in text and text.count("\nv ") == 16, "with eight corners each")
    expect_exit(2, "mesh", "decompose", "l.obj", "parts.obj", says="exists already")
    expect_exit(2, "mesh", "decompose", "fixed.obj", "other.obj", says="not closed")
    expect_exit(1, "mesh", "decompose", "l.obj", "one.obj", "--hulls", "1")
    expect(os.path.exists("one.obj"), "the best of too few parts is written all the same")
    scene = write("scene.json", """{ "name": "s", "objects": { "crate": { "kind": "mesh", "mesh": "box.obj", "at": [0, 1, 0] } } }""")
    run = expect_exit(1, "check", scene, "--pictures", "p")
    expect("found: objects.crate: 1 polygon without area (6)" in run.stdout, "the object and the polygon are named", run)
    version = sinew("--version").stdout
    if any("Embree" in line and "not in this build" in line for line in version.splitlines()):
        return
    for file in ("pictures/box_degenerate.png", "pictures/box_edges.png", "p/crate_duplicate.png"):
        with open(file, "rb") as f:
            expect(f.read(8) == b"\x89PNG\r\n\x1a\n", file + " is a picture")
    expect_exit(2, "check", scene, "--pictures", "p", says="exists already")


def case_help():
    run = expect_exit(0, "list")
    for word in ("cloth_grid", "newton", "spring_strain", "recording", "cotton"):
        expect(word in run.stdout, word + " is listed", run)
    run = expect_exit(0, "list", "--support")
    expect("rigid bodies" in run.stdout and "explicit" in run.stdout, "bodies and solvers", run)
    expect("nonlinear_cg" in run.stdout.split("\n")[0].split(), "names of solvers stand apart", run)
    run = expect_exit(0, "explain", "cloth_grid")
    expect("edge" in run.stdout and "material" in run.stdout, "parameters are explained", run)
    expect_exit(2, "explain", "cloth_gird", says="cloth_grid")
    for name, word in (("pc2", "every"), ("obj", "precision"), ("csv", "fields"), ("recording", "objects"), ("time", "substeps"),
                       ("camera", "look_at"), ("events", "release"), ("expect", "frame"), ("cotton", "density"), ("cholesky", "CHOLMOD"),
                       ("light", "exposure"), ("gravity", "9.81"), ("explicit", "forward_euler, symplectic_euler")):
        run = expect_exit(0, "explain", name)
        expect(word in run.stdout, "explain %s says %s" % (name, word), run)
    expect(isinstance(json.loads(expect_exit(0, "schema").stdout), dict), "the schema is JSON")
    said = expect_exit(0, "--version").stdout
    expect("sinew " in said, "a version")
    if any("CHOLMOD" in line and line.endswith(" linked") for line in said.splitlines()):
        expect("OpenBLAS" in said and "METIS" in said and "GPL" in said.strip().splitlines()[-1], "what comes with CHOLMOD, the GPL last: " + said)
    expect_exit(2, "runn", "x.json")
    expect_exit(2, "run")
    expect_exit(2, "run", "nowhere.json", says="nowhere.json")


run_case(globals())
