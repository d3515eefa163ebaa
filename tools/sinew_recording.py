#!/usr/bin/env python3
"""Reads Sinew recordings (.sinew) into NumPy arrays. One file, to be copied wherever it is needed.

    from sinew_recording import Recording

    with Recording("out/drape/drape.sinew") as run:
        print(run.scene_name, run.fps, run.frame_numbers)      # array of the frame numbers
        sheet = run.find("sheet")                              # index of an object
        print(run.objects[sheet].polygon_vertex)               # constant data of the object
        frame = run.read(10)                                   # the 11th frame; run.read_frame(1011) by number
        print(frame.time, frame.numbers["kinetic_energy [J]"])
        print(frame.objects[sheet].position)                   # points x 3, also for rigid objects
        print(frame.objects[sheet].fields["velocity"])         # points x 3
        path = run.positions("sheet")                          # frames x points x 3

Needs numpy, and for compressed recordings the module zstandard or the library libzstd. Interrupted recordings are
read up to their last whole frame. Positions come with the precision of the file (float32 or float64).
The format is described byte by byte in docs/recording.md.

On the command line: sinew_recording.py FILE prints what is inside.
"""
import ctypes
import ctypes.util
import struct
import sys
import zlib

import numpy as np

MAGIC = b"\x89SINEW\r\n"
END = b"SINEWEND"
VERSION = 1
HEADER = struct.Struct("<8sII")
CHUNK = struct.Struct("<4sIQQiIdII")
TRAILER = struct.Struct("<Q8s")
DTYPES = {1: "<f8", 2: "<f4", 3: "<i8", 4: "<i4", 5: "<u8", 6: "<u4", 7: "u1", 8: "u1"}
TEXT = 8


class RecordingError(Exception):
    """The file is no recording, or the part asked for is damaged."""


def _zstd_by_module():
    import zstandard
    return lambda data, size: zstandard.ZstdDecompressor().decompress(data, max_output_size=size)


def _zstd_by_library():
    lib = None
    for name in ("libzstd.so.1", "libzstd.1.dylib", ctypes.util.find_library("zstd")):
        try:
            lib = ctypes.CDLL(name) if name else None
        except OSError:
            lib = None
        if lib:
            break
    if not lib:
        raise RecordingError("the recording is compressed: install the Python module zstandard or libzstd")
    size_t, void = ctypes.c_size_t, ctypes.c_void_p
    lib.ZSTD_decompress.restype = lib.ZSTD_findFrameCompressedSize.restype = size_t
    lib.ZSTD_decompress.argtypes = [void, size_t, ctypes.c_char_p, size_t]
    lib.ZSTD_findFrameCompressedSize.argtypes = [ctypes.c_char_p, size_t]
    lib.ZSTD_isError.argtypes = [size_t]

    def decompress(data, size):
        frame = lib.ZSTD_findFrameCompressedSize(data, len(data))  # padding may follow the frame
        if lib.ZSTD_isError(frame):
            raise RecordingError("a chunk is damaged (no zstd frame)")
        out = ctypes.create_string_buffer(max(size, 1))
        n = lib.ZSTD_decompress(out, size, data, frame)
        if lib.ZSTD_isError(n) or n != size:
            raise RecordingError("a chunk is damaged (it does not decompress)")
        return out.raw[:size]

    return decompress


def _make_zstd():
    try:
        return _zstd_by_module()
    except ImportError:
        return _zstd_by_library()


def _unshuffle(data, dtype, shape):
    """Undoes the filter: byte planes -> differences of bits -> values, component by component."""
    unsigned = np.dtype("<u%d" % dtype.itemsize)
    planes = np.frombuffer(data, np.uint8).reshape(dtype.itemsize, -1)
    differences = np.ascontiguousarray(planes.T).view(unsigned).reshape(-1)
    columns = shape[1] if len(shape) == 2 and shape[1] > 0 else 1
    values = np.cumsum(differences.reshape(columns, -1), axis=1, dtype=unsigned)
    return np.ascontiguousarray(values.T).view(dtype).reshape(shape)


def parse_arrays(payload):
    """A list of named arrays (payload of a chunk) as dict name -> array; texts as str."""
    try:
        (count,), at, arrays = struct.unpack_from("<I", payload, 0), 4, {}
        for _ in range(count):
            (length,) = struct.unpack_from("<H", payload, at)
            name = bytes(payload[at + 2:at + 2 + length]).decode("utf-8", "replace")
            kind, filtered, rank = struct.unpack_from("<BBH", payload, at + 2 + length)
            shape = struct.unpack_from("<%dQ" % rank, payload, at + 6 + length)
            at += 6 + length + 8 * rank
            dtype = np.dtype(DTYPES[kind])
            size = dtype.itemsize
            for n in shape:
                size *= n
            data = payload[at:at + size]
            if len(data) != size:
                raise RecordingError("a list of arrays ends too early")
            at += size
            if kind == TEXT:
                arrays.setdefault(name, bytes(data).decode("utf-8", "replace"))
            elif filtered:
                arrays.setdefault(name, _unshuffle(data, dtype, shape))
            else:
                arrays.setdefault(name, np.frombuffer(data, dtype).reshape(shape).copy())
        return arrays
    except (struct.error, KeyError, ValueError) as error:
        raise RecordingError("a list of arrays is damaged: %s" % error)


