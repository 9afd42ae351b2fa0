"""HEIF files (ISO/IEC 23008-12), written box by box around pixels that Debian's heif-enc and avifenc encode.

The encoders write one coded image a file. This module puts such images together as phones do: as tiles of a grid, with
a rotation, a profile, a thumbnail and Exif data.
"""

import pathlib
import struct
import subprocess
import tempfile

from PIL import Image


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{command[0]} failed: {done.stdout}{done.stderr}")


def box(kind, content):
    return struct.pack(">I", 8 + len(content)) + kind.encode() + content


def full(kind, content, version=0, flags=0):
    return box(kind, struct.pack(">I", version << 24 | flags) + content)


def boxes(data):
    """Returns the boxes in data as pairs of a type and the content."""
    found, start = [], 0
    while start < len(data):
        size, kind = struct.unpack_from(">I4s", data, start)
        head = 8
        if size == 1:
            size, head = struct.unpack_from(">Q", data, start + 8)[0], 16
        found.append((kind.decode("latin-1"), data[start + head:start + size]))
        start += size
    return found


class Coded:
    """A coded image of a file by heif-enc or avifenc with only one: its data, and its properties as boxes."""

    def __init__(self, data):
        meta = dict(boxes(data))["meta"][4:]
        parts = dict(boxes(meta))
        kinds = [content[8:12].decode() for kind, content in boxes(parts["iinf"][6:]) if kind == "infe"]
        self.kind = kinds[0]
        # Version 0 or 1, offsets and lengths of 4 bytes or none, one extent.
        location = parts["iloc"]
        sizes = location[4] << 8 | location[5]
        where = 8 + (6 if location[0] else 4) + (sizes >> 4 & 15)
        base = int.from_bytes(location[where - (sizes >> 4 & 15):where])
        where += 2 + ((sizes & 15) if location[0] else 0)
        offset, length = sizes >> 12, sizes >> 8 & 15
        start = base + int.from_bytes(location[where:where + offset])
        self.data = data[start:start + int.from_bytes(location[where + offset:where + offset + length])]
        properties = boxes(dict(boxes(parts["iprp"]))["ipco"])
        self.properties = {kind: box(kind, content) for kind, content in properties}

    @property
    def needed(self):
        """What the decoder needs: the configuration, and the colors if the coded data does not declare them."""
        return [self.properties[kind] for kind in ("hvcC", "av1C", "colr") if kind in self.properties]


