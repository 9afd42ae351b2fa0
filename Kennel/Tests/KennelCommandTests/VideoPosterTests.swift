import Foundation
import Glibc
import KennelTestSupport
import Retriever
import RetrieverImages
import TestSupport
import Testing

@testable import KennelCommand
@testable import KennelModel
@testable import KennelStorage

/// Posters of videos. Debian's ffmpeg makes the videos and the posters.
@Suite(.timeLimit(.minutes(5)), .serialized) struct VideoPosterTests {
  /// Makes a video with a place: blue, 320 × 180 pixels, 3 seconds.
  private static func makeVideo(_ path: String, codec: String = "libx264", turned: Bool = false) async throws
  {
    let child = try ChildProcess(
      [
        "/usr/bin/ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=c=blue:s=320x180:d=3:r=10", "-c:v",
        codec,
        "-pix_fmt", "yuv420p", "-metadata", "location=+52.5200+013.4050/", "-metadata", "title=Secret walk",
      ] + (turned ? ["-metadata:s:v:0", "rotate=90"] : []) + [path])
    #expect(try await Kennel.end(of: child) == 0)
  }

  private func withPrograms<Value: Sendable>(
    _ programs: VideoPoster.Programs, _ body: () async throws -> Value
  ) async throws -> Value {
    VideoPoster.use(programs)
    defer { VideoPoster.use(nil) }
    return try await body()
  }

  /// Writes a program in place of ffmpeg.
  private func script(_ text: String, in directory: TemporaryDirectory) throws -> VideoPoster.Programs {
    try directory.write(Data("#!/usr/bin/perl\n\(text)\n".utf8), to: "decoder")
    chmod(directory.path("decoder"), 0o755)
    return VideoPoster.Programs(ffmpeg: directory.path("decoder"), launcher: Kennel.path)
  }

  private func video(in directory: TemporaryDirectory) throws -> String {
    try directory.write(MovieFixture.phone.data(), to: "video")
    return directory.path("video")
  }

  @Test(arguments: ["libx264", "libx265"]) func `the poster is a frame of the video`(codec: String)
    async throws
  {
    let directory = try TemporaryDirectory()
    let path = directory.path("video.mp4")
    try await Self.makeVideo(path, codec: codec, turned: codec == "libx265")
    let metadata = try await MovieMetadata(contentsOf: URL(fileURLWithPath: path))
    #expect(abs((metadata.location?.latitude ?? 0) - 52.52) < 0.001 && abs(metadata.seconds - 3) < 0.2)
    let picture = try await withPrograms(
      VideoPoster.Programs(ffmpeg: "/usr/bin/ffmpeg", launcher: Kennel.path, timeout: .seconds(120))
    ) { try await VideoPoster.picture(ofFileAt: path) }
    #expect(!picture.isPlaceholder)
    let image = try #require(UIImage(data: picture.data))
    #expect(Int(image.size.width) == metadata.pixelWidth && Int(image.size.height) == metadata.pixelHeight)
    let pixels = try await image.pixels()
    let middle = try #require(pixels[pixels.width / 2, pixels.height / 2])
    #expect(middle.blue > 200 && middle.red < 40 && middle.green < 40)
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it checks the kennel, which needs SQLite"))
  func `an imported video has a poster, and others do not get its place`() async throws {
    let kennel = try await Kennel.withOwner()
    try FileManager.default.createDirectory(
      at: kennel.directory.file("photos"), withIntermediateDirectories: true)
    try kennel.directory.write(Data(), to: "photos/notes.txt")
    let path = kennel.directory.path("photos/walk.mp4")
    try await Self.makeVideo(path)
    let imported = try await kennel.run("import", kennel.directory.path("photos"))
    #expect(imported.status == 0 && imported.output == "1 photo posted by Ada, 1 other file skipped\n")
    let server = try await kennel.start("serve", "--port", "0")
    let (data, response) = try await URLSession.shared.data(
      from: server.url("/posts/1/thumbnail?size=240&format=jpeg"))
    #expect(
      (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Cache-Control")?.hasSuffix("immutable")
        == true)
    let pixels = try await #require(UIImage(data: data)).pixels()
    #expect(try #require(pixels[10, 10]).blue > 200)
    let (list, _) = try await URLSession.shared.data(from: server.url("/posts"))
    #expect(!String(decoding: list, as: UTF8.self).contains("\"thumbHash\":\"\""))
    let (video, _) = try await URLSession.shared.data(from: server.url("/posts/1/photo"))
    #expect(video.range(of: Data("52.52".utf8)) == nil && video.range(of: Data("Secret walk".utf8)) == nil)
    #expect(video.count == (try Data(contentsOf: URL(fileURLWithPath: path)).count))
    #expect(try await server.end() == 0)
    let check = try await kennel.run("check")
    #expect(check.status == 0, "\(check.output)\(check.errors)")
  }

  @Test func `a decoder that was taken over can read only the video and libraries`() async throws {
    let directory = try TemporaryDirectory()
    let path = try video(in: directory)
    let programs = try script(
      """
      my @able;
      push @able, "write" if open(A, ">", "\(directory.path("written"))");
      push @able, "remove" if unlink("\(path)");
      push @able, "socket" if socket(B, 2, 1, 0);
      push @able, "fork" if defined(fork());
      push @able, "kill" if kill(0, getppid());
      use Config;
      my $limits = pack("QQ", 0, 0);
      push @able, "limits" if syscall($Config{archname} =~ /x86_64/ ? 302 : 261, getppid(), 4, $limits, 0) == 0;
      push @able, "signals" if fcntl(STDIN, 8, getppid());
      push @able, "other" if open(C, "<", "/etc/passwd");
      push @able, "video" if open(D, "<", "/proc/self/fd/0") && read(D, $e, 8) == 8;
      print join(" ", @able);
      """, in: directory)
    let picture = try await withPrograms(programs) { try await VideoPoster.picture(ofFileAt: path) }
    // Without Landlock, files that everyone may read can be read.
    let able = String(decoding: picture.data, as: UTF8.self)
    #expect(able == (VideoPoster.limitsFiles ? "video" : "other video"))
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test(arguments: [
    "while (1) {}", "print 'x' x 17000000;", "exit 1;", "print 'x'; exit 1;", "kill 9, $$;",
    "$| = 1; print 'x'; close STDOUT; sleep 1000;",
    "my $a = 'x' x 2000000000; print length($a);",
  ]) func `a decoder that fails, takes too long or needs too much gives a drawn poster`(text: String)
    async throws
  {
    let directory = try TemporaryDirectory()
    var programs = try script(text, in: directory)
    if text.hasPrefix("while") || text.contains("sleep") { programs.timeout = .milliseconds(300) }
    let path = try video(in: directory)
    let picture = try await withPrograms(programs) { try await VideoPoster.picture(ofFileAt: path) }
    #expect(picture.isPlaceholder)
    let image = try #require(UIImage(data: picture.data))
    #expect(image.size.height == 640 && image.size.width == 360)
  }

  @Test func `a setting for ffmpeg must name a program`() async throws {
    let kennel = try await Kennel.withOwner()
    let result = try await kennel.run("serve", "--ffmpeg", "/nowhere/ffmpeg")
    #expect(result.status == 2 && result.errors.contains("must be the absolute path of the program ffmpeg"))
  }
}
