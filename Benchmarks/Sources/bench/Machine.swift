// The machine and the versions of the programs.
import Foundation

struct Machine {
  struct Fact: Codable, Equatable {
    let name: String
    let value: String
  }

  /// The facts in display order.
  let facts: [Fact]

  init(_ place: Place) {
    let processors = ProcessInfo.processInfo.activeProcessorCount
    let imageLibraries =
      "import PIL, pyvips, ssimulacra2; "
      + "print(\".\".join(str(pyvips.version(part)) for part in range(3)), PIL.__version__, ssimulacra2.__version__)"
    let memory = Double(ProcessInfo.processInfo.physicalMemory) / Double(1 << 30)
    let facts = [
      (
        "Retriever",
        Machine.firstLine(of: "git", ["-C", place.root.path, "describe", "--always", "--dirty", "--tags"])
      ),
      ("Processor", "\(Machine.field("model name", of: "/proc/cpuinfo") ?? "unknown"), \(processors) in use"),
      ("Memory", "\(short(memory)) GiB"),
      ("System", Machine.field("PRETTY_NAME", of: "/etc/os-release") ?? "unknown"),
      ("Kernel", Machine.firstLine(of: "uname", ["-sr"])),
      ("Swift", Machine.firstLine(of: "swift", ["--version"])),
      ("libcurl and curl", Machine.firstLine(of: "curl", ["--version"])),
      ("nginx", Machine.firstLine(of: "nginx", ["-v"])),
      ("Go", Machine.firstLine(of: "go", ["version"])),
      ("C compiler", Machine.firstLine(of: "gcc", ["--version"])),
      ("libvips, Pillow, SSIMULACRA2", Machine.firstLine(of: place.python, ["-c", "'\(imageLibraries)'"])),
      ("thumbor", Machine.firstLine(of: place.thumbor, ["--version"])),
      ("wrk", Machine.firstLine(of: "wrk", ["-v"])),
      ("h2load", Machine.firstLine(of: "h2load", ["--version"])),
      ("libmicrohttpd", Machine.firstLine(of: "pkg-config", ["--modversion", "libmicrohttpd"])),
      (
        "libjpeg-turbo, libpng, libwebp",
        Machine.firstLine(of: "pkg-config", ["--modversion libjpeg libpng libwebp | paste -sd ' '"])
      ),
    ]
    self.facts = facts.map { Fact(name: $0.0, value: $0.1) }
  }

  private static func field(_ name: String, of file: String) -> String? {
    guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return nil }
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.split(maxSplits: 1, whereSeparator: { $0 == ":" || $0 == "=" }).last.map {
      $0.trimmingCharacters(in: CharacterSet(charactersIn: " \t\""))
    }
  }

  /// Reads both output streams, because nginx prints its version to standard error.
  private static func firstLine(of name: String, _ arguments: [String]) -> String {
    let command = ([Place.program(name) ?? name] + arguments).joined(separator: " ")
    guard let child = try? Child("/bin/sh", ["-c", "\(command) 2>&1"]),
      let line = try? child.line(within: 20)
    else { return "unknown" }
    return line
  }
}
