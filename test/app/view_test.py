# `sinew view` as a browser meets it: HTTP, the socket, frames and controls. Run by CTest: view_test.py SINEW SOURCE CASE.
# Each case is a function below; one that returns has passed; 77 = this build has no viewer.
import math
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time

SINEW, SOURCE = sys.argv[1], sys.argv[2]
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from view_client import Client, Refused, Server  # noqa: E402

# a cloth of links on a ball, a box that falls: everything moves, a frame takes about a millisecond
SCENE = """{ "name": "mixed", "time": { "fps": 50, "seconds": %s, "substeps": 2 }, "solver": "%s",
  "objects": { "ball": { "kind": "sphere", "radius": 0.3 }, "floor": { "kind": "plane", "at": [0, -0.6, 0] }, %s
    "sheet": { "kind": "cloth_grid", "size": [0.8, 0.8], "edge": 0.1, "at": [0, 0.4, 0] } },
  "camera": { "eye": [2, 1, 2], "look_at": [0, 0, 0], "fov": "35 deg" } }"""
BOX = '"box": { "kind": "box", "size": [0.2, 0.2, 0.2], "mass": 1, "at": [1, 0, 0] },'


def expect(condition, what):
    if not condition:
        raise SystemExit("FAILED: " + what)


def write_scene(seconds=2, solver="position", box=BOX, name="mixed.json"):
    with open(name, "w") as file:
        file.write(SCENE % (seconds, solver, box))
    return name


def run_scene(scene, *more):
    run = subprocess.run([SINEW, "run", scene, "--out", "out", "--overwrite", *more], capture_output=True, text=True, timeout=120)
    expect(run.returncode == 0, "sinew run: %s%s" % (run.stdout, run.stderr))
    return run


def case_http():
    os.mkdir("page")
    for name, text in (("index.html", "<p>hello"), ("a.js", "1;"), (".secret", "no")):
        with open(os.path.join("page", name), "w") as file:
            file.write(text)
    with open("outside.txt", "w") as file:
        file.write("outside")
    with Server(SINEW, write_scene(), "--paused", "--page", "page") as server:
        status, head, body = server.request("/")
        expect(status == 200 and body == b"<p>hello" and head["content-type"].startswith("text/html"), "the page at /")
        expect("default-src 'self'" in head["content-security-policy"], "a policy about foreign contents")
        status, head, _ = server.request("/a.js?x=1")
        expect(status == 200 and head["content-type"].startswith("text/javascript"), "a script of the page")
        status, head, body = server.request("/", method="HEAD")
        expect(status == 200 and body == b"" and head["content-length"] == "8", "HEAD has the length and no body")
        expect(server.request("/none.js")[0] == 404, "a file that is not there")
        expect(server.request("/", method="POST")[0] == 405, "nothing can be posted")
        for target in ("/../outside.txt", "/.secret", "/%2e%2e/outside.txt", "//etc/passwd", "/a/../../outside.txt", "/a\\..\\b"):
            expect(server.request(target)[0] in (400, 404), target + " is refused")
        expect(server.request("/", host="evil.example")[0] == 403, "another name of this machine is refused")
        expect(server.request("/", host="localhost:%d" % server.port)[0] == 200, "localhost is this machine")
    with Server(SINEW, write_scene(), "--paused") as server:
        status, _, body = server.request("/")
        expect(status == 200, "a page, or how to build it")
    run = subprocess.run([SINEW, "view", "mixed.json", "--page", "nowhere"], capture_output=True, text=True, timeout=60)
    expect(run.returncode == 2 and "index.html" in run.stderr, "a folder without a page is refused: " + run.stderr)
    run = subprocess.run([SINEW, "view", "none.json"], capture_output=True, text=True, timeout=60)
    expect(run.returncode == 2 and "none.json" in run.stderr, "a scene that is not there: " + run.stderr)


