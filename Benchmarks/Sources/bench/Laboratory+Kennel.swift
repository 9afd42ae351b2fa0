// Measures a running Kennel, and its peers with the same data.
import Foundation

/// The work that a kennel does in a measurement.
enum KennelTask {
  /// Serves a page to many concurrent clients.
  case page(String)
  /// Serves a page to many concurrent clients that have it already.
  case unchanged(String)
  /// Makes thumbnails that are not in the cache.
  case newThumbnails(PictureFile)
  /// Stores hearts. Each is on the disk before the response.
  case hearts
  /// Reports a heart to many event listeners.
  case listeners
}

extension Laboratory {
  func kennel(_ contender: Contender, _ task: KennelTask) throws -> Reading {
    let data = try KennelData(place)
    switch task {
    case .page(let path): return try page(contender, path, data)
    case .unchanged(let path): return try unchanged(contender, path, data)
    case .newThumbnails(let picture): return try newThumbnails(contender, picture, data)
    case .hearts: return try hearts(contender, data)
    case .listeners: return try listeners(contender, data)
    }
  }

  private func page(_ contender: Contender, _ path: String, _ data: KennelData) throws -> Reading {
    let kennel = try KennelService(place, data)
    let name = "kennel-page"
    let file = place.work.appending(path: "files/\(name)")
    // nginx sends Kennel's response as a file. This also warms up Kennel before the measurement.
    try kennel.fetch(path, into: file)
    let connections = contender.count ?? 64
    guard contender.program == .nginx else {
      return try withExtendedLifetime(kennel) {
        let before = kennel.processorSeconds
        let statement = try wrk(kennel.url(path), connections: connections).statement
        return Reading(statement: statement, cpuSeconds: kennel.processorSeconds - before)
      }
    }
    let before = web.processorSeconds
    let statement = try wrk(web.url(name), connections: connections).statement
    return Reading(statement: statement, cpuSeconds: web.processorSeconds - before)
  }

  private func unchanged(_ contender: Contender, _ path: String, _ data: KennelData) throws -> Reading {
    let kennel = try KennelService(place, data)
    return try withExtendedLifetime(kennel) {
      let tag = try kennel.tag(of: path)
      let before = kennel.processorSeconds
      // Not wrk, which waits for the body that the Content-Length of a 304 describes.
      let statement = try h2load(
        kennel.url(path), connections: contender.count ?? 64, streams: 1, status: "3",
        ["--h1", "-H", "If-None-Match: \(tag)"]
      ).statement
      return Reading(statement: statement, cpuSeconds: kennel.processorSeconds - before)
    }
  }

  private func hearts(_ contender: Contender, _ data: KennelData) throws -> Reading {
    let kennel = try KennelService(place, data)
    return try withExtendedLifetime(kennel) {
      let cookies = try (0..<KennelData.users).map { try kennel.cookie(of: $0) }
      let before = kennel.processorSeconds
      let statement = try wrk(
        kennel.url(""), connections: contender.count ?? 16, ["1", "\(KennelData.postsPerPicture)"] + cookies
      ).statement
      return Reading(statement: statement, cpuSeconds: kennel.processorSeconds - before)
    }
  }

  private func newThumbnails(
    _ contender: Contender, _ picture: PictureFile, _ data: KennelData
  ) throws -> Reading {
    let size = Measurement.kennelThumbnailSize
    let height = (picture.height * size + picture.width / 2) / picture.width
    let posts = KennelData.posts(of: picture)
    func load(_ prefix: String, _ name: String, _ used: () -> Double) throws -> Reading {
      let client = Contender(.images, "load")
      let child = try Child(
        client.path(place),
        [
          client.mode, prefix, "--picture", name, "--expected", "\(size)x\(height)", "--seconds",
          "\(settings.seconds)", "--first", "\(posts.lowerBound)", "--count", "\(posts.count)",
        ])
      guard try child.line(within: Laboratory.patience) == "warm" else {
        throw Problem("the thumbnail client did not print “warm”")
      }
      let before = used()
      let statement = try Statement(child.line(within: Laboratory.patience))
      let cpu = used() - before
      _ = try child.finish(within: Laboratory.patience)
      return Reading(statement: statement, cpuSeconds: cpu)
    }
    if contender.program == .thumbor {
      let service = try ThumbnailService(contender, place, photos: data.photos)
      return try withExtendedLifetime(service) {
        let prefix = "http://127.0.0.1:\(service.port)/unsafe/fit-in/\(size)x\(size)/filters:quality(80)"
        return try load(prefix, "photo.jpg") { service.processorSeconds }
      }
    }
    let kennel = try KennelService(place, data)
    return try withExtendedLifetime(kennel) {
      try load(kennel.url("posts"), "thumbnail?size=\(size)&format=jpeg") { kennel.processorSeconds }
    }
  }

  private func listeners(_ contender: Contender, _ data: KennelData) throws -> Reading {
    let count = contender.count ?? 1
    if contender.program == .microhttpd {
      let server = try Child(contender.path(place), ["\(count + 100)"])
      let words = try server.line(within: 5).split(separator: " ")
      guard words.count == 2, let port = Int(words[1]) else { throw Problem("stream did not print its port") }
      let before = try ProcessStatus(server.pid)
      return try withCrowd(count, port, []) { _ in
        let status = try ProcessStatus(server.pid)
        let statement = try Statement(#"{"requests":\#(count),"seconds":0,"bytes":0}"#)
        return Reading(
          statement: statement, cpuSeconds: 0, threads: status.threads,
          growthKib: status.residentKib - before.residentKib)
      }
    }
    let kennel = try KennelService(place, data)
    return try withExtendedLifetime(kennel) {
      let cookie = try kennel.cookie(of: 0)
      let before = try kennel.status
      return try withCrowd(count, kennel.port, ["/posts/1/favourite", cookie]) { crowd in
        var statements: [Statement] = []
        for _ in 0..<5 {
          crowd.send("heart\n")
          statements.append(try Statement(crowd.line(within: Laboratory.patience)))
        }
        statements.sort { $0.seconds < $1.seconds }
        let status = try kennel.status
        // Stops before the listeners disconnect, because Kennel would log each of them.
        kennel.stop()
        return Reading(
          statement: statements[statements.count / 2], cpuSeconds: 0, threads: status.threads,
          growthKib: status.residentKib - before.residentKib)
      }
    }
  }

  private func withCrowd(
    _ count: Int, _ port: Int, _ heart: [String], _ body: (Child) throws -> Reading
  ) throws -> Reading {
    let crowd = try Child(
      place.build.appending(path: "peers/crowd").path, ["\(count)", "\(port)"] + heart)
    guard try crowd.line(within: Laboratory.patience) == "ready \(count)" else {
      throw Problem("some listeners got no greeting")
    }
    // The server does not report when it has finished its internal work. A short wait is enough.
    usleep(300_000)
    return try withExtendedLifetime(crowd) { try body(crowd) }
  }
}
