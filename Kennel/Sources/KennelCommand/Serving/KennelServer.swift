import HTTPService
import KennelModel
import KennelWeb
import TerminalProgram

/// A kennel that is being served.
struct KennelServer: Sendable {
  private let listener: KennelListener
  private let site: KennelSite

  /// Creates a server; ``run()`` starts answering requests.
  ///
  /// The listener must exist first, so that a second server on the same port fails before it touches the thumbnails.
  init(_ store: KennelStore, directory: String, _ listener: KennelListener) throws {
    self.listener = listener
    var configuration = listener.settings.site
    let log = listener.log
    configuration.onError = { log.note(problem: "\($1): \($0)") }
    site = try KennelSite(store: store, directory: directory, configuration: configuration)
  }

  /// Serves until the task is cancelled, then completes open responses.
  func run() async throws {
    await ReadinessNotice.send("READY=1")
    do {
      try await withTaskCancellationHandler {
        try await listener.server.run(grace: listener.settings.grace) { [site] in await site.respond(to: $0) }
      } onCancel: {
        Task { await ReadinessNotice.send("STOPPING=1") }
      }
    } catch {
      await site.close()
      throw error
    }
    await site.close()
    await listener.log.flush()
  }
}