def case_handshake():
    with Server(SINEW, write_scene(), "--paused") as server:
        with Client(server, origin="http://127.0.0.1:%d" % server.port) as client:
            hello = client.until("text")
            expect(hello["type"] == "hello" and hello["protocol"] == 1 and hello["live"] and hello["solver"] == "position", "a greeting")
            layout = client.until("layout")
            names = [o["name"] for o in layout["objects"]]
            expect(names == ["ball", "floor", "box", "sheet"], "objects of the scene: %s" % names)
            sheet = layout["objects"][3]
            expect(sheet["points"] == 81 and sheet["triangles"] == 128 and not sheet["rigid"], "the sheet's triangles")
            expect(max(sheet["corners"]) < sheet["drawn"] and max(sheet["source"]) < 81, "indices within the vertices")
            expect(layout["objects"][2]["drawn"] == 24, "a box has three normals at each corner")
            expect(len(layout["camera"]) == 10 and layout["camera"][0] == 2, "the scene's camera")
            expect(abs(layout["ground"] + 0.6) < 1e-9, "the ground is the plane")
            frame = client.frame()
            expect(frame["frame"] == 0 and frame["time"] == 0 and frame["numbers"]["energy.kinetic [J]"] == 0, "the first frame")
            expect(client.state("paused")["last_frame"] == 100, "the state")
        for origin in ("http://evil.example", "http://127.0.0.1.evil.example", "null", "file://", "http://localhost.evil.example:8017"):
            try:
                Client(server, origin=origin)
                expect(False, origin + " is refused")
            except Refused as e:
                expect(e.args[0] == 403, origin + " is forbidden")
        for host, target, status in (("evil.example", "/live", 403), (None, "/elsewhere", 404)):
            try:
                Client(server, host=host, target=target)
                expect(False, "refused")
            except Refused as e:
                expect(e.args[0] == status, "%s %s: %d" % (host, target, status))
        with Client(server, origin="http://localhost:5173") as client:
            client.until("frame")


# a live scene is what `sinew run` computes: positions of every frame as float32, numbers, and all bits of the last state
def case_live_equals_run():
    scene = write_scene(seconds=0.5)
    run = run_scene(scene, "--hash")
    subprocess.run([SINEW, "convert", "out/mixed.sinew", "--to", "pc2", "--objects", "sheet", "--out", "sheet.pc2"], check=True, timeout=60,
                   capture_output=True)
    cache = open([f for f in os.listdir(".") if f.endswith(".pc2")][0], "rb").read()
    _, _, points, _, _, samples = struct.unpack_from("<12siiffi", cache)
    expect(points == 81 and samples == 26, "a cache of 26 frames")
    with Server(SINEW, scene, "--paused") as live, Server(SINEW, "out/mixed.sinew", "--paused") as film:
        with Client(live) as a, Client(film) as b:
            for number in range(26):
                if number > 0:
                    a.send("step"), b.send("seek", frame=number)
                x, y = a.frame(number), b.frame(number)
                expect(x["places"] == y["places"], "frame %d: positions and poses are those of the recording" % number)
                place = 32 + number * 12 * points
                expect(x["places"]["sheet"] == cache[place:place + 12 * points], "frame %d: and those of the point cache" % number)
                differ = [n for n in x["numbers"] if n != "seconds [s]" and x["numbers"][n] != y["numbers"][n]]
                expect(not differ, "frame %d: numbers differ: %s" % (number, differ))
            a.send("hash")
            answer = a.until("text", lambda m: m["type"] == "hash")
            expect("hash " + answer["hash"] in run.stdout and answer["step"] == 50, "hash %s\n%s" % (answer, run.stdout))
            b.send("hash")
            expect("recording" in b.error()["message"], "a recording has no hash")


# the same while it plays as fast as it goes: whatever frames come, the last state is that of the run
def case_free_running():
    scene = write_scene(seconds=2)
    run = run_scene(scene, "--hash", "--threads", "1")
    with Server(SINEW, scene, "--speed", "0") as server, Client(server) as client:
        last = client.frame(100)
        expect(abs(last["time"] - 2) < 1e-12, "the end")
        client.state("finished")
        client.send("hash")
        answer = client.until("text", lambda m: m["type"] == "hash")
        expect("hash " + answer["hash"] in run.stdout, "hash %s\n%s" % (answer, run.stdout))


