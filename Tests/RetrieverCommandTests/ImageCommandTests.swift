import Foundation
import RetrieverImages
import TestSupport
import Testing

@testable import RetrieverCommand

@Suite(.timeLimit(.minutes(5))) struct ImageCommandTests {
  private let program: Program

  init() throws { program = try Program() }

  private func picture(_ color: ImagePixels.Pixel, width: Int = 60, height: Int = 40) throws -> Data {
    let pixels = Array(repeating: color, count: width * height)
    return try #require(UIImage(width: width, height: height, pixels: pixels)?.pngData())
  }

  private let red = ImagePixels.Pixel(red: 255, green: 0, blue: 0)
  private let blue = ImagePixels.Pixel(red: 0, green: 0, blue: 255)

  private func image(_ name: String) throws -> UIImage {
    try UIImage(validating: try #require(program.contents(name), "\(program.files)"))
  }

  @Test func thumbnailsAreMadeOfURLsAndFiles() async throws {
    let data = try picture(red)
    let server = try ScriptedServer.http { _ in Reply(headers: [("Content-Type", "image/png")], body: data) }
    try data.write(to: program.file("dog.png"))
    let result = try await program.run(
      "thumbnail", "--size", "30x30", "dog.png", server.address("/photos/rex.png"))
    #expect(result.status == 0, "\(result.errors)")
    #expect(program.files == ["dog-30x30.jpg", "dog.png", "rex-30x30.jpg"])
    for name in ["dog-30x30.jpg", "rex-30x30.jpg"] {
      #expect(try image(name).size == CGSize(width: 30, height: 20))
      #expect(try image(name).format == .jpeg)
    }
  }

  @Test func theWayToFitAndTheFormatAreChosen() async throws {
    try picture(red).write(to: program.file("dog.png"))
    for (arguments, size) in [
      (["--fill"], (30, 30)), (["--stretch"], (30, 30)), (["--fit"], (30, 20)),
    ] {
      let all = ["thumbnail", "-s", "30", "-o", "small.webp", "-f"] + arguments + ["dog.png"]
      #expect(try await program.start(all).end().status == 0)
      #expect(try image("small.webp").size == CGSize(width: size.0, height: size.1))
      #expect(try image("small.webp").format == .webp)
    }
    #expect(try await program.run("thumbnail", "-s", "9", "--fit", "--fill", "dog.png").status == 2)
    #expect(try await program.run("thumbnail", "dog.png").status == 2)
  }

  @Test func `animated thumbnails have the frames of files and URLs`() async throws {
    let pictures = [red, blue, red].compactMap { try? UIImage(data: picture($0)) }
    let animation = try #require(UIImage.animatedImage(with: pictures, duration: 3))
    let data = try await animation.data(as: .webp())
    let server = try ScriptedServer.http { $0.path == "/rex" ? Reply(body: data) : Reply(404) }
    try data.write(to: program.file("dog.webp"))
    let result = try await program.run(
      "thumbnail", "--animated", "-s", "30", "dog.webp", server.address("/rex"))
    #expect(result.status == 0, "\(result.errors)")
    for name in ["dog-30x30.webp", "rex-30x30.webp"] {
      let thumbnail = try image(name)
      #expect(thumbnail.size == CGSize(width: 30, height: 20))
      var durations: [Duration] = []
      for try await frame in thumbnail.frames { durations.append(frame.duration) }
      #expect(durations == [.seconds(1), .seconds(1), .seconds(1)])
    }
    #expect(
      try await program.run("thumbnail", "--animated", "-s", "9", "--frames", "1", "dog.webp").status == 0)
    #expect(try await program.run("thumbnail", "--animated", "-s", "8", server.address("/no")).status == 6)
    #expect(try await program.run("thumbnail", "--animated", "-s", "8", "none.gif").status == 8)
    for arguments in [["--animated", "--format", "png"], ["--animated", "-o", "a.jpg"], ["--frames", "2"]] {
      #expect(try await program.start(["thumbnail", "-s", "9", "dog.webp"] + arguments).end().status == 2)
    }
  }

  @Test func `an archive has the requests for animations, lists and images`() async throws {
    let server = try pictureServer(ids: ["red"])
    _ = try await program.run(
      "thumbnail", "--animated", "-s", "9", "--har", "all.har", server.address("/photos/blue.png"))
    #expect(try program.archivedPaths("all.har") == ["/photos/blue.png"])
    let collage = try await program.run(
      "collage", "--har", "all.har", "--base", server.address("/photos/{id}.png"), server.address("/ids"))
    #expect(collage.status == 0, "\(collage.errors)")
    #expect(try program.archivedPaths("all.har") == ["/ids", "/photos/red.png"])
  }

  @Test func `the list of a collage is requested with the header fields of the command line`() async throws {
    let data = try picture(red)
    let server = try ScriptedServer.http { request in
      guard request["X-Dog"] == "rex" else { return Reply(401) }
      return request.path == "/ids" ? Reply(text: "red\n") : Reply(body: data)
    }
    let result = try await program.run(
      "collage", "-H", "X-Dog: rex", "--base", server.address("/photos/{id}.png"), server.address("/ids"))
    #expect(result.status == 0, "\(result.errors)")
    #expect(server.requests.map(\.path) == ["/ids", "/photos/red.png"])
  }

  @Test func `a verbose thumbnail command prints each request and response`() async throws {
    let server = try pictureServer(ids: [])
    let address = server.address("/photos/red.png")
    for more in [[], ["--animated"]] {
      let result = try await program.start(["thumbnail", "-v", "-f", "-s", "9", address] + more).end()
      #expect(result.status == 0)
      #expect(result.errors.contains("> GET \(address)\n"), "\(result.errors)")
      #expect(result.errors.contains("< 200 OK, HTTP/1.1"), "\(result.errors)")
    }
  }

  @Test(arguments: ["Basic", "Digest"], [[], ["--animated"]])
  func `a thumbnail signs in when the server asks`(scheme: String, more: [String]) async throws {
    let red = try picture(red)
    let server = try ScriptedServer.http { request in
      if request["Authorization"]?.hasPrefix("\(scheme) ") == true { return Reply(body: red) }
      let challenge = "\(scheme) realm=\"kennel\", nonce=\"7\", qop=\"auth\", algorithm=SHA-256"
      return Reply(401, headers: [("WWW-Authenticate", challenge)])
    }
    let arguments = ["thumbnail", "--user", "rex:bone", "-f", "-s", "9", server.address("/red.png")]
    let result = try await program.start(arguments + more).end()
    #expect(result.status == 0, "\(result.errors)")
    #expect(server.requests.map { $0["Authorization"] != nil } == [false, true])
  }

  @Test func `a collage asks for the credentials once`() async throws {
    let server = try pictureServer(ids: ["red"])
    let result = try await program.run(
      "collage", "--user", "rex:bone", "--base", server.address("/photos/{id}.png"), server.address("/ids"))
    #expect(result.status == 0)
    #expect(result.errors.components(separatedBy: "is visible to all users").count == 2, "\(result.errors)")
  }

  @Test func `errors of a collage do not contain the secrets of a list`() async throws {
    let server = try pictureServer(ids: [])
    let line = "http://u:secret@\(server.authority)/no?token=geheim\n"
    try Data(line.utf8).write(to: program.file("list"))
    let result = try await program.run("collage", "--json", "list")
    #expect(result.status == 6)
    #expect(result.errors.contains("retriever: http://REDACTED@\(server.authority)/no?token=REDACTED: "))
    #expect(!(result.errors + result.text).contains("geheim"))
    #expect(!(result.errors + result.text).contains("secret"))
  }

  @Test func `a file with a long name has a thumbnail`() async throws {
    let stem = String(repeating: "a", count: 240)
    try picture(red).write(to: program.file("\(stem).png"))
    let result = try await program.run("thumbnail", "--size", "320x320", "\(stem).png")
    #expect(result.status == 0, "\(result.errors)")
    #expect(program.files == ["\(stem.dropLast(12))-320x320.jpg", "\(stem).png"])
  }

  @Test func whatIsNoImageIsToldAndTheRestIsDone() async throws {
    let server = try ScriptedServer.http { $0.path == "/text" ? Reply(text: "hello") : Reply(404) }
    try picture(red).write(to: program.file("dog.png"))
    #expect(try await program.run("thumbnail", "-s", "9", server.address("/text")).status == 9)
    #expect(try await program.run("thumbnail", "-s", "9", server.address("/none")).status == 6)
    #expect(try await program.run("thumbnail", "-s", "9", "nothing.png").status == 8)
    #expect(try await program.run("thumbnail", "-s", "9", "--max-size", "10", "dog.png").status == 11)
    let mixed = try await program.run("thumbnail", "-s", "9", "dog.png", server.address("/text"))
    #expect(mixed.status == 10 && program.files.contains("dog-9x9.jpg"))
    #expect(mixed.errors.contains("retriever: \(server.address("/text")): "))
    #expect(try await program.run("thumbnail", "-s", "9", "dog.png").status == 8, "the file already exists")
  }

  @Test func `a damaged image gives a warning, and an error with --strict`() async throws {
    let complete = try picture(red, width: 300, height: 300)
    try complete.prefix(complete.count * 2 / 3).write(to: program.file("half.png"))
    let result = try await program.run("thumbnail", "-s", "30", "--json", "half.png")
    #expect(result.status == 0 && program.files == ["half-30x30.jpg", "half.png"], "\(result.errors)")
    #expect(result.errors.contains("half.png: The PNG image is incomplete"))
    #expect(result.text.contains("\"damage\":[\"The PNG image is incomplete"))
    let strict = try await program.run("thumbnail", "-s", "30", "-f", "--strict", "half.png")
    #expect(strict.status == 9 && !strict.errors.contains("could be decoded"))
    try Data("half.png\n".utf8).write(to: program.file("list"))
    let drawn = try await program.run("collage", "list")
    #expect(
      drawn.status == 0 && drawn.errors.contains("half.png: The PNG image is incomplete"), "\(drawn.errors)")
    #expect(try await program.run("collage", "--strict", "-f", "list").status == 9)
  }

  @Test func `a damaged still image has an animated thumbnail with a warning, and an error with --strict`()
    async throws
  {
    let complete = try picture(red, width: 300, height: 300)
    try complete.prefix(complete.count * 2 / 3).write(to: program.file("half.png"))
    let result = try await program.run("thumbnail", "-s", "30", "--animated", "--json", "half.png")
    #expect(result.status == 0 && program.files == ["half-30x30.webp", "half.png"], "\(result.errors)")
    #expect(result.errors.contains("half.png: The PNG image is incomplete"))
    #expect(result.text.contains("\"damage\":[\"The PNG image is incomplete"))
    let strict = try await program.run("thumbnail", "-s", "30", "-f", "--animated", "--strict", "half.png")
    #expect(strict.status == 9 && !strict.errors.contains("could be decoded"), "\(strict.errors)")
  }

  private func pictureServer(ids: [String]) throws -> ScriptedServer {
    let (red, blue) = (try picture(red), try picture(blue))
    return try ScriptedServer.http { request in
      switch request.path {
      case "/ids": Reply(text: "# dogs\n" + ids.joined(separator: "\n") + "\n\n", framing: .chunked(5))
      case "/photos/red.png": Reply(body: red)
      case "/photos/blue.png": Reply(body: blue)
      case "/photos/text.png": Reply(text: "no image")
      default: Reply(404)
      }
    }
  }

  @Test func aCollageHasItsImagesInTheOrderOfTheListAndEmptyCellsForThoseThatFail() async throws {
    let server = try pictureServer(ids: ["red", "text", "missing", "blue", "red"])
    let result = try await program.run(
      "collage", "--base", server.address("/photos/{id}.png"), "--columns", "2", "--cell", "10x10",
      "--spacing", "2", "--background", "#00ff00", "-o", "dogs.png", "--json", server.address("/ids"))
    #expect(result.status == 10)
    #expect(result.errors.contains("retriever: text: ") && result.errors.contains("retriever: missing: "))
    #expect(result.text.contains("\"failed\":2") && result.text.contains("\"images\":3"))
    let pixels = try await image("dogs.png").pixels()
    #expect(pixels.width == 26 && pixels.height == 38)
    let green = ImagePixels.Pixel(red: 0, green: 255, blue: 0)
    let middles = [(7, 7), (19, 7), (7, 19), (19, 19), (7, 31), (19, 31)]
    #expect(middles.map { pixels[$0.0, $0.1] } == [red, green, green, blue, red, green])
  }

  @Test func aListMayBeAFileOrStandardInput() async throws {
    let server = try pictureServer(ids: [])
    try Data("\(server.address("/photos/red.png"))\nblue.png\n".utf8).write(to: program.file("list"))
    try picture(blue).write(to: program.file("blue.png"))
    #expect(try await program.run("collage", "list").status == 0)
    #expect(try image("collage.jpg").size == CGSize(width: 344, height: 176))
    let piped = try await program.run(
      "collage", "-o", "-", "--base", server.address("/photos/"), "-", input: program.file("list").path)
    #expect(piped.status == 0, "\(piped.errors)")
    #expect(try UIImage(validating: piped.output).size.width == 344)
  }

  @Test func `the list of a collage may be a file URL`() async throws {
    try Data("red.png\n".utf8).write(to: program.file("my list"))
    try picture(red).write(to: program.file("red.png"))
    let result = try await program.run("collage", program.file("my list").absoluteString)
    #expect(result.status == 0 && program.files.contains("collage.jpg"), "\(result.errors)")
  }

  @Test func withoutAnyImageThereIsNoCollage() async throws {
    let server = try pictureServer(ids: ["text"])
    let base = server.address("/photos/{id}.png")
    #expect(try await program.run("collage", "--base", base, server.address("/ids")).status == 9)
    #expect(try await program.run("collage", "--base", base, server.address("/none")).status == 6)
    #expect(try await program.run("collage", "/no/such/list").status == 8)
    #expect(program.files.isEmpty)
  }

  @Test func ctrlCLeavesNothingBehind() async throws {
    let asked = Gate()
    let server = try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        if request.path == "/ids" {
          try connection.send(Reply(text: "a\nb\n"))
        } else {
          asked.open()
          try connection.hold()
        }
      }
    }
    let running = try program.start(["collage", server.address("/ids")])
    #expect(await asked.wait(within: .seconds(90)))
    running.interrupt()
    let result = try await running.end()
    #expect(result.status == 130 && program.files.isEmpty)
    #expect(result.errors == "Cancelled. No collage was created.\n")
  }
}