def _texts(text):
    return text.split("\0")[:-1]


class Object:
    """Constant data of one object: name, kind, material, rigid, point_count, rest, polygon_begin, polygon_vertex,
    uv, polygon_uv, segments, groups (dict name -> vertex indices), draw_points, radius, color."""


class ObjectFrame:
    """One object in one frame: position (points x 3, world), pose (rigid: px py pz qw qx qy qz, else None),
    alive (bool per point), id (per point), fields (dict name -> points x components, or points if one component)."""


class Frame:
    """One frame: frame (number), time [s], objects (list of ObjectFrame), numbers (dict name -> value)."""


class Layout:
    """Constant data of the run: scene_name, fps, first_frame, objects (list of Object)."""

    def __init__(self, arrays):
        self.scene_name = arrays["scene_name"]
        self.fps = float(arrays["fps"][0])
        self.first_frame = int(arrays["first_frame"][0])
        kinds, materials = _texts(arrays["object/kind"]), _texts(arrays["object/material"])
        self.objects = []
        for i, name in enumerate(_texts(arrays["object/name"])):
            def part(key, default):
                return arrays.get("%d/%s" % (i, key), default)
            o = Object()
            o.name, o.kind, o.material = name, kinds[i], materials[i]
            o.rigid = bool(arrays["object/rigid"][i])
            o.draw_points = bool(arrays["object/draw_points"][i])
            o.point_count = int(arrays["object/point_count"][i])
            o.radius = float(arrays["object/radius"][i])
            o.color = arrays["object/color"][i]
            o.rest = part("rest", np.zeros((0, 3)))
            o.polygon_begin = part("polygon_begin", np.zeros(1, np.int32))
            o.polygon_vertex = part("polygon_vertex", np.zeros(0, np.int32))
            o.uv = part("uv", np.zeros((0, 2)))
            o.polygon_uv = part("polygon_uv", np.zeros(0, np.int32))
            o.segments = part("segments", np.zeros((0, 2), np.int32))
            groups = _texts(part("group_names", ""))
            o.groups = {g: part("group/%d" % k, np.zeros(0, np.int32)) for k, g in enumerate(groups)}
            named, sorts = _texts(part("polygon_group_names", "")), part("polygon_group_kinds", np.zeros(0, np.uint8))
            o.polygon_groups = [(("group", "object", "material")[sorts[k]], g, part("polygon_group/%d" % k, np.zeros(0, np.int32)))
                                for k, g in enumerate(named)]
            self.objects.append(o)


def rotation_matrix(q):
    """3 x 3 matrix of the quaternion w x y z."""
    w, x, y, z = np.asarray(q, float) / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