def case_controls():
    with Server(SINEW, write_scene(seconds=20)) as server, Client(server) as client:
        first = client.until("frame", lambda f: f["frame"] >= 5)
        client.send("pause")
        if client.state("paused")["frame"] % 1 == 0.5:  # it stops after any step, and a slow build is often within a frame
            client.send("step", steps=True)
            client.until("frame", lambda f: f["frame"] % 1 == 0)
        time.sleep(0.3)
        client.send("step", steps=True)  # half a frame
        half = client.until("frame", lambda f: f["frame"] % 1 == 0.5)
        client.send("step")
        whole = client.until("frame", lambda f: f["frame"] == math.ceil(half["frame"]))
        expect(whole["places"]["box"] != half["places"]["box"], "a step moves the box")
        client.send("step", count=3)
        client.frame(whole["frame"] + 3)
        expect(client.state("paused")["frame"] == whole["frame"] + 3, "three frames, and no more")
        client.send("restart")
        client.frame(0)
        client.send("step", count=int(first["frame"]))
        again = client.frame(first["frame"])
        expect(again["places"] == first["places"], "the same motion after a restart")
        # as fast as real time: 0.5 s of motion take 0.5 s
        client.send("restart"), client.send("speed", value=1), client.send("play")
        client.until("frame", lambda f: 1 <= f["frame"] < 5)
        begin = time.time()
        client.until("frame", lambda f: f["frame"] >= 26)
        expect(0.35 < time.time() - begin < 5, "25 frames of 20 ms took %.2f s" % (time.time() - begin))
        client.send("speed", value=0)
        client.until("frame", lambda f: f["frame"] >= 300)
        client.send("pause"), client.state("paused")
        # the field that one client shows is its own
        with Client(server) as other:
            client.send("field", name="speed")
            shown = client.until("frame", lambda f: f["field"] == "speed")
            expect(all(v >= 0 for v in shown["values"]["sheet"]), "speeds of the sheet")
            expect(other.frame()["field"] == "", "the other one shows none")
        client.send("field", name="sped")
        expect('"speed"' in client.error()["message"], "the nearest field is named")
        # settings
        client.send("set", path="gravity", value="[0, 3, 0]"), client.send("restart")
        client.frame(0)
        client.send("set", path="gravity", value="[0, 3, 0]"), client.send("step", count=10)
        expect(client.frame(10)["numbers"]["momentum.y [kg m/s]"] > 0, "everything falls upwards")
        client.send("set", path="gravitty", value="1")
        expect("gravitty" in client.error()["message"], "an unknown setting is refused by name")
        client.send("seek", frame=3)
        expect("simulated" in client.error()["message"], "a running scene has no frames to go to")


# a box that is pulled up follows, and falls when it is let go; so does the sheet
def case_grab():
    def height(frame, name):
        return struct.unpack_from("<3f", frame["places"][name])[1]
    for name, vertex in (("box", 0), ("sheet", 0)):
        with Server(SINEW, write_scene(seconds=20), "--paused", "--speed", "0") as server, Client(server) as client:
            names = [o["name"] for o in client.until("layout")["objects"]]
            begin = client.frame()
            at = list(struct.unpack_from("<3f", begin["places"][name]))
            client.send("grab", object=names.index(name), vertex=vertex, at=at)
            client.send("drag", to=[at[0], at[1] + 1, at[2]])
            client.send("step", count=100)
            held = client.frame(100)
            expect(height(held, name) > at[1] + 0.6, "%s follows the hand: %.3f, hand at %.3f" % (name, height(held, name), at[1] + 1))
            client.send("release"), client.send("step", count=100)
            expect(height(client.frame(200), name) < at[1] + 0.3, "%s falls when let go" % name)
            client.send("grab", object=names.index("ball"), vertex=0, at=[0, 0, 0])
            expect("held by the scene" in client.error()["message"], "the ball is held")
            client.send("grab", object=99, vertex=0, at=[0, 0, 0])
            client.error()
            client.send("grab", object=names.index("sheet"), vertex=99999, at=[0, 0, 0])
            client.error()