def encode(image, kind, *options):
    """Returns the file that an encoder makes of a Pillow image."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = pathlib.Path(folder, "source.png"), pathlib.Path(folder, f"result.{kind}")
        if isinstance(image, Image.Image):
            image.save(source)
        else:
            source = image
        if kind == "heic":
            run("heif-enc", *options, source, "-o", result)
        else:
            run("avifenc", "-s", "8", *options, source, result)
        return result.read_bytes()


def decode(path):
    """Returns a file as Pillow image, decoded with heif-convert, which applies rotations and crops."""
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder, "result.png")
        run("heif-convert", path, result)
        with Image.open(result) as image:
            image.load()
            return image


class Writer:
    """Collects items, and writes the file."""

    def __init__(self, brand="heic", primary=1):
        self.brand, self.primary = brand, primary
        self.properties, self.items, self.references = [], [], []

    def add(self, kind, data, properties=(), in_meta=False, is_hidden=False):
        """Adds an item, and returns its number. Properties are boxes, all but the size essential."""
        places = []
        for each in properties:
            if each not in self.properties:
                self.properties.append(each)
            places.append(self.properties.index(each) + 1 | (0 if each[4:8] in (b"ispe", b"colr", b"pixi") else 0x80))
        self.items.append((kind, data, places, in_meta, is_hidden))
        return len(self.items)

    def refer(self, kind, source, *targets):
        self.references.append(box(kind, struct.pack(f">HH{len(targets)}H", source, len(targets), *targets)))

    def _meta(self, start):
        infos, places, links, kept = b"", b"", b"", b""
        for number, (kind, data, properties, in_meta, is_hidden) in enumerate(self.items, 1):
            infos += full("infe", struct.pack(">HH4sB", number, 0, kind.encode(), 0), version=2, flags=int(is_hidden))
            offset = len(kept) if in_meta else start
            places += struct.pack(">HHHHII", number, 1 if in_meta else 0, 0, 1, offset, len(data))
            if in_meta:
                kept += data
            else:
                start += len(data)
            if properties:
                links += struct.pack(">HB", number, len(properties)) + bytes(properties)
        associated = sum(1 for item in self.items if item[2])
        content = full("hdlr", struct.pack(">I4s12sB", 0, b"pict", b"", 0))
        content += full("pitm", struct.pack(">H", self.primary))
        content += full("iloc", struct.pack(">HH", 0x4400, len(self.items)) + places, version=1)
        content += full("iinf", struct.pack(">H", len(self.items)) + infos)
        if self.references:
            content += full("iref", b"".join(self.references))
        content += box("iprp", box("ipco", b"".join(self.properties)) + full("ipma", struct.pack(">I", associated) + links))
        if kept:
            content += box("idat", kept)
        return full("meta", content)

    def bytes(self, mdat_first=False):
        start = box("ftyp", self.brand.encode() + struct.pack(">I", 0) + b"mif1" + self.brand.encode())
        data = box("mdat", b"".join(item[1] for item in self.items if not item[3]))
        if mdat_first:
            return start + data + self._meta(len(start) + 8)
        head = self._meta(0)
        return start + self._meta(len(start) + len(head) + 8) + data


def size(width, height):
    return full("ispe", struct.pack(">II", width, height))


def rotation(quarter_turns_left):
    return box("irot", bytes([quarter_turns_left]))


def mirroring(swaps_sides):
    return box("imir", bytes([1 if swaps_sides else 0]))


def profile(icc):
    return box("colr", b"prof" + icc)


def grid(image, tile, kind="heic", options=(), properties=(), exif=None, thumbnail=False, mdat_first=False):
    """Returns a file with a grid of square tiles, in the order of an iPhone: tiles, grid, thumbnail, Exif."""
    columns, rows = -(-image.width // tile), -(-image.height // tile)
    # The last tiles repeat the last column and row.
    padded = _padded(image, columns * tile, rows * tile)
    writer = Writer("heic" if kind == "heic" else "avif", primary=rows * columns + 1)
    tiles = []
    for row in range(rows):
        for column in range(columns):
            part = padded.crop((column * tile, row * tile, (column + 1) * tile, (row + 1) * tile))
            coded = Coded(encode(part, kind, *options))
            tiles.append(writer.add(coded.kind, coded.data, [*coded.needed, size(tile, tile)], is_hidden=True))
    description = struct.pack(">BBBBHH", 0, 0, rows - 1, columns - 1, *image.size)
    main = writer.add("grid", description, [size(*image.size), *properties], in_meta=True)
    writer.refer("dimg", main, *tiles)
    if thumbnail:
        small = image.resize((128, 96))
        coded = Coded(encode(small, kind, *options))
        writer.refer("thmb", writer.add(coded.kind, coded.data, [*coded.needed, size(128, 96)]), main)
    if exif:
        writer.refer("cdsc", writer.add("Exif", struct.pack(">I", 6) + b"Exif\0\0" + exif), main)
    return writer.bytes(mdat_first)


def _padded(image, width, height):
    result = Image.new(image.mode, (width, height))
    result.paste(image.resize((width, height), Image.Resampling.NEAREST,
                              (image.width - 1, image.height - 1, image.width, image.height)))
    result.paste(image.crop((0, image.height - 1, image.width, image.height)).resize((image.width, height)))
    result.paste(image.crop((image.width - 1, 0, image.width, image.height)).resize((width, image.height)))
    result.paste(image)
    return result
