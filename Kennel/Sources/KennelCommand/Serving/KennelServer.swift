import Foundation
import Glibc
import HTTPService
import KennelModel
import KennelStorage
import KennelWeb
import TerminalProgram

/// A kennel that is being served.
struct KennelServer: Sendable {
  private let listener: KennelListener
  private let site: KennelSite
  private let store: KennelStore

  /// Creates a server; ``run()`` starts answering requests.
  ///
  /// The listener must exist first, so that a second server on the same port fails before it touches the thumbnails.
  init(_ store: KennelStore, directory: String, _ listener: KennelListener) throws {
    self.listener = listener
    self.store = store
    var configuration = listener.settings.site
    let log = listener.log
    configuration.onError = { error, route in
      // The cause names the store, which visitors do not see.
      let cause = (error as? KennelError)?.cause.map { " (\($0))" } ?? ""
      log.note(problem: "\(route): \(error)\(cause)")
    }
    site = try KennelSite(store: store, directory: directory, configuration: configuration)
  }

  /// Serves until the task is cancelled, then completes open responses.
  ///
  /// - Parameter announce: prints where the kennel is. From then on, SIGHUP has the certificate read again.
  func run(announcing announce: () async throws -> Void) async throws {
    let reading = Task { await readTimes() }
    let emptying = Task { await emptyBin() }
    let sweeping = Task { await sweepUploads() }
    let removing = Task { await sweepPhotos() }
    let result: Result<Void, any Error>
    do {
      let renewal = CertificateRenewal(
        files: listener.settings.certificate, server: listener.server, log: listener.log)
      try await withTaskCancellationHandler {
        try await renewal.watching {
          try listener.server.start { [site] in await site.respond(to: $0) }
          do {
            try await announce()
          } catch {
            await listener.server.stop(within: .zero)
            throw error
          }
          await ReadinessNotice.send("READY=1")
          await withTaskGroup(of: Void.self) { group in
            group.addTask { await examineEarlierPhotos() }
            await listener.server.serve(grace: listener.settings.grace)
            group.cancelAll()
          }
        }
      } onCancel: {
        Task { await ReadinessNotice.send("STOPPING=1") }
      }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    reading.cancel()
    emptying.cancel()
    sweeping.cancel()
    removing.cancel()
    await reading.value
    await emptying.value
    await sweeping.value
    await removing.value
    await site.close()
    try result.get()
    await listener.log.flush()
  }

  /// Deletes what has been in the bin for 30 days, now and every hour.
  private func emptyBin() async {
    repeat {
      do throws(KennelError) {
        try await store.posts.emptyBin()
      } catch {
        if error.code == .closed || error.code == .cancelled { return }
        listener.log.note(problem: "The bin could not be emptied: \(error)")
      }
    } while (try? await Task.sleep(for: .seconds(3600))) != nil
  }

  /// Removes uploads that were begun a day ago and not finished, every hour. Opening the store does it too.
  private func sweepUploads() async {
    while (try? await Task.sleep(for: .seconds(3600))) != nil {
      do throws(KennelError) {
        try await store.uploads.sweep()
      } catch {
        if error.code == .closed || error.code == .cancelled { return }
        listener.log.note(problem: "Unfinished uploads could not be removed: \(error)")
      }
    }
  }

  /// Removes photos from a store that no post uses, every hour, and those that never had a post once a day.
  private func sweepPhotos() async {
    var hours = 0
    while (try? await Task.sleep(for: .seconds(3600))) != nil {
      do throws(KennelError) {
        try await store.sweepPhotos()
        let isFirstOfDay = hours % 24 == 0
        hours += 1
        if isFirstOfDay { try await store.sweepOrphans() }
      } catch {
        if error.code == .closed || error.code == .cancelled { return }
        let cause = error.cause.map { " (\($0))" } ?? ""
        listener.log.note(problem: "Photos could not be removed from the store: \(error)\(cause)")
      }
    }
  }

  /// Reads when the photos of an earlier version were taken.
  private func readTimes() async {
    do throws(KennelError) {
      try await TimeReading(store).run()
    } catch {
      if error.code == .closed || error.code == .cancelled { return }
      listener.log.note(problem: "The times of photos could not be read: \(error)")
    }
  }
}

extension KennelServer {
  /// Takes the metadata out of the photos that were posted with earlier versions. A photo that is requested before its turn
  /// is examined first.
  private func examineEarlierPhotos() async {
    do throws(KennelError) {
      let report = try await store.posts.examineAll()
      let (changed, failed) = (report.changedCount, report.failureCount)
      if changed > 0 {
        let posts = changed == 1 ? "1 post" : "\(changed) posts"
        listener.log.note(
          problem:
            "The camera data, such as the place, was taken out of the photos of \(posts). The authors still get it, and can share it."
        )
      }
      if failed > 0 {
        let photos = failed == 1 ? "The photo of 1 post" : "The photos of \(failed) posts"
        listener.log.note(
          problem: "\(photos) could not be examined, so nobody else gets the file. Run kennel check.")
      }
    } catch {
      // It continues at the next start.
      if error.code != .cancelled, error.code != .closed { listener.log.note(problem: "\(error)") }
    }
  }
}

/// Reports the state of the server to the service manager with the protocol of `sd_notify`.
enum ReadinessNotice {
  static func send(_ state: String) async {
    guard let path = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"] else { return }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        send(state, to: path)
        continuation.resume()
      }
    }
  }

  /// Sends a message. Errors are ignored, because the server runs without a service manager too.
  static func send(_ state: String, to path: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var name = Array(path.utf8)
    guard let first = name.first, name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    // An at sign represents the null byte of an abstract name.
    if first == UInt8(ascii: "@") { name[0] = 0 } else if first != UInt8(ascii: "/") { return }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    let bytes = Array(state.utf8)
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, length)
      }
    }
  }
}