def case_recording():
    run_scene(write_scene(seconds=1))
    with Server(SINEW, "out/mixed.sinew") as server, Client(server) as client:
        hello = client.until("text")
        expect(hello["live"] is False and hello["scene"] == "mixed", "a recording greets as one")
        client.state("finished")
        client.send("seek", frame=10)
        ten = client.frame(10)
        expect(abs(ten["time"] - 0.2) < 1e-12, "frame 10 is at 0.2 s")
        client.send("step")
        client.frame(11)
        client.send("seek", frame=10)
        expect(client.frame(10)["places"] == ten["places"], "the same frame again")
        client.send("seek", frame=1000)
        client.frame(50)
        client.send("seek", frame=-1000)
        client.frame(0)
        client.send("field", name="speed")
        client.send("seek", frame=10)
        frame = client.until("frame", lambda f: f["frame"] == 10 and f["field"])
        # the box falls freely from rest: the mean speed between frames 9 and 10 is g 0.19 s, or up to half a step of 0.01 s more
        speed = frame["values"]["box"][0]
        expect(9.81 * 0.1899 < speed < 9.81 * 0.1951, "speed of the box: %g" % speed)
        client.send("loop", on=True), client.send("speed", value=4), client.send("seek", frame=48), client.send("play")
        client.until("frame", lambda f: f["frame"] > 48), client.until("frame", lambda f: f["frame"] < 48)
        for word, more in (("set", {"path": "gravity", "value": "0"}), ("grab", {"object": 0, "vertex": 0, "at": [0, 0, 0]})):
            client.send(word, **more)
            expect("recording" in client.error()["message"], word + " is refused")


def case_malformed():
    bad = [b"", b"{", b"[]", b"null", b'{"do": 3}', b'{"do": "fly"}', b'{"do": "step", "count": 0}', b'{"do": "step", "count": 1e99}',
           b'{"do": "step", "cout": 1}', b'{"do": "speed"}', b'{"do": "speed", "value": "fast"}', b'{"do": "speed", "value": -1}',
           b'{"do": "seek", "frame": 1.5}', b'{"do": "grab", "object": 0, "vertex": 0, "at": [0, 0]}', b'{"do": "grab", "object": -1}',
           b'{"do": "drag", "to": [1e300, 0, 0]}', b'{"do": "loop", "on": 1}', b'{"do": "got", "serial": -1}', b'{"do": "join"}',
           b'{"do": "play", "do": "pause"}', b"[" * 5000, b'{"do": "set", "path": "' + b"x" * 60000 + b'", "value": ""}', b"\xff\xfe{}"]
    with Server(SINEW, write_scene(), "--paused") as server, Client(server) as client:
        client.state("paused")
        for text in bad:
            client.send_bytes(text, opcode=2)  # bytes are read as text, so that wrong UTF-8 reaches the parser
            message = client.error()["message"]
            expect(0 < len(message) < 70000, "an answer to %r" % text[:60])
        client.send("speeed", value=1)
        expect('"speed"' in client.error()["message"], "the nearest word is named")
        client.send("step")
        client.frame(1)  # nothing was harmed
        for payload, opcode in ((b"x" * 70000, 1), (b"\xff\xff", 1), (b"", 3)):  # too long, not UTF-8, no such opcode: closed
            with Client(server) as victim:
                victim.state("paused")
                victim.send_bytes(payload, opcode)
                try:
                    while victim.receive()[0] != "close":
                        pass
                except (EOFError, ConnectionError):
                    pass
        client.send("step")
        client.frame(2)
        others = [Client(server) for _ in range(15)]
        try:
            with Client(server) as late:
                expect(late.receive()[0] == "close", "the seventeenth is sent away")
        except (EOFError, ConnectionError):
            pass
        for other in others:
            other.__exit__()
        client.send("step")
        client.frame(3)


