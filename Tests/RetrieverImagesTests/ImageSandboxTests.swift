import Foundation
import TestSupport
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct ImageSandboxTests {
  private let target = ThumbnailTarget(width: 40, height: 30)

  private func sandbox(
    _ program: String? = nil, _ change: (inout ImageSandbox.Configuration) -> Void = { _ in }
  ) throws -> ImageSandbox {
    var configuration = ImageSandbox.Configuration()
    configuration.program = program ?? ChildProcess.path(ofProgram: "image-sandbox")
    change(&configuration)
    return try ImageSandbox(configuration)
  }

  private func files() throws -> [Data] {
    [
      try JPEGFixture.baseline(width: 200, height: 100), try JPEGFixture.progressive(width: 90, height: 80),
      PNGFixture(width: 50, height: 40, colorType: .rgba, depth: 8, isInterlaced: true).data(),
      try WebPEncoder.encode(drawnBitmap(width: 60, height: 50), quality: 0.8, isLossless: false),
      try WebPFixture.animation(), GIFFixture(transparent: 3, frameCount: 3).data(),
      try JPEGFixture.form(.cmyk8, width: 33, height: 44),
      JPEGFixture.adding(
        Array("Exif\0\0".utf8) + EXIFFixture.tiff(orientation: 6, isLittleEndian: true), marker: 0xE1,
        to: try JPEGFixture.baseline(width: 64, height: 32)),
      HEIFFixture.phone().data(), HEIFFixture(.gradientAV1).data(),
    ]
  }

  @Test func `thumbnails from the sandbox are those that are made without it`() async throws {
    let sandbox = try sandbox()
    for (index, file) in try files().enumerated() {
      for target in [target, ThumbnailTarget(width: 20, height: 20, mode: .fill(focus: .init(x: 0.2, y: 1)))]
      {
        let inside = try await sandbox.thumbnail(of: file, target)
        let outside = try await ImageSandbox.disabled.thumbnail(of: file, target)
        let image = try UIImage(validating: file)
        #expect(inside.format == image.format && outside.format == image.format)
        #expect(CGSize(width: inside.width, height: inside.height) == image.size)
        #expect(inside.frameCount == outside.frameCount)
        let isSame = try await inside.thumbnail.pixels() == outside.thumbnail.pixels()
        #expect(isSame, "file \(index)")
      }
    }
    #expect(sandbox.startedCount.load(ordering: .relaxed) == 1)
    #expect(sandbox.isEnabled && !ImageSandbox.disabled.isEnabled)
  }

  @Test func `damage is reported from the sandbox, or refused there`() async throws {
    let sandbox = try sandbox()
    let complete = try JPEGFixture.baseline(width: 200, height: 100)
    let cut = complete.dropLast(complete.count / 3)
    let inside = try await sandbox.thumbnail(of: cut, target, damage: .tolerate)
    let outside = try await ImageSandbox.disabled.thumbnail(of: cut, target, damage: .tolerate)
    #expect(inside.thumbnail.damage == outside.thumbnail.damage)
    #expect(inside.thumbnail.damage.map(\.kind) == [.incomplete])
    let isSame = try await inside.thumbnail.pixels() == outside.thumbnail.pixels()
    #expect(isSame)
    for sandbox in [sandbox, ImageSandbox.disabled] {
      await #expect {
        try await sandbox.thumbnail(of: cut, target)
      } throws: { error in
        (error as? ImageError)?.code == .truncated
      }
    }
  }

  @Test func `the sandbox denies files, the network, other processes, code and memory`() async throws {
    let output = try await runOnThread {
      try ChildProcess.run([ChildProcess.path(ofProgram: "sandbox-trial")])
    }
    let results = Dictionary(
      uniqueKeysWithValues: output.split(separator: "\n").map { line -> (String, Int32?) in
        let end = line.lastIndex(of: " ") ?? line.endIndex
        return (String(line[..<end]), Int32(line[end...].dropFirst()))
      })
    let denied = [
      "open", "create", "socket", "socketpair", "dup", "signal", "remove", "execute", "code", "limits",
    ]
    for name in denied { #expect(results[name] == .some(EPERM), "\(name)") }
    #expect(results["much memory"] == .some(ENOMEM))
    #expect(results["little memory"] == .some(0) && results["thread"] == .some(0))
    #expect(results.count == denied.count + 3)
  }

  @Test func `errors of images and limits come out of the sandbox as they are`() async throws {
    let sandbox = try sandbox()
    let jpeg = try JPEGFixture.baseline(width: 200, height: 100)
    for (data, limits, code) in [
      (Data("no image".utf8), ImageLimits(), ImageError.Code.unknownFormat),
      (Data(), ImageLimits(), .truncated),
      (jpeg.prefix(jpeg.count / 2), ImageLimits(), .truncated), (jpeg, ImageLimits(pixels: 100), .tooLarge),
      (jpeg, ImageLimits(bytes: 100), .tooLarge), (jpeg, ImageLimits(duration: .zero), .tooLarge),
    ] {
      await #expect { try await sandbox.thumbnail(of: data, target, limits: limits) } throws: { error in
        (error as? ImageError)?.code == code
      }
    }
    await #expect { try await sandbox.thumbnail(of: jpeg, ThumbnailTarget(width: 0, height: 9)) } throws: {
      ($0 as? ImageError)?.code == .invalidRequest
    }
    // The process is the same one, which decodes the next image.
    #expect(try await sandbox.thumbnail(of: jpeg, target).width == 200)
    #expect(sandbox.startedCount.load(ordering: .relaxed) == 1)
  }

  @Test func `a process that crashes gives an error, and another one takes its place`() async throws {
    let sandbox = try sandbox { $0.memory = 8 << 20 }
    // More than the process can allocate.
    await #expect { try await sandbox.thumbnail(of: Data(count: 40 << 20), target) } throws: { error in
      let error = error as? ImageError
      return error?.code == .sandboxFailed && error?.description.contains("signal") == true
    }
    let jpeg = try JPEGFixture.baseline(width: 200, height: 100)
    #expect(try await sandbox.thumbnail(of: jpeg, target).height == 100)
    #expect(sandbox.startedCount.load(ordering: .relaxed) == 2)
  }

  @Test func `a process is replaced after its last image`() async throws {
    let sandbox = try sandbox { $0.maximumImages = 2 }
    let jpeg = try JPEGFixture.baseline(width: 20, height: 10)
    for _ in 0..<5 { _ = try await sandbox.thumbnail(of: jpeg, target) }
    #expect(sandbox.startedCount.load(ordering: .relaxed) == 3)
  }

  @Test func `a process is replaced if its processor time may not suffice for the next image`() async throws {
    let sandbox = try sandbox { $0.processorSeconds = 20 }
    let jpeg = try JPEGFixture.baseline(width: 20, height: 10)
    for _ in 0..<3 { _ = try await sandbox.thumbnail(of: jpeg, target) }
    // By default, an image may take 30 seconds.
    #expect(sandbox.startedCount.load(ordering: .relaxed) == 3)
    let limits = ImageLimits(duration: .seconds(5))
    for _ in 0..<3 { _ = try await sandbox.thumbnail(of: jpeg, target, limits: limits) }
    #expect(sandbox.startedCount.load(ordering: .relaxed) == 3, "the last process has enough time for these")
  }

  @Test func `programs that are no sandbox give errors`() async throws {
    let jpeg = try JPEGFixture.baseline(width: 20, height: 10)
    for (program, reason) in [
      ("/bin/true", "status 0"), ("/bin/false", "status 1"), ("/nowhere/program", "No such file"),
    ] {
      let sandbox = try sandbox(program)
      await #expect { try await sandbox.thumbnail(of: jpeg, target) } throws: { error in
        let error = error as? ImageError
        return error?.code == .sandboxFailed && error?.description.contains(reason) == true
      }
    }
    // `sleep` with these arguments does not end.
    let silent = try sandbox("/bin/sleep") { $0.startTimeout = .milliseconds(30) }
    await #expect { try await silent.thumbnail(of: jpeg, target) } throws: { error in
      (error as? ImageError)?.description.contains("did not start") == true
    }
  }

  @Test(arguments: [Int.max, .min, 0]) func `limits out of range do not start the program itself`(limit: Int)
    async throws
  {
    let jpeg = try JPEGFixture.baseline(width: 20, height: 10)
    let unusual = try sandbox { ($0.processorSeconds, $0.memory) = (limit, limit) }
    do {
      _ = try await unusual.thumbnail(of: jpeg, target)
    } catch {
      // The smallest limits may not suffice. The program itself would end with status 2.
      #expect(limit <= 0 && "\(error)".contains("status 2") == false, "\(error)")
    }
  }

  @Test func `a process that ended between two images is replaced`() async throws {
    let directory = try TemporaryDirectory()
    let script = directory.path("start")
    let program = ChildProcess.path(ofProgram: "image-sandbox")
    try Data(
      """
      #!/bin/bash
      echo $$ >>'\(directory.path("processes"))'
      exec -a retriever-image-sandbox '\(program)' "$@"
      """.utf8
    ).write(to: URL(fileURLWithPath: script))
    #expect(chmod(script, 0o700) == 0)
    let sandbox = try sandbox(script)
    let jpeg = try JPEGFixture.baseline(width: 20, height: 10)
    _ = try await sandbox.thumbnail(of: jpeg, target)
    let process = try #require(
      pid_t(String(contentsOfFile: directory.path("processes"), encoding: .utf8).dropLast()))
    #expect(kill(process, SIGKILL) == 0)
    var information = siginfo_t()
    #expect(waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) == 0)
    _ = try await sandbox.thumbnail(of: jpeg, target)
    #expect(sandbox.startedCount.load(ordering: .relaxed) == 2)
  }

  @Test func `a cancelled task does not wait for the process`() async throws {
    let jpeg = try JPEGFixture.baseline(width: 20, height: 10)
    let silent = try sandbox("/bin/sleep") { $0.startTimeout = .seconds(200) }
    let task = Task { [target] in try await silent.thumbnail(of: jpeg, target) }
    while silent.startedCount.load(ordering: .relaxed) == 0 { await Task.yield() }
    task.cancel()
    await #expect(throws: ImageError.cancelled) { try await task.value }
  }

  @Test func `a program that does not take part cannot have a sandbox`() {
    // The tests' program does not call `runIfRequested`.
    #expect(!ImageSandbox.isAvailable)
    #expect(throws: ImageError.self) { try ImageSandbox(ImageSandbox.Configuration()) }
    #expect(!ImageSandbox.standard.isEnabled)
  }

  @Test func `requests keep all their values`() throws {
    let limits = ImageLimits(
      bytes: 1, pixels: 2, dimension: 3, frames: 4, memory: 5, duration: .milliseconds(1_234),
      animationPixels: 6)
    for mode in [ThumbnailTarget.Mode.fit, .stretch, .fill(focus: .init(x: 0.3, y: 0.7))] {
      let request = SandboxRequest(
        limits: limits, target: ThumbnailTarget(width: 7, height: 8, mode: mode, enlarges: true),
        policy: mode == .fit ? .strict : .tolerate, byteCount: 9)
      #expect(request.words.count == SandboxRequest.wordCount)
      #expect(SandboxRequest(words: request.words) == request)
    }
    #expect(SandboxRequest(words: []) == nil)
    #expect(SandboxRequest(words: [Int](repeating: 0, count: SandboxRequest.wordCount)) == nil)
  }

  @Test func `answers that cannot belong to the request are refused`() throws {
    let request = SandboxRequest(limits: ImageLimits(), target: target, byteCount: 9)
    let valid = [0, 1, 200, 100, 1, 40, 20, 0, 0, 2_400]
    #expect(SandboxAnswer.byteCount(valid, request: request) == 2_400)
    #expect(SandboxAnswer.byteCount([1, 2, 0, 0, 0, 0, 0, 0, 0, 30], request: request) == 30)
    for (index, values) in [
      0: [2, -1], 1: [-1, 99], 2: [0, -1, .max, 100_000], 3: [0, .min], 4: [0, -5, .max],
      5: [0, 41, .max, -1],
      6: [0, 31, .min], 7: [1, 2, -1], 8: [1, -1, .max], 9: [2_399, 2_401, -1, .max],
    ] {
      for value in values {
        var words = valid
        words[index] = value
        #expect(SandboxAnswer.byteCount(words, request: request) == nil, "\(words)")
      }
    }
    for words in [
      [1, 99, 0, 0, 0, 0, 0, 0, 0, 30], [1, -1, 0, 0, 0, 0, 0, 0, 0, 3], [1, 0, 0, 0, 0, 0, 0, 0, 0, 5_000],
      [1, 0, 0, 0, 0, 0, 0, 0, 0, -1], [1],
    ] {
      #expect(SandboxAnswer.byteCount(words, request: request) == nil, "\(words)")
    }
    // An image that is larger than what is made larger keeps its size.
    let large = SandboxRequest(
      limits: ImageLimits(pixels: 100_000_000), target: ThumbnailTarget(width: 10_000, height: 10_000),
      byteCount: 9)
    let unchanged = [0, 1, 10_000, 6_000, 1, 10_000, 6_000, 0, 0, 180_000_000]
    #expect(SandboxAnswer.byteCount(unchanged, request: large) == 180_000_000)
    let empty = SandboxRequest(
      limits: ImageLimits(frames: 0), target: ThumbnailTarget(width: 0, height: -3), byteCount: 0)
    #expect(SandboxAnswer.byteCount(valid, request: empty) == nil)
  }
}
