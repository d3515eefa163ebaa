# The sinew command as a user meets it: exit codes, messages, files. Run by CTest: app_test.py SINEW SOURCE CASE.
# Each case is a function below; one that returns has passed.
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

SINEW, SOURCE = sys.argv[1], sys.argv[2]
BAD = os.path.join(SOURCE, "test", "scene", "bad")
SPRING = """{ "name": "spring", "time": { "fps": 50, "seconds": %s, "substeps": 4 }, "solver": "explicit",
  "objects": { "net": { "kind": "particles", "positions": [[0, 0, 0], [0, -1, 0], [0.5, -1.5, 0]], "fixed": { "index": [0] },
    "links": [[0, 1], [1, 2]], "material": { "rod": { "model": "spring", "stiffness": 400, "damping": 0.1 } } } } %s }"""


def sinew(*args, limit=None):
    before = (lambda: limit_files(limit)) if limit else None
    return subprocess.run([SINEW, *args], capture_output=True, text=True, timeout=300, preexec_fn=before)


def limit_files(size):
    import resource
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # writes beyond the limit fail instead of ending the process
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
    expect(count >= 125, "at least 125 bad scenes, found %d" % count)
    expect(os.listdir(".") == [], "nothing is written for a bad scene: " + str(os.listdir(".")))


def case_samples():
    for name in ("drape.json", "stairs.json"):
        file = os.path.join(SOURCE, "test", "scene", "sample", name)
        run = expect_exit(0, "check", file)
        expect("not yet: " in run.stdout and run.stderr == "", name + " checks", run)
        expect_exit(2, "run", file, "--out", "out", says="not built yet")
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


def case_interrupt():
    scene = write("spring.json", SPRING % (150, ""))
    run = subprocess.Popen([SINEW, "run", scene, "--out", "cut", "--checkpoint-every", "0"], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    deadline = time.time() + 60
    while not os.path.exists("cut/run.log") and time.time() < deadline:
        time.sleep(0.02)
    time.sleep(0.3)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=120)
    expect(run.returncode == 130, "an interrupted run ends with 130, not %d: %s%s" % (run.returncode, out, err))
    expect(os.path.exists("cut/checkpoint.state"), "a checkpoint is left")
    first = sinew("run", scene, "--out", "cut", "--resume", "--hash")
    whole = sinew("run", scene, "--out", "whole", "--hash")
    expect(first.returncode == 0 and whole.returncode == 0, "both runs end", first)
    expect(state_hash(first) == state_hash(whole), "resumed and uninterrupted end in the same state", whole)
    for name in ("report.csv",):
        rows = [sum(1 for _ in open(os.path.join(folder, name))) for folder in ("cut", "whole")]
        expect(rows[0] == rows[1], "%s has the same rows: %s" % (name, rows))


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


def case_blow_up():
    scene = write("boom.json", (SPRING % (40, "")).replace('"stiffness": 400', '"stiffness": 1e9'))
    run = expect_exit(1, "run", scene, "--out", "out", "--quiet", says="not finite")
    expect("'net'" in run.stderr and "index" in run.stderr, "object and index are named", run)
    expect(os.path.getsize("out/capsule.state") > 0, "a capsule is written")


def case_full_disk():
    scene = write("spring.json", SPRING % (20, ""))
    run = expect_exit(1, "run", scene, "--out", "out", "--quiet", limit=16384)
    expect("error: " in run.stderr and "out/" in run.stderr, "the file that cannot be written is named", run)


def case_expectations():
    scene = write("spring.json", SPRING % (0.1, ', "expect": [ { "at": "end", "net.min.y": { "min": 100 } } ]'))
    expect_exit(1, "run", scene, "--out", "out", "--quiet", says="net.min.y")
    run = expect_exit(1, "test", scene)
    expect("FAIL" in run.stdout and "1 failed" in run.stdout, "test counts the failure", run)
    good = write("good.json", SPRING % (0.1, ', "expect": [ { "at": "end", "net.min.y": { "max": 0 } } ]'))
    expect_exit(0, "test", good)


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
    for kind in ("obj", "ply", "vtk", "pc2", "mdd"):
        os.mkdir(kind)
        more = ["--objects", "sheet"] if kind in ("pc2", "mdd") else []
        expect_exit(0, "convert", "out/sheet.sinew", "--to", kind, "--out", kind + "/sheet." + kind, "--quiet", *more)
        files = [os.path.join(where, f) for where, _, names in os.walk(kind) for f in names]
        expect(files and all(os.path.getsize(f) > 100 for f in files), kind + " writes files: " + str(files))
    expect_exit(2, "convert", "out/sheet.sinew", "--to", "objj", says="obj")
    expect_exit(2, "convert", "nowhere.sinew", "--to", "obj", says="nowhere.sinew")
    version = sinew("--version").stdout
    if any("Embree" in line and "not in this build" in line for line in version.splitlines()):
        return
    expect_exit(0, "render", "out/sheet.sinew", "--frames", "2", "--size", "64x36", "--samples", "1", "--out", "still.png", "--quiet")
    with open("still.png", "rb") as file:
        expect(file.read(8) == b"\x89PNG\r\n\x1a\n", "a picture is written")


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
    run = expect_exit(0, "explain", "cloth_grid")
    expect("edge" in run.stdout and "material" in run.stdout, "parameters are explained", run)
    expect_exit(2, "explain", "cloth_gird", says="cloth_grid")
    expect(isinstance(json.loads(expect_exit(0, "schema").stdout), dict), "the schema is JSON")
    expect("sinew " in expect_exit(0, "--version").stdout, "a version")
    expect_exit(2, "runn", "x.json")
    expect_exit(2, "run")
    expect_exit(2, "run", "nowhere.json", says="nowhere.json")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    globals()["case_" + sys.argv[3]]()
    os.chdir("/")
