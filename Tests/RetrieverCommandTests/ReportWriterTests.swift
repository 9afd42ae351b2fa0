import Foundation
import TestSupport
import Testing

@testable import RetrieverCommand
@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct ReportWriterTests {
  private let program: Program
  private let picture: Data

  init() throws {
    program = try Program()
    let pixels = Array(repeating: ImagePixels.Pixel(red: 255, green: 0, blue: 0), count: 24)
    picture = try #require(UIImage(width: 6, height: 4, pixels: pixels)?.pngData())
    try picture.write(to: program.file("dog.png"))
  }

  @Test func `a report that cannot be written is an error`() async throws {
    let result = try await program.run("inspect", "--json", "dog.png", output: "/dev/full")
    #expect(result.status == 8)
    #expect(result.errors.contains("Could not write standard output: No space left on device"))
    let stripped = try await program.run(
      "strip", "--quiet", "--json", "-o", "clean.png", "dog.png", output: "/dev/full")
    #expect(stripped.status == 8)
  }

  @Test func `a reader of reports that ends also ends the command`() async throws {
    // More than a pipe holds.
    let files = Array(repeating: program.file("dog.png").path, count: 1000)
    let script = "set -o pipefail; \"$@\" | head -c 5 >/dev/null; exit ${PIPESTATUS[0]}"
    let child = try ChildProcess(
      ["bash", "-c", script, "bash", Program.path, "inspect", "--json"] + files,
      environment: program.environment, output: program.directory.path("errors"))
    #expect(await runOnThread { child.waitForEnd(within: .seconds(90)) } == .exited(141))
    #expect(try Data(contentsOf: program.directory.file("errors")).isEmpty)
  }

  @Test func `an infinite headroom of a gain map is left out`() throws {
    var metadata = try ImageMetadata(data: picture)
    var map = GainMap(kind: .ultraHDR, data: Data(), pixelWidth: 3, pixelHeight: 2)
    map.parameters = GainMap.Parameters()
    map.parameters?.capacityMaximum = 2000
    metadata.gainMap = map
    let line = try ReportWriter.line(PictureReport("dog.jpg", metadata))
    #expect(line.contains("\"gainMap\":{") && !line.contains("headroom"))
  }
}
