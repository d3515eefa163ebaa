"""Compares a recording, read by tools/sinew_recording.py, with arrays that the C++ test wrote as .npy files.
usage: recording_check.py TOOLS_FOLDER RECORDING ARRAYS_FOLDER; silent if all is equal."""
import os
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import sinew_recording  # noqa: E402

folder = sys.argv[3]


def expected(name):
    return np.load(os.path.join(folder, name + ".npy"))


checked = 0
with sinew_recording.Recording(sys.argv[2]) as run:
    assert run.scene_name == "drape" and run.fps == 24 and run.first_frame == 1001
    np.testing.assert_array_equal(run.frame_numbers, expected("frame_numbers"))
    np.testing.assert_array_equal(run.times, expected("times"))
    names = [o.name for o in run.objects]
    assert names == ["sheet", "hero/box", "rope", "rain"], names
    for i, o in enumerate(run.objects):
        np.testing.assert_array_equal(o.rest, expected("rest_%d" % i))
        np.testing.assert_array_equal(o.polygon_begin, expected("polygon_begin_%d" % i))
        np.testing.assert_array_equal(o.polygon_vertex, expected("polygon_vertex_%d" % i))
        np.testing.assert_array_equal(o.uv, expected("uv_%d" % i))
        np.testing.assert_array_equal(o.polygon_uv, expected("polygon_uv_%d" % i))
        np.testing.assert_array_equal(o.segments, expected("segments_%d" % i))
    assert run.objects[0].material == "cotton" and run.objects[1].rigid and run.objects[3].draw_points
    np.testing.assert_array_equal(run.objects[0].groups["corner"], [0, 11])
    kind, name, polygons = run.objects[0].polygon_groups[1]
    assert (kind, name) == ("material", "red")
    np.testing.assert_array_equal(polygons, [1, 2])
    for k in reversed(range(len(run))):  # any order
        frame = run.read_frame(int(run.frame_numbers[k]))
        for i, f in enumerate(frame.objects):
            want = expected("position_%d_%d" % (k, i))
            if run.objects[i].rigid:  # the product of matrix and vector may be summed in another order
                np.testing.assert_allclose(f.position, want, rtol=0, atol=1e-15)
            else:
                np.testing.assert_array_equal(f.position, want.astype(f.position.dtype))
            checked += want.size
        velocity = frame.objects[0].fields["velocity"]
        np.testing.assert_array_equal(velocity, expected("velocity_%d" % k).astype(velocity.dtype))
        np.testing.assert_array_equal(frame.objects[3].alive, [1, 0, 1, 1, 0, 1])
        np.testing.assert_array_equal(frame.objects[3].id, [0, 1, 2, 9, 4, frame.frame])
        assert frame.objects[3].fields["age"].shape == (6,)
        assert frame.numbers == {"kinetic_energy [J]": 0.1 + frame.frame, "gap [m]": 1e-300, "iterations": 7}
    assert run.positions("sheet").shape == (len(run), 12, 3)
assert checked > 500