class Recording:
    def __init__(self, path):
        self._zstd = None
        self._layouts = {}
        self._file = open(path, "rb")
        self._size = self._file.seek(0, 2)
        magic, version, _ = HEADER.unpack(self._bytes(0, HEADER.size).ljust(HEADER.size, b"\0"))
        if magic != MAGIC:
            raise RecordingError("this is no Sinew recording")
        if version != VERSION:
            raise RecordingError("the recording has version %d, this reader knows %d" % (version, VERSION))
        self.complete = self._read_index()  # False: the run was interrupted, the chunks were searched
        if not self.complete:
            self._search()
        self.frame_numbers = np.array([f[0] for f in self._frames], np.int32)
        self.times = np.array([f[1] for f in self._frames], float)
        first = self.layout(self._frames[0][2] if self._frames else 0)
        self.scene_name, self.fps, self.first_frame = first.scene_name, first.fps, first.first_frame
        self.objects = first.objects  # of the first frame; layout_of(i) if the run changed its topology

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __len__(self):
        return len(self._frames)

    def close(self):
        self._file.close()

    def _bytes(self, offset, size):
        self._file.seek(offset)
        return self._file.read(size)

    def _chunk_header(self, offset):
        """(tag, codec, stored size, raw size, frame, layout, time, checksum), or None if there is no whole chunk."""
        head = self._bytes(offset, CHUNK.size)
        if len(head) < CHUNK.size or zlib.crc32(head[:-4]) != struct.unpack("<I", head[-4:])[0]:
            return None
        fields = CHUNK.unpack(head)[:-1]
        return fields if offset + CHUNK.size + fields[2] <= self._size else None

    def _payload(self, offset, header):
        stored = self._bytes(offset + CHUNK.size, header[2])
        if zlib.crc32(stored) != header[7]:
            raise RecordingError("a chunk is damaged (wrong checksum)")
        if header[1] == 0:
            return memoryview(stored)
        if header[1] != 1:
            raise RecordingError("a chunk is compressed in an unknown way")
        self._zstd = self._zstd or _make_zstd()
        return memoryview(self._zstd(stored, header[3]))

    def _read_index(self):
        trailer = self._bytes(max(self._size - TRAILER.size, 0), TRAILER.size)
        if len(trailer) < TRAILER.size or trailer[8:] != END:
            return False
        offset = TRAILER.unpack(trailer)[0]
        header = self._chunk_header(offset)
        if not header or header[0] != b"INDX":
            return False
        try:
            a = parse_arrays(self._payload(offset, header))
            self._frames = list(zip(a["frame_number"].tolist(), a["frame_time"].tolist(),
                                    a["frame_layout"].tolist(), a["frame_offset"].tolist()))
            self._layout_offsets = dict(enumerate(a["layout_offset"].tolist()))
            return True
        except (RecordingError, KeyError):
            return False

    def _search(self):
        """Walks from chunk to chunk up to the first damaged one."""
        self._frames, self._layout_offsets, offset = [], {}, HEADER.size
        while True:
            header = self._chunk_header(offset)
            if not header:
                break
            if header[0] == b"LAYO":
                self._layout_offsets[header[5]] = offset
            if header[0] == b"FRAM":
                self._frames.append((header[4], header[6], header[5], offset))
            offset += CHUNK.size + header[2]
        if self._frames:  # a power cut may leave the last chunk with its header but without its data
            offset = self._frames[-1][3]
            header = self._chunk_header(offset)
            if zlib.crc32(self._bytes(offset + CHUNK.size, header[2])) != header[7]:
                self._frames.pop()

    def layout(self, number):
        """The number-th layout of the file."""
        if number not in self._layouts:
            offset = self._layout_offsets.get(number)
            header = self._chunk_header(offset) if offset else None
            if not header or header[0] != b"LAYO":
                raise RecordingError("layout %d is damaged" % number)
            self._layouts[number] = Layout(parse_arrays(self._payload(offset, header)))
        return self._layouts[number]

    def layout_of(self, index):
        """The layout of the index-th frame."""
        return self.layout(self._frames[index][2])

    def find(self, name):
        """Index of an object by its name."""
        for i, o in enumerate(self.objects):
            if o.name == name:
                return i
        raise KeyError(name)

    def read_frame(self, number):
        """The frame with this number."""
        found = np.flatnonzero(self.frame_numbers == number)
        if not len(found):
            raise KeyError("frame %d is not recorded" % number)
        return self.read(int(found[0]))

    def read(self, index):
        """The index-th frame."""
        number, time, layout_number, offset = self._frames[index]
        layout = self.layout(layout_number)
        header = self._chunk_header(offset)
        if not header or header[0] != b"FRAM":
            raise RecordingError("frame %d is damaged" % number)
        arrays = parse_arrays(self._payload(offset, header))
        frame = Frame()
        frame.frame, frame.time = number, time
        names = _texts(arrays.get("number_names", ""))
        frame.numbers = dict(zip(names, arrays.get("number_values", np.zeros(0)).tolist()))
        frame.objects = []
        positions, poses = arrays.get("position", np.zeros((0, 3))), arrays.get("pose", np.zeros((0, 7)))
        point, rigid = 0, 0
        for i, o in enumerate(layout.objects):
            f = ObjectFrame()
            f.pose = None
            if o.rigid:
                f.pose = poses[rigid]
                f.position = o.rest @ rotation_matrix(f.pose[3:]).T + f.pose[:3]
                rigid += 1
            else:
                f.position = positions[point:point + o.point_count]
                point += o.point_count
            f.alive = arrays.get("alive/%d" % i, np.ones(o.point_count, np.uint8)).astype(bool)
            f.id = arrays.get("id/%d" % i, np.arange(o.point_count, dtype=np.uint32))
            f.fields = {}
            frame.objects.append(f)
        for name, values in arrays.items():
            part = name.split("/", 2)
            if part[0] == "field":
                frame.objects[int(part[1])].fields[part[2]] = values[:, 0] if values.shape[1] == 1 else values
        return frame

    def positions(self, name):
        """Positions of one object over the whole run, frames x points x 3."""
        i = self.find(name)
        return np.stack([self.read(k).objects[i].position for k in range(len(self))])


def main(path):
    with Recording(path) as run:
        print("%s: scene \"%s\", %d frames, %g per second%s" % (
            path, run.scene_name, len(run), run.fps, "" if run.complete else ", interrupted"))
        if len(run):
            print("frames %d to %d, %g s to %g s" % (
                run.frame_numbers[0], run.frame_numbers[-1], run.times[0], run.times[-1]))
        last = run.read(len(run) - 1) if len(run) else None
        for i, o in enumerate((run.layout_of(len(run) - 1) if last else run).objects):
            fields = ", ".join(last.objects[i].fields) if last else ""
            print("  %s (%s%s): %d points, %d polygons, %d segments%s" % (
                o.name, o.kind, ", rigid" if o.rigid else "", o.point_count, len(o.polygon_begin) - 1,
                len(o.segments), "; fields " + fields if fields else ""))
        for name, value in (last.numbers if last else {}).items():
            print("  %s = %g" % (name, value))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: sinew_recording.py FILE.sinew")
    try:
        main(sys.argv[1])
    except (RecordingError, OSError) as error:
        sys.exit("%s: %s" % (sys.argv[1], error))