# A client that does not read: the server's memory stays, others get their frames, and what it reads at last is recent.
def case_slow_client():
    scene = write_scene(seconds=1000, box="").replace(".json", "_large.json")
    with open("mixed.json") as file, open(scene, "w") as large:
        large.write(file.read().replace('"edge": 0.1', '"edge": 0.02').replace('"solver": "position"', '"solver": "explicit"'))
    # freed memory that the address sanitizer keeps is no growth
    os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1:thread_local_quarantine_size_kb=64"
    with Server(SINEW, scene, "--speed", "0", "--set", "time.substeps=1", "--set", "gravity=0") as server:
        with Client(server, buffer=4096) as slow, Client(server) as quick:
            size = quick.until("frame")["size"]
            quick.until("frame", lambda f: f["serial"] > 50)
            before = server.memory()
            begin = quick.until("frame")["serial"]
            last = quick.until("frame", lambda f: f["serial"] > begin + 600)["serial"]
            grown = server.memory() - before
            # 600 frames would be this much; sockets buffer some, allocators keep some
            expect(600 * size / 1024 > 10000 and grown < 6000, "%d frames of %d bytes: memory grew by %d kB" % (last - begin, size, grown))
            seen = [slow.until("frame")["serial"] for _ in range(8)]
            expect(seen == sorted(seen), "in order")
            fresh = slow.until("frame", lambda f: f["serial"] > last)["serial"]
            expect(fresh > last, "recent frames after the backlog of the socket")
            # with a window of one nothing comes until it is confirmed
            quick.send("pause")
            quick.state("paused")
        with Client(server) as careful:
            careful.send("window", frames=1)
            careful.send("got", serial=careful.frame()["serial"])
            careful.state("paused")
            careful.send("play")
            one = careful.until("frame", lambda f: f["serial"] > last)
            careful.send("got", serial=one["serial"])
            two = careful.frame()
            careful.socket.settimeout(1)
            try:
                while True:
                    expect(careful.receive()[0] != "frame", "no frame before the last is confirmed")
            except TimeoutError:
                pass
            careful.socket.settimeout(60)
            careful.send("got", serial=two["serial"])
            expect(careful.frame()["serial"] > two["serial"] + 1, "the newest, not the next")


def case_interrupt():
    for number in (signal.SIGINT, signal.SIGTERM):
        with Server(SINEW, write_scene(seconds=1000), "--speed", "0") as server, Client(server) as client:
            client.frame()
            begin = time.time()
            code, err = server.interrupt(number)
            expect(code == 0 and err == "", "ends cleanly: %d %s" % (code, err))
            expect(time.time() - begin < 10, "at once")
            try:
                while True:
                    kind, code = client.receive()
                    if kind == "close":
                        expect(code == 1001, "clients are told that it goes away: %s" % code)
                        break
            except (EOFError, ConnectionError):
                expect(False, "clients are told before the connection ends")
    with Server(SINEW, write_scene(seconds=1000)) as server:  # nobody was there
        expect(server.interrupt()[0] == 0, "ends cleanly without clients")
    with Server(SINEW, write_scene()) as server:
        run = subprocess.run([SINEW, "view", "mixed.json", "--port", str(server.port)], capture_output=True, text=True, timeout=60)
        expect(run.returncode == 1 and "--port" in run.stderr, "a port that is taken is named: " + run.stderr)


# a scene that fails stops and says why; restart reads the file again
def case_failure():
    scene = write_scene(seconds=1)
    with Server(SINEW, scene, "--paused", "--speed", "0") as server, Client(server) as client:
        client.state("paused")
        with open(scene, "w") as file:
            file.write("{ nonsense")
        client.send("restart")
        expect("mixed.json" in client.error()["message"], "errors of the scene file are told")
        client.send("step")
        client.frame(1)
        write_scene(seconds=3)
        client.send("restart")
        expect(client.until("text", lambda m: m["type"] == "state" and m["frame"] == 0)["last_frame"] == 150, "the new scene")


def main():
    probe = subprocess.run([SINEW, "view", "none.json"], capture_output=True, text=True, timeout=60)
    if "no viewer" in probe.stderr:
        print("skipped: this build has no viewer (libboost-dev)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        globals()["case_" + sys.argv[3]]()
        os.chdir("/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
