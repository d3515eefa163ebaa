# States of earlier runs, as a user meets them: files of other folders, programs and meshes that have changed, alarms, outputs with
# holes. Run by CTest: states_test.py SINEW SOURCE CASE.
import json
import os
import shutil

from app_client import SPRING, compare_reports, expect, expect_exit, run_case, state_hash, write

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 0 %s\nf 1 2 3\n"


# A library of prefabs in another folder than the scene's, with files of its own; beside the scene are others of the same names,
# so that a name that is taken for one of the scene's folder changes the state.
def write_library():
    for folder, size, height in (("library", "1", "0 0\n0 0\n"), ("scenes", "3", "1 1\n1 1\n")):
        os.makedirs(folder, exist_ok=True)
        write(folder + "/tri.obj", TRIANGLE % size)
        write(folder + "/land.csv", height)
    os.makedirs("more", exist_ok=True)
    write("more/flag.obj", TRIANGLE % "2")
    write("library/prefabs.json", """{ "prefabs": {
        "sheet": { "params": { "of": "tri.obj" }, "objects": { "s": { "kind": "cloth", "mesh": { "file": "$of" } } } },
        "land": { "objects": { "l": { "kind": "height_field", "file": "land.csv", "size": [9, 9] } } } } }""")
    return write("scenes/all.json", """{ "name": "all", "include": ["../library/prefabs.json"], "time": { "fps": 24, "frames": 6 },
        "solver": "explicit", "objects": { "a": { "use": "sheet", "at": [0, 1, 0] }, "b": { "use": "sheet", "of": "tri.obj", "at": [0, 2, 0] },
        "c": { "kind": "cloth", "mesh": "tri.obj", "at": [0, 3, 0] }, "land": { "use": "land" } } }""")


def case_included_files():
    scene = write_library()
    flag = ("--set", "c.mesh=more/flag.obj")  # what an option says is relative to the working folder
    whole = expect_exit(0, "run", scene, "--out", "whole", "--hash", *flag)
    expect_exit(0, "run", scene, "--out", "part", "--frames", "3", "--quiet", *flag)
    os.makedirs("elsewhere/deep")
    os.chdir("elsewhere/deep")
    rest = expect_exit(0, "run", "../../part/checkpoint.state", "--out", "rest", "--hash")
    expect(state_hash(rest) == state_hash(whole) and rest.stderr == "", "a checkpoint finds the files of the scene", rest)
    # a state of a run that was begun from a state
    expect_exit(0, "run", "../../part/checkpoint.state", "--out", "second", "--frames", "4", "--quiet")
    third = expect_exit(0, "run", "second/checkpoint.state", "--out", "third", "--hash")
    expect(state_hash(third) == state_hash(whole), "and so does one of a run that it began", third)
    os.chdir("../..")
    resumed = expect_exit(0, "run", scene, "--out", "part", "--resume", "--hash", *flag)
    expect(state_hash(resumed) == state_hash(whole), "--resume goes on", resumed)


def case_moved_folder():
    scene = write_library()
    whole = expect_exit(0, "run", scene, "--out", "whole", "--hash")
    expect_exit(0, "run", scene, "--out", "scenes/out", "--frames", "3", "--quiet")
    os.mkdir("new")
    for folder in ("library", "scenes"):
        shutil.move(folder, "new/" + folder)
    rest = expect_exit(0, "run", "new/scenes/all.json", "--out", "new/scenes/out", "--resume", "--hash")
    expect(state_hash(rest) == state_hash(whole), "scene and checkpoint go on in another place", rest)


def case_capsule_of_included():
    write_library()
    write("scenes/boom.json", """{ "name": "boom", "include": ["../library/prefabs.json"], "time": { "fps": 24, "frames": 240, "substeps": 2 },
        "solver": "explicit", "materials": { "hard": { "membrane": { "stiffness": 1e9 } } },
        "objects": { "a": { "use": "sheet", "velocity": [0, 1, 0], "angular_velocity": [0, 9, 0], "override": { "s": { "material": "hard" } } } } }""")
    summary = json.loads(expect_exit(1, "run", "scenes/boom.json", "--out", "out", "--json").stdout)
    os.mkdir("elsewhere")
    os.rename("out/capsule.state", "elsewhere/capsule.state")
    again = expect_exit(1, "run", "elsewhere/capsule.state", "--out", "again", "--json")
    for key in ("steps", "message", "object", "index", "hash"):
        expect(json.loads(again.stdout)[key] == summary[key], "the capsule fails in the same way: " + key, again)
    expect("has changed" not in again.stderr, "nothing has changed", again)
    write("library/tri.obj", TRIANGLE % "1.5")
    again = expect_exit(1, "run", "elsewhere/capsule.state", "--out", "changed", "--json", says="library/tri.obj has changed since")
    expect(json.loads(again.stdout)["warnings"] >= 1 and "has changed" in open("changed/run.log").read(), "the log has it too", again)


# the alarm of a run that has blown up sounds once, also when it was cut after it
def case_alarm():
    scene = write("wild.json", (SPRING % (0.2, "")).replace('"stiffness": 400', '"stiffness": 1e7'))
    whole = expect_exit(0, "run", scene, "--out", "whole", "--json")
    expect_exit(0, "run", scene, "--out", "cut", "--frames", "5", "--quiet", says="blown up")
    rest = expect_exit(0, "run", scene, "--out", "cut", "--resume", "--json", says="blown up")
    expect(json.loads(whole.stdout)["blown_up"] == json.loads(rest.stdout)["blown_up"], "the same alarm", rest)
    expect(open("cut/run.log").read().count("the run has blown up") == 1, "the log says it once")
    with open("whole/report.csv") as file:
        compare_reports("whole/report.csv", "cut/report.csv", sum(1 for _ in file) - 2)


# a recording that lost its end, as after a power cut, is not continued with a hole in it
def case_lost_frames():
    scene = write("spring.json", SPRING % (0.4, ', "outputs": [ "recording", { "kind": "recording", "file": "half", "every": 4 } ]'))
    expect_exit(0, "run", scene, "--out", "short", "--frames", "5", "--quiet")
    expect_exit(0, "run", scene, "--out", "out", "--frames", "15", "--quiet")
    os.rename("out/spring.sinew", "kept")
    shutil.copy("short/spring.sinew", "out/spring.sinew")
    expect_exit(2, "run", scene, "--out", "out", "--resume", says="ends at frame 5, the checkpoint is at 15")
    os.rename("kept", "out/spring.sinew")
    expect_exit(0, "run", scene, "--out", "out", "--resume", "--quiet")


run_case(globals())
